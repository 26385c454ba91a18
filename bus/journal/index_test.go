package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

// mixed returns records of several threads and kinds, of which some have large bodies, with about 1 MB.
func mixed(t testing.TB, rng *rand.Rand, from uint64) (all []journal.Record) {
	t.Helper()
	mint := signals.SeededMint(fmt.Sprint(rng.Uint64()))
	for i := range uint64(300 + rng.IntN(200)) {
		thread, at := fmt.Sprint("solve-", rng.IntN(7)), time.Unix(int64(from+i)+1, 0).UTC()
		said := strings.Repeat("x", rng.IntN(6000))
		h := signals.Header{Seq: from + i + 1, ID: mint.ID(from+i+1, at), Source: "a", Thread: thread, Confidence: 1, Time: at}
		var s signals.Any = signals.New(h, signals.Task{Task: "t" + said})
		if rng.IntN(2) == 0 {
			s = signals.New(h, signals.Proposal{ProposalID: "p", Content: "c" + said})
		}
		r, err := journal.SignalRecord(s)
		if err != nil {
			t.Fatal(err)
		}
		switch rng.IntN(9) {
		case 0:
			r = journal.Record{Type: journal.TypeResult, Head: fmt.Appendf(nil, `{"thread":%q,"agent":"a"}`, thread), Body: []byte(said)}
		case 1:
			r = journal.Record{Type: journal.TypeState, Body: []byte(said)}
		case 2:
			r = journal.Record{Type: journal.TypeResult, Head: []byte("of no recorder"), Body: []byte(said)}
		}
		all = append(all, r)
	}
	return all
}

// twin is [journal.Select] as it is meant: every record is read.
func twin(t testing.TB, path, thread string, kind signals.Kind) (all []journal.Record) {
	t.Helper()
	v := view(t, path)
	snapshot, err := v.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range v.Read(snapshot.Through) {
		if err != nil {
			t.Fatal(err)
		}
		var k signals.Kind
		in := ""
		switch {
		case r.Type == journal.TypeSignal:
			if k, in, err = r.About(); err != nil {
				t.Fatal(err)
			}
		case r.Type == journal.TypeResult && bytes.HasPrefix(r.Head, []byte(`{"thread":"`)):
			in, _, _ = strings.Cut(string(r.Head[len(`{"thread":"`):]), `"`)
		}
		if in == thread && k == kind {
			all = append(all, r)
		}
	}
	return all
}

