package journal

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"
)

const where = "j"

// numbered returns the record with that sequence number in these tests.
func numbered(seq uint64) Record {
	r := Record{Type: 1, Time: time.Unix(int64(seq), 0).UTC(), Head: fmt.Appendf(nil, "record %d", seq), Body: bytes.Repeat([]byte("x"), int(seq%7)*20)}
	if seq%5 == 0 {
		r.Body = bytes.Repeat([]byte{byte(seq % 10)}, LargeBody) // two of them, shared
	}
	return r
}

func openOn(t testing.TB, d *memDisk, o Options) *File {
	t.Helper()
	o.disk = d
	j, err := Open(where, &o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// grow appends records one by one until there are n or one fails, and returns
// the last one acknowledged. Every 13th time it drops all but two.
func grow(j *File, n uint64) (acknowledged uint64, err error) {
	for acknowledged = j.Last(); acknowledged < n; {
		last, err := j.Append(numbered(acknowledged + 1))
		if err != nil {
			return acknowledged, err
		}
		acknowledged = last
		if last%13 == 0 {
			if err := j.Drop(last-2, fmt.Appendf(nil, "state %d", last-2)); err != nil {
				return acknowledged, err
			}
		}
	}
	return acknowledged, nil
}

// wantWhole checks that a journal holds the records as they were made, at least
// up to the given one, and the state for those it dropped.
func wantWhole(t testing.TB, r Reader, least uint64) (last uint64) {
	t.Helper()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if s.Through > 0 && string(s.State) != fmt.Sprintf("state %d", s.Through) {
		t.Fatalf("state through %d is %q", s.Through, s.State)
	}
	last = s.Through
	for got, err := range r.Read(s.Through) {
		if err != nil {
			t.Fatal(err)
		}
		last++
		want := numbered(last)
		if got.Seq != last || got.Type != want.Type || !got.Time.Equal(want.Time) || !bytes.Equal(got.Head, want.Head) || !bytes.Equal(got.Body, want.Body) {
			t.Fatalf("record %d is %d: %q", last, got.Seq, got.Head)
		}
	}
	if last < least {
		t.Fatalf("records up to %d, but %d was acknowledged", last, least)
	}
	return last
}

// Every single write, sync, truncation and rename fails in turn, and then the
// power is lost, or only the process.
func TestNothingAcknowledgedIsLostWhenTheDiskFails(t *testing.T) {
	const n = 30
	counting := newMemDisk()
	must(t, second(grow(openOn(t, counting, Options{}), n)))
	if counting.ops < 2*n {
		t.Fatalf("%d operations, which cannot be all", counting.ops)
	}
	failed := map[string]int{}
	for k := 1; k <= counting.ops; k++ {
		for _, power := range []bool{true, false} {
			d := newMemDisk()
			d.fail = func(op string, n int) error {
				if n == k {
					failed[op]++
					return errDisk
				}
				return nil
			}
			acknowledged := growUntilFailure(t, d, n)
			d.restart()
			if power {
				d = d.crash()
			}
			j := openOn(t, d, Options{})
			wantWhole(t, j, acknowledged)
			acknowledged, err := grow(j, n+20)
			must(t, err)
			wantWhole(t, openOn(t, d.crash(), Options{}), acknowledged)
		}
	}
	if failed["write"] == 0 || failed["sync"] == 0 || failed["rename"] == 0 || failed["syncdir"] == 0 || failed["truncate"] == 0 {
		t.Errorf("failed %v", failed)
	}
}

func second[A any](_ A, err error) error { return err }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// growUntilFailure appends on a disk that will fail, and checks that nothing is
// accepted afterwards.
func growUntilFailure(t *testing.T, d *memDisk, n uint64) (acknowledged uint64) {
	t.Helper()
	j, err := Open(where, &Options{disk: d})
	if err != nil {
		if !errors.Is(err, errDisk) {
			t.Fatal(err)
		}
		return 0
	}
	if acknowledged, err = grow(j, n); err == nil {
		return acknowledged // the operation that failed may fail
	}
	if !errors.Is(err, errDisk) {
		t.Fatalf("got %v", err)
	}
	if !errors.Is(err, ErrFailed) {
		return acknowledged // a drop that had no effect
	}
	for range 3 { // the disk works again, but is not to be trusted
		if _, err := j.Append(numbered(1)); !errors.Is(err, ErrFailed) || !errors.Is(err, errDisk) {
			t.Fatalf("append after a failure: %v", err)
		}
		if err := j.Sync(); !errors.Is(err, ErrFailed) {
			t.Fatalf("sync after a failure: %v", err)
		}
	}
	if _, err := j.Snapshot(); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, j, acknowledged) // it can still be read
	return acknowledged
}

func TestAFullDiskLosesNothingAcknowledged(t *testing.T) {
	for room := headerSize; room < 3000; room += 37 {
		d := newMemDisk()
		d.room = room
		j := openOn(t, d, Options{})
		acknowledged, err := grow(j, 1000)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("got %v", err)
		}
		d.restart()
		d.room = 0
		d = d.crash()
		j = openOn(t, d, Options{})
		wantWhole(t, j, acknowledged)
		must(t, second(grow(j, acknowledged+10)))
	}
}

