package journal

import (
	"bytes"
	"errors"
	"testing"
)

// wantCorrupt checks that reading ends with damage, and does not just end.
func wantCorrupt(t testing.TB, r Reader, after uint64) {
	t.Helper()
	var last error
	for _, err := range r.Read(after) {
		last = err
	}
	var corrupt *CorruptError
	if !errors.As(last, &corrupt) {
		t.Errorf("after %d: got %v", after, last)
	}
}

func TestRecordsFoundByOpenAreOnTheDisk(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{Sync: SyncNever})
	for seq := range uint64(5) {
		must(t, second(j.Append(numbered(seq+1))))
	}
	d.restart() // it was killed
	openOn(t, d, Options{})
	wantWhole(t, openOn(t, d.crash(), Options{}), 5)
}

func TestDamageUnderAnOpenJournalIsNoEnd(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	must(t, second(grow(j, 4)))
	cache := d.files[where].cache
	cache[len(cache)-1] ^= 1 // of the last record, which nothing follows
	wantCorrupt(t, j, 0)
}

func TestALargeBodyIsCheckedWhereverReadingBegins(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	large := Record{Type: 1, Body: bytes.Repeat([]byte("m"), LargeBody)}
	must(t, second(j.Append(large)))
	must(t, second(j.Append(append(make1024(2), large)...)))
	d.files[where].cache[headerSize+frameSize+100] ^= 1
	wantCorrupt(t, j, 2*placeEvery) // from a place behind the body
}

func TestALargeBodysHashIsOfItsLength(t *testing.T) {
	for _, length := range []int{0, 31, 33} {
		h := newHeader(7, 0, hash{}, nil)
		content := appendFrame(h.encode(), h.seed(headerSize), &frame{seq: 1, time: noTime, kind: 1, large: true}, nil, make([]byte, length))
		var corrupt *CorruptError
		if _, err := Open(where, &Options{disk: diskWith(where, content)}); !errors.As(err, &corrupt) {
			t.Errorf("%d bytes: got %v", length, err)
		}
	}
}

func TestReaderDoesNotBeginInUnacknowledgedRecords(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	begun, release := make(chan struct{}), make(chan struct{})
	d.block = func() { close(begun); <-release }
	done := make(chan error)
	go func() { done <- second(j.Append(make1024(2)...)) }()
	<-begun
	for r, err := range j.Read(placeEvery + 5) {
		t.Errorf("read %d, %v", r.Seq, err)
	}
	close(release)
	must(t, <-done)
	n := 0
	for _, err := range j.Read(placeEvery + 5) {
		must(t, err)
		n++
	}
	if n != placeEvery-5 {
		t.Errorf("read %d", n)
	}
}

// make1024 returns n times placeEvery records.
func make1024(n int) []Record {
	records := make([]Record, n*placeEvery)
	for i := range records {
		records[i].Type = 1
	}
	return records
}

func TestChainDistinguishesHeadFromBody(t *testing.T) {
	seen := map[hash]string{}
	for _, r := range []Record{
		{Type: 1, Head: []byte("ab"), Body: []byte("c")},
		{Type: 1, Head: []byte("a"), Body: []byte("bc")},
		{Type: 2, Head: []byte("a"), Body: []byte("bc")},
		{Type: 1, Head: []byte("abc")},
	} {
		e := newEncoder(newHeader(7, 0, hash{}, nil))
		e.add(&r)
		if other, twice := seen[e.last]; twice {
			t.Errorf("%q and %q have one chain", other, r.Head)
		}
		seen[e.last] = string(r.Head)
	}
}
