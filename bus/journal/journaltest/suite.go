// Package journaltest is the contract of a [journal.Store] as a test suite.
package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
)

// A Maker makes stores for the tests.
type Maker struct {
	// New returns an empty store. The suite closes it.
	New func(testing.TB) journal.Store
	// Reopen closes a store and opens it again; nil if stores are not
	// persistent.
	Reopen func(testing.TB, journal.Store) journal.Store
}

// TestStore checks that stores obey the contract of [journal.Store].
func TestStore(t *testing.T, m Maker) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *run)
	}{
		{"empty", testEmpty},
		{"appended records are read as they were", testRead},
		{"records are numbered without gaps", testNumbers},
		{"read from any record", testAfter},
		{"invalid records are refused and nothing is written", testRefuse},
		{"a reader sees one moment", testMoment},
		{"readers may stop", testStop},
		{"follow misses nothing", testFollow},
		{"follow ends with its context", testFollowEnds},
		{"appends at once are all there, each whole", testConcurrent},
		{"large bodies", testLarge},
		{"drop keeps the rest and the state", testDrop},
		{"drop what is not held", testDropRefused},
		{"followers survive a drop", testDropWhileFollowed},
		{"closed", testClosed},
		{"reopened", testReopen},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &run{m, m.New(t)}
			defer func() {
				if err := r.store.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			test.run(t, r)
		})
	}
}

type run struct {
	Maker
	store journal.Store
}

// Sample returns records of many shapes.
func Sample(n int) []journal.Record {
	records := make([]journal.Record, n)
	for i := range records {
		records[i] = journal.Record{
			Type: journal.Type(1 + i%127),
			Time: time.Unix(int64(i), int64(i)).UTC(),
			Head: []byte(fmt.Sprintf("head %d", i)),
			Body: []byte(strings.Repeat("body ", i%50)),
		}
	}
	if n > 3 {
		records[1].Time = time.Time{}
		records[2].Head, records[2].Body = nil, nil
		records[3].Body = bytes.Repeat([]byte{0xff}, journal.LargeBody-1)
	}
	return records
}

func (r *run) append(t testing.TB, records ...journal.Record) uint64 {
	t.Helper()
	last, err := r.store.Append(records...)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return last
}

// collect returns what an iteration yields before it ends, and its error.
func collect(seq iter.Seq2[journal.Record, error]) (all []journal.Record, err error) {
	for r, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

func wantRecords(t testing.TB, seq iter.Seq2[journal.Record, error], first uint64, want []journal.Record) {
	t.Helper()
	got, err := collect(seq)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if len(got) != len(want) {
		t.Fatalf("read %d records, want %d", len(got), len(want))
	}
	for i := range got {
		if problem := Differ(got[i], want[i], first+uint64(i)); problem != "" {
			t.Fatal(problem)
		}
	}
}

// Differ describes how a record that was read differs from the one appended; ""
// if it does not.
func Differ(got, want journal.Record, seq uint64) string {
	if got.Seq == seq && got.Type == want.Type && got.Time.Equal(want.Time) && got.Time.IsZero() == want.Time.IsZero() &&
		bytes.Equal(got.Head, want.Head) && bytes.Equal(got.Body, want.Body) {
		return ""
	}
	return fmt.Sprintf("got record %d of type %d at %v: %.40q %.40q (%d bytes), want %d of type %d at %v: %.40q %.40q (%d bytes)",
		got.Seq, got.Type, got.Time, got.Head, got.Body, len(got.Body), seq, want.Type, want.Time, want.Head, want.Body, len(want.Body))
}

func testEmpty(t *testing.T, r *run) {
	wantRecords(t, r.store.Read(0), 1, nil)
	wantRecords(t, r.store.Read(7), 8, nil)
	if last := r.store.Last(); last != 0 {
		t.Errorf("last is %d", last)
	}
	if last := r.append(t); last != 0 {
		t.Errorf("nothing was appended as %d", last)
	}
	if s, err := r.store.Snapshot(); err != nil || s.Through != 0 || len(s.State) != 0 {
		t.Errorf("snapshot %+v, %v", s, err)
	}
	if err := r.store.Sync(); err != nil {
		t.Error(err)
	}
}

func testRead(t *testing.T, r *run) {
	all := Sample(300)
	r.append(t, all[:1]...)
	r.append(t, all[1:250]...)
	r.append(t, all[250:]...)
	wantRecords(t, r.store.Read(0), 1, all)
}

func testNumbers(t *testing.T, r *run) {
	all := Sample(10)
	all[0].Seq = 77 // is set by the journal
	for i, want := range []uint64{1, 3, 6, 10} {
		if got := r.append(t, all[:i+1]...); got != want || r.store.Last() != want {
			t.Errorf("got %d, last %d, want %d", got, r.store.Last(), want)
		}
	}
}

func testAfter(t *testing.T, r *run) {
	all := Sample(3000) // more than one place to start at
	r.append(t, all...)
	for _, after := range []int{0, 1, 2, 1023, 1024, 1025, 2048, 2999, 3000} {
		wantRecords(t, r.store.Read(uint64(after)), uint64(after)+1, all[after:])
	}
}

func testRefuse(t *testing.T, r *run) {
	good := Sample(2)
	r.append(t, good...)
	for _, bad := range []journal.Type{0, 128, 255} {
		_, err := r.store.Append(good[0], journal.Record{Type: bad})
		var refused *journal.RecordError
		if !errors.As(err, &refused) || refused.Field != "type" {
			t.Errorf("type %d: got %v", bad, err)
		}
	}
	for _, bad := range []time.Time{
		time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, math.MinInt64),
	} {
		_, err := r.store.Append(journal.Record{Type: 1, Time: bad})
		var refused *journal.RecordError
		if !errors.As(err, &refused) || refused.Field != "time" {
			t.Errorf("time %v: got %v", bad, err)
		}
	}
	good[0].Time, good[1].Time = time.Unix(0, math.MaxInt64), time.Unix(0, math.MinInt64+1)
	r.append(t, good...)
	wantRecords(t, r.store.Read(0), 1, append(Sample(2), good...))
}