func TestPowerLossAtAnyMomentKeepsAcknowledgedRecords(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	for n := uint64(1); n < 60; n++ {
		acknowledged, err := grow(j, n)
		must(t, err)
		wantWhole(t, openOn(t, d.crash(), Options{}), acknowledged)
	}
}

func TestWeakModesKeepSyncedRecords(t *testing.T) {
	for _, mode := range []Sync{SyncInterval, SyncNever} {
		d := newMemDisk()
		j := openOn(t, d, Options{Sync: mode, Interval: time.Hour})
		for n := uint64(1); n < 12; n++ {
			must(t, second(j.Append(numbered(n))))
			if n == 6 {
				must(t, j.Sync())
			}
		}
		if last := wantWhole(t, openOn(t, d.crash(), Options{}), 6); last != 6 {
			t.Errorf("mode %d: a power loss left %d records, so appends were synced", mode, last)
		}
		d.restart()
		wantWhole(t, openOn(t, d, Options{}), 11) // the process was killed
		d.restart()
		must(t, j.Close())
		wantWhole(t, openOn(t, d.crash(), Options{}), 11)
	}
}

func TestFailedJournalIsCutToAcknowledgedRecordsAndNotSealed(t *testing.T) {
	for _, op := range []string{"write", "sync"} {
		d := newMemDisk()
		j := openOn(t, d, Options{})
		must(t, second(grow(j, 3)))
		whole := len(d.files[where].cache)
		d.failing(op)
		if _, err := j.Append(numbered(4)); !errors.Is(err, ErrFailed) {
			t.Fatalf("got %v", err)
		}
		d.fail = nil
		if err := j.Close(); !errors.Is(err, ErrFailed) {
			t.Errorf("closed: %v", err)
		}
		if size := len(d.files[where].cache); size != whole {
			t.Errorf("a %s failed: %d bytes are there, of which %d were acknowledged", op, size, whole)
		}
	}
}

func TestAJournalIsSealedOnce(t *testing.T) {
	content, _ := smallLog(t, 3)
	d := diskWith(where, content)
	for range 3 {
		must(t, openOn(t, d, Options{}).Close())
		if !bytes.Equal(d.files[where].cache, content) {
			t.Fatalf("%d bytes became %d", len(content), len(d.files[where].cache))
		}
	}
	must(t, openOn(t, d, Options{}).Drop(1, []byte("state 1")))
	d.restart()
	content = d.files[where].cache
	must(t, openOn(t, d, Options{}).Close())
	if len(d.files[where].cache) != len(content) {
		t.Errorf("%d bytes became %d", len(content), len(d.files[where].cache))
	}
}

func TestNextOpenWritesRecordsOfAFailedSync(t *testing.T) {
	for _, before := range []int{0, 3} { // records that were synced
		d := newMemDisk()
		j := openOn(t, d, Options{Sync: SyncNever})
		must(t, second(grow(j, uint64(before))))
		must(t, j.Sync())
		must(t, second(grow(j, uint64(before+4))))
		d.failing("sync")
		if err := j.Sync(); !errors.Is(err, ErrFailed) {
			t.Fatalf("got %v", err)
		}
		d.restart()
		j = openOn(t, d, Options{})
		acknowledged, err := grow(j, uint64(before+6))
		must(t, err)
		wantWhole(t, openOn(t, d.crash(), Options{}), acknowledged)
	}
}

// The process is killed after a rename, or after making the file, and before it syncs
// the directory.
func TestOpenSyncsTheDirectory(t *testing.T) {
	for name, killed := range map[string]func(d *memDisk){
		"while it is made": func(d *memDisk) {
			d.failing("syncdir")
			_, _ = Open(where, &Options{disk: d})
		},
		"in a drop": func(d *memDisk) {
			j := openOn(t, d, Options{})
			must(t, second(grow(j, 3)))
			d.failing("syncdir")
			_ = j.Drop(2, []byte("state 2"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newMemDisk()
			killed(d)
			d.restart()
			acknowledged, err := grow(openOn(t, d, Options{}), 5)
			must(t, err)
			wantWhole(t, openOn(t, d.crash(), Options{}), acknowledged)
		})
	}
}
