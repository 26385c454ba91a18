package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
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

func TestPowerLossAtAnyMomentKeepsWhatWasAcknowledged(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	for n := uint64(1); n < 60; n++ {
		acknowledged, err := grow(j, n)
		must(t, err)
		wantWhole(t, openOn(t, d.crash(), Options{}), acknowledged)
	}
}

func TestWeakModesKeepWhatWasSynced(t *testing.T) {
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

// smallLog returns the content of a journal of n records, and where each ends.
func smallLog(t testing.TB, n uint64) (content []byte, ends []int) {
	t.Helper()
	d := newMemDisk()
	j := openOn(t, d, Options{})
	ends = []int{headerSize}
	for seq := uint64(1); seq <= n; seq++ {
		must(t, second(j.Append(numbered(seq))))
		ends = append(ends, len(d.files[where].cache))
	}
	must(t, j.Close())
	return d.files[where].cache, ends
}

func TestCutAtEveryByteLeavesWholeRecords(t *testing.T) {
	content, ends := smallLog(t, 7)
	for size := range content {
		if size%64 > 0 && dull(content, size) {
			continue
		}
		j := openOn(t, diskWith(where, content[:size]), Options{})
		last := wantWhole(t, j, 0)
		if want := last + 1; ends[last] > size && last > 0 || ends[want] <= size {
			t.Fatalf("cut at %d: %d records are left; they end at %v", size, last, ends)
		}
		if whole := ends[last]; last > 0 && j.Cut() != int64(size-whole) && size < whole+LargeBody {
			t.Fatalf("cut at %d: it says %d bytes", size, j.Cut()) // of what is not a large body
		}
		must(t, second(j.Append(numbered(last+1))))
		wantWhole(t, j, last+1)
	}
}

// dull reports whether a byte is one of a hundred equal ones, of which the
// tests try one in 64.
func dull(content []byte, at int) bool {
	return at > 100 && bytes.Count(content[at-100:at+1], content[at:at+1]) == 101
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	const n = 7
	content, ends := smallLog(t, n)
	torn := 0
	for bit := 0; bit < 8*len(content); bit++ {
		if bit%512 > 0 && dull(content, bit/8) {
			continue
		}
		damaged := bytes.Clone(content)
		damaged[bit/8] ^= 1 << (bit % 8)
		j, err := Open(where, &Options{disk: diskWith(where, damaged)})
		var corrupt *CorruptError
		var format *FormatError
		switch {
		case errors.As(err, &format) && bit/8 < 12:
		case errors.As(err, &corrupt) && corrupt.Path == where && corrupt.Offset <= int64(bit/8):
			if bit/8 >= headerSize && ends[corrupt.Seq+1] <= bit/8 {
				t.Fatalf("bit %d: %v", bit, err)
			}
		case err != nil:
			t.Fatalf("bit %d: %v", bit, err)
		default:
			torn++
			if bit/8 < ends[n-1] {
				t.Fatalf("bit %d at byte %d of %d looks like a torn record", bit, bit/8, len(content))
			}
			wantWhole(t, j, n-1)
		}
	}
	if torn == 0 {
		t.Error("no flip was in the last record")
	}
}

func TestARecordThatWasChangedBreaksTheChain(t *testing.T) {
	content, ends := smallLog(t, 4)
	s, err := newScanner(bytes.NewReader(content), where, int64(len(content)))
	must(t, err)
	changed := bytes.Clone(content[:ends[1]]) // the second record changed, with correct checksums
	changed = appendFrame(changed, s.head.salt, &frame{seq: 2, time: noTime, kind: 1}, []byte("record two"), nil)
	changed = append(changed, content[ends[2]:]...)
	_, err = Open(where, &Options{disk: diskWith(where, changed)})
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) || corrupt.Offset != int64(ends[1]) || corrupt.Seq != 1 || !strings.Contains(corrupt.Problem, "chain") {
		t.Errorf("got %v", err)
	}
}

func TestALargeBodyIsStoredOnce(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	body := bytes.Repeat([]byte("m"), 1<<20)
	for range 50 {
		must(t, second(j.Append(Record{Type: 1, Body: body})))
	}
	must(t, j.Drop(1, nil))
	must(t, j.Close())
	d.restart()
	j = openOn(t, d, Options{})
	must(t, second(j.Append(Record{Type: 1, Body: body})))
	if size := len(d.files[where].cache); size > len(body)+51*200 {
		t.Errorf("51 records with one body of %d bytes take %d", len(body), size)
	}
}

func TestUnknownVersionAndOtherFilesAreRefused(t *testing.T) {
	content, _ := smallLog(t, 2)
	newer := bytes.Clone(content)
	newer[8] = 9
	for text, content := range map[string][]byte{
		"version 9, this program reads version 1": newer,
		"not a journal": []byte(`{"seq":1}`),
	} {
		d := diskWith(where, content)
		_, err := Open(where, &Options{disk: d})
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
		if !bytes.Equal(d.files[where].cache, content) {
			t.Errorf("%s: the file was touched", text)
		}
	}
}