func testMoment(t *testing.T, r *run) {
	all := Sample(20)
	r.append(t, all[:10]...)
	read := 0
	for _, err := range r.store.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		read++
		r.append(t, all[10])
	}
	if read != 10 {
		t.Errorf("read %d records, want the 10 that were there", read)
	}
}

func testStop(t *testing.T, r *run) {
	r.append(t, Sample(5)...)
	for _, seq := range []iter.Seq2[journal.Record, error]{r.store.Read(0), r.store.Follow(t.Context(), 0)} {
		for got, err := range seq {
			if err != nil || got.Seq != 1 {
				t.Errorf("got record %d, %v", got.Seq, err)
			}
			break
		}
	}
}

func testFollow(t *testing.T, r *run) {
	all := Sample(400)
	r.append(t, all[:100]...)
	var wg sync.WaitGroup
	for follower := range 3 {
		wg.Go(func() {
			next := uint64(follower * 50)
			for got, err := range r.store.Follow(t.Context(), next) {
				if err != nil {
					t.Errorf("follow: %v", err)
					return
				}
				if problem := Differ(got, all[next], next+1); problem != "" {
					t.Error(problem)
					return
				}
				if next++; next == uint64(len(all)) {
					return
				}
			}
		})
	}
	for i := 100; i < len(all); i += 3 {
		r.append(t, all[i:i+3]...)
	}
	wg.Wait()
}

func testFollowEnds(t *testing.T, r *run) {
	r.append(t, Sample(5)...)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	read := 0
	for _, err := range r.store.Follow(ctx, 0) {
		if err != nil {
			if !errors.Is(err, why) {
				t.Errorf("got %v, want %v", err, why)
			}
			break
		}
		if read++; read == 2 {
			cancel(why)
		}
	}
	if read != 2 {
		t.Errorf("read %d, want 2", read)
	}
}