func selected(t testing.TB, path, thread string, kind signals.Kind) (all []journal.Record) {
	t.Helper()
	pick := func(k signals.Kind, in string) bool { return in == thread && k == kind }
	for r, err := range journal.Select(t.Context(), view(t, path), pick) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestAnIndexChangesNothing does to a journal and to the file beside it what happens to them, and
// compares what is selected with a scan.
func TestAnIndexChangesNothing(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	path, other := filepath.Join(dir, "j"), filepath.Join(dir, "other")
	beside := path + ".index"
	var old []byte // an earlier index
	used := 0
	begin := func(path string) {
		j := open(t, path, &journal.Options{Sync: journal.SyncNever})
		if _, err := j.Append(mixed(t, rng, j.Last())...); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	begin(other)
	begin(other) // one alone may be too small for an index
	selected(t, other, "", "")
	happens := map[string]func(){
		"more":    func() { begin(path) },
		"nothing": func() {},
		"dropped": func() {
			j := open(t, path, nil)
			defer j.Close()
			if first := firstOf(t, path); first < j.Last() {
				if err := j.Drop(first+(j.Last()-first)/2, []byte("state")); err != nil {
					t.Fatal(err)
				}
			}
		},
		"torn":    func() { truncate(t, path, rng.Int64N(2000)) },
		"missing": func() { _ = os.Remove(beside) },
		"cut":     func() { truncate(t, beside, 1+rng.Int64N(3000)) },
		"changed": func() {
			if data, err := os.ReadFile(beside); err == nil && len(data) > 0 {
				data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
				write(t, beside, data)
			}
		},
		"old": func() {
			if old != nil {
				write(t, beside, old)
			}
		},
		"foreign": func() {
			data, err := os.ReadFile(other + ".index")
			if err != nil {
				t.Fatal(err)
			}
			write(t, beside, data)
		},
	}
	begin(path)
	for step := range 40 {
		name := slices.Sorted(maps.Keys(happens))[rng.IntN(len(happens))]
		happens[name]()
		thread, kind := fmt.Sprint("solve-", rng.IntN(7)), []signals.Kind{signals.KindTask, signals.KindProposal, ""}[rng.IntN(3)]
		if diff := cmp.Diff(twin(t, path, thread, kind), selected(t, path, thread, kind)); diff != "" {
			t.Fatalf("step %d, %s: scan and index differ in %s of %s:\n%s", step, name, kind, thread, diff)
		}
		if data, err := os.ReadFile(beside); err == nil {
			used++
			if rng.IntN(3) == 0 {
				old = data
			}
		}
	}
	if used == 0 {
		t.Error("no index was made")
	}
}

func closed(t *testing.T, j *journal.File) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAnIndexOfAnotherPastIsNotBelieved restores a journal from an earlier copy, after which it grew by
// records of the same sizes but of another thread: header, numbers and offsets are as in the index, and nothing follows that would not fit.
func TestAnIndexOfAnotherPastIsNotBelieved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j")
	grow := func(thread string) *journal.File {
		j := open(t, path, &journal.Options{Sync: journal.SyncNever})
		for range 300 {
			seq := j.Last() + 1
			said := make([]byte, 4000)
			for i, rng := 0, rand.New(rand.NewPCG(seq, 5)); i < len(said); i++ {
				said[i] = byte('!' + rng.IntN(90))
			}
			at := time.Unix(int64(seq), 0).UTC()
			r, err := journal.SignalRecord(signals.New(
				signals.Header{Seq: seq, ID: signals.SeededMint("x").ID(seq, at), Source: "a", Thread: thread, Confidence: 1, Time: at},
				signals.Task{Task: string(said)},
			))
			if err == nil {
				_, err = j.Append(r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return j
	}
	closed(t, grow("solve-1"))
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, grow("solve-2"))
	if n := len(selected(t, path, "solve-2", signals.KindTask)); n != 300 {
		t.Fatalf("%d records", n)
	}
	if _, err := os.Stat(path + ".index"); err != nil {
		t.Fatal(err)
	}
	write(t, path, copied)
	defer grow("solve-3").Close()
	for thread, want := range map[string]int{"solve-1": 300, "solve-2": 0, "solve-3": 300} {
		if n := len(selected(t, path, thread, signals.KindTask)); n != want {
			t.Errorf("%s: %d records, want %d", thread, n, want)
		}
	}
}

func firstOf(t testing.TB, path string) uint64 {
	t.Helper()
	s, err := view(t, path).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s.Through + 1
}

func truncate(t testing.TB, path string, by int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	if err := os.Truncate(path, max(0, info.Size()-by)); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSelectReadsOnlyWhatIsPicked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, &journal.Options{Sync: journal.SyncNever})
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		if _, err := j.Append(mixed(t, rng, j.Last())...); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	before := selected(t, path, "solve-1", signals.KindTask)
	if len(before) == 0 {
		t.Fatal("nothing was selected")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1 // in a record that is not selected, most likely: a scan fails there
	write(t, path, data)
	var damaged *journal.CorruptError
	if _, err := journal.Verify(t.Context(), path); !errors.As(err, &damaged) {
		t.Fatalf("verify: %v", err)
	}
	n := 0
	for r, err := range journal.Select(t.Context(), view(t, path), func(k signals.Kind, in string) bool { return k == signals.KindTask && in == "solve-1" }) {
		if err == nil && r.Seq != before[n].Seq || err != nil && !errors.As(err, &damaged) {
			t.Fatalf("got %d, %v", r.Seq, err)
		}
		n++
	}
	if n < len(before)/2 {
		t.Errorf("selected %d of %d", n, len(before))
	}
}

func TestSelectEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	begun := open(t, path, nil)
	if _, err := begun.Append(mixed(t, rand.New(rand.NewPCG(2, 2)), 0)...); err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	for _, from := range []journal.Reader{begun, view(t, path)} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		n := 0
		for _, err := range journal.Select(ctx, from, func(signals.Kind, string) bool { return true }) {
			n++
			if cancel(stop); n > 1 && !errors.Is(err, stop) || n > 2 {
				t.Fatalf("%d: %v", n, err)
			}
		}
		cancel(nil)
		if n != 2 {
			t.Errorf("yielded %d times", n)
		}
	}
}

func TestAThreadIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, nil)
	defer j.Close()
	rng := rand.New(rand.NewPCG(3, 3))
	add := func() {
		if _, err := j.Append(mixed(t, rng, j.Last())...); err != nil {
			t.Fatal(err)
		}
	}
	add()
	add()
	had := len(selected(t, path, "solve-2", signals.KindTask)) + len(selected(t, path, "solve-2", signals.KindProposal)) + len(selected(t, path, "solve-2", ""))
	n, last := 0, uint64(0)
	for r, err := range journal.OfThread(t.Context(), view(t, path), "solve-2").Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq <= last {
			t.Fatalf("record %d follows %d", r.Seq, last)
		}
		last = r.Seq
		if n++; n == had {
			add()
		}
		if n == had+20 {
			return
		}
	}
}

func TestAnIndexWritesOverNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	for _, p := range []string{path, path + ".index"} {
		j := open(t, p, nil)
		for range 2 {
			if _, err := j.Append(mixed(t, rand.New(rand.NewPCG(4, 4)), j.Last())...); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	before := verify(t, path+".index")
	if len(selected(t, path, "solve-1", signals.KindTask)) == 0 {
		t.Error("nothing was selected")
	}
	if after := verify(t, path+".index"); after.Chain != before.Chain {
		t.Error("the journal beside it was changed")
	}
}