func testConcurrent(t *testing.T, r *run) {
	const writers, batches = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for b := range batches {
				name := []byte(fmt.Sprintf("%d/%d", w, b))
				last, err := r.store.Append(journal.Record{Type: 1, Head: name}, journal.Record{Type: 2, Head: name})
				if err != nil {
					t.Error(err)
					return
				}
				for got, err := range r.store.Read(last - 2) {
					if err != nil || !bytes.Equal(got.Head, name) {
						t.Errorf("%q was acknowledged as %d, where %q is: %v", name, last, got.Head, err)
					}
					if got.Seq == last {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	got, err := collect(r.store.Read(0))
	if err != nil || len(got) != 2*writers*batches {
		t.Fatalf("read %d records, %v, want %d", len(got), err, 2*writers*batches)
	}
	next := map[string]int{}
	for i := 0; i < len(got); i += 2 {
		writer, batch, _ := strings.Cut(string(got[i].Head), "/")
		if !bytes.Equal(got[i].Head, got[i+1].Head) || got[i].Type != 1 || got[i+1].Type != 2 {
			t.Fatalf("%q and %q are next to each other", got[i].Head, got[i+1].Head)
		}
		if batch != fmt.Sprint(next[writer]) {
			t.Fatalf("batch %s of writer %s, want %d", batch, writer, next[writer])
		}
		next[writer]++
	}
}

func testLarge(t *testing.T, r *run) {
	a, b := bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), journal.LargeBody)
	all := []journal.Record{
		{Type: 1, Head: []byte("1"), Body: a},
		{Type: 2, Head: []byte("2"), Body: b},
		{Type: 3, Head: []byte("3"), Body: a},
		{Type: 4, Head: a, Body: b},
	}
	r.append(t, all...)
	r.append(t, all...)
	want := append(all, all...)
	wantRecords(t, r.store.Read(0), 1, want)
	for after := range len(want) {
		wantRecords(t, r.store.Read(uint64(after)), uint64(after)+1, want[after:])
	}
}

func testDrop(t *testing.T, r *run) {
	all := Sample(2500)
	all[9].Body = bytes.Repeat([]byte("large"), 10_000)
	all[2100].Body = all[9].Body
	r.append(t, all...)
	for _, through := range []int{1, 1024, 2050, 2500} {
		state := bytes.Repeat([]byte{byte(through)}, through)
		if err := r.store.Drop(uint64(through), state); err != nil {
			t.Fatal(err)
		}
		wantDropped(t, r.store, through, state)
		wantRecords(t, r.store.Read(uint64(through)), uint64(through)+1, all[through:])
	}
	all = append(all, Sample(5)...)
	r.append(t, all[2500:]...)
	wantRecords(t, r.store.Read(2500), 2501, all[2500:])
	if r.Reopen == nil {
		return
	}
	r.store = r.Reopen(t, r.store)
	wantDropped(t, r.store, 2500, bytes.Repeat([]byte{196}, 2500))
	wantRecords(t, r.store.Read(2500), 2501, all[2500:])
}

func wantDropped(t testing.TB, s journal.Store, through int, state []byte) {
	t.Helper()
	if got, err := s.Snapshot(); err != nil || got.Through != uint64(through) || !bytes.Equal(got.State, state) {
		t.Errorf("snapshot through %d of %d bytes, %v, want through %d of %d", got.Through, len(got.State), err, through, len(state))
	}
	var dropped *journal.DroppedError
	if _, err := collect(s.Read(uint64(through) - 1)); !errors.As(err, &dropped) || dropped.Through != uint64(through) {
		t.Errorf("read what is dropped: got %v", err)
	}
}

func testDropRefused(t *testing.T, r *run) {
	r.append(t, Sample(10)...)
	if err := r.store.Drop(4, nil); err != nil {
		t.Fatal(err)
	}
	for _, through := range []uint64{0, 3, 4, 11} {
		if err := r.store.Drop(through, []byte("x")); err == nil {
			t.Errorf("%d was dropped", through)
		}
	}
	wantRecords(t, r.store.Read(4), 5, Sample(10)[4:])
}

func testDropWhileFollowed(t *testing.T, r *run) {
	all := Sample(60)
	r.append(t, all[:10]...)
	next := 0
	for got, err := range r.store.Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if problem := Differ(got, all[next], uint64(next)+1); problem != "" {
			t.Fatal(problem)
		}
		if next++; next == len(all) {
			return
		}
		if next%10 == 0 {
			if err := r.store.Drop(uint64(next)-4, nil); err != nil {
				t.Fatal(err)
			}
			r.append(t, all[next:next+10]...)
		}
	}
}

func testClosed(t *testing.T, r *run) {
	r.append(t, Sample(3)...)
	following, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := collect(func(yield func(journal.Record, error) bool) {
			for got, err := range r.store.Follow(context.Background(), 0) {
				if err == nil && got.Seq == 3 {
					close(following)
				}
				if !yield(got, err) {
					return
				}
			}
		})
		done <- err
	}()
	<-following
	for range 2 {
		if err := r.store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if err := <-done; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("follow ended with %v", err)
	}
	_, err := r.store.Append(Sample(1)...)
	for name, err := range map[string]error{"append": err, "sync": r.store.Sync(), "drop": r.store.Drop(1, nil)} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("%s: got %v, want %v", name, err, journal.ErrClosed)
		}
	}
}

func testReopen(t *testing.T, r *run) {
	if r.Reopen == nil {
		t.Skip("it keeps nothing")
	}
	all := Sample(1500)
	all[3].Body = bytes.Repeat([]byte("large"), 10_000)
	all[1400].Body = all[3].Body
	for i := 0; i < len(all); i += 300 {
		r.append(t, all[i:i+300]...)
		r.store = r.Reopen(t, r.store)
		if last := r.store.Last(); last != uint64(i)+300 {
			t.Errorf("last is %d, want %d", last, i+300)
		}
		wantRecords(t, r.store.Read(0), 1, all[:i+300])
	}
}
