package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
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

// smallLog returns the content of a journal of n records that was closed, and
// where each ends.
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
	const n = 7
	content, ends := smallLog(t, n)
	ends = append(ends, len(content)+1)
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
	closed, ends := smallLog(t, n)
	dropped := diskWith(where, closed)
	j := openOn(t, dropped, Options{})
	must(t, j.Drop(5, []byte("state 5"))) // and it was not closed
	for name, test := range map[string]struct {
		content []byte
		torn    int // from here on a flip may be what a crash left
		left    uint64
	}{
		"closed":         {closed, ends[n], n},
		"not closed":     {closed[:ends[n]], ends[n-1], n - 1},
		"after a drop":   {dropped.files[where].cache, len(dropped.files[where].cache) - frameSize, n},
		"all is dropped": {droppedAll(t, closed), headerSize + len("state 7"), n},
	} {
		t.Run(name, func(t *testing.T) { flipEveryBit(t, test.content, test.torn, test.left) })
	}
}

func droppedAll(t testing.TB, content []byte) []byte {
	t.Helper()
	d := diskWith(where, content)
	must(t, openOn(t, d, Options{}).Drop(7, []byte("state 7")))
	return d.files[where].cache
}

// flipEveryBit checks that all damage before the byte torn is found, and that
// damage behind leaves the records up to left.
func flipEveryBit(t *testing.T, content []byte, torn int, left uint64) {
	t.Helper()
	opened := 0
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
		case errors.As(err, &corrupt) && corrupt.Path == where && corrupt.Offset <= int64(bit/8) && int(corrupt.Offset) < torn:
		case err != nil:
			t.Fatalf("bit %d: %v", bit, err)
		default:
			opened++
			if bit/8 < torn {
				t.Fatalf("bit %d at byte %d of %d looks like a torn record", bit, bit/8, len(content))
			}
			if last := wantWhole(t, j, left); last != left {
				t.Fatalf("bit %d: %d records", bit, last)
			}
		}
	}
	if opened == 0 {
		t.Error("no flip was in the end")
	}
}

func TestAStateThatIsNotWholeIsDamage(t *testing.T) {
	content, _ := smallLog(t, 7)
	content = droppedAll(t, content)
	for _, length := range []int64{-1, math.MinInt64, math.MaxInt64} {
		h := header{state: length}
		var corrupt *CorruptError
		if _, err := Open(where, &Options{disk: diskWith(where, h.encode())}); !errors.As(err, &corrupt) {
			t.Errorf("a state of %d bytes: got %v", length, err)
		}
	}
	for size := headerSize; size < headerSize+len("state 7"); size++ {
		var corrupt *CorruptError
		if _, err := Open(where, &Options{disk: diskWith(where, content[:size])}); !errors.As(err, &corrupt) || !strings.Contains(err.Error(), "state of the dropped records") {
			t.Errorf("%d bytes: got %v", size, err)
		}
	}
}

// A group of which the disk has any of its pages was not acknowledged, so the
// journal opens with what was. In a group before, lost pages are damage.
func TestPagesLostWithThePowerAreNoDamageUntilASyncSaidTheyAreThere(t *testing.T) {
	t.Run("every", func(t *testing.T) { losePages(t, SyncEvery) })
	t.Run("never", func(t *testing.T) { losePages(t, SyncNever) })
}

func losePages(t *testing.T, mode Sync) {
	const page, group = 512, 20
	d := newMemDisk()
	j := openOn(t, d, Options{Sync: mode})
	appendGroup := func() {
		var records []Record
		for range group {
			records = append(records, numbered(j.Last()+uint64(len(records))+1))
		}
		must(t, second(j.Append(records...)))
	}
	must(t, second(grow(j, 3)))
	begin := len(d.files[where].cache)
	appendGroup()
	end := len(d.files[where].cache)
	if mode == SyncNever { // which tells nothing until it syncs
		appendGroup()
		end = len(d.files[where].cache)
		must(t, j.Sync())
	}
	appendGroup()
	content := d.files[where].cache
	random := rand.New(rand.NewPCG(1, 2))
	for lost := range 1 << 8 {
		damaged := bytes.Clone(content)
		for at := begin; at < end; at += page {
			if random.IntN(2+lost%8) == 0 {
				clear(damaged[at:min(at+page, end)])
			}
		}
		if bytes.Equal(damaged, content) {
			continue // it was zeros
		}
		torn := openOn(t, diskWith(where, damaged[:end]), Options{})
		last := wantWhole(t, torn, 3)
		must(t, second(torn.Append(numbered(last+1))))
		wantWhole(t, torn, last+1)
		var corrupt *CorruptError
		if _, err := Open(where, &Options{disk: diskWith(where, damaged)}); !errors.As(err, &corrupt) {
			t.Errorf("got %v", err)
		}
	}
}

func TestDamageIsFoundWhereverTheNextSyncedFrameBegins(t *testing.T) {
	for n := windowSize - frameSize - 70; n < windowSize+2; n++ {
		d := newMemDisk()
		j := openOn(t, d, Options{})
		must(t, second(j.Append(Record{Type: 1, Head: make([]byte, n)})))
		must(t, second(j.Append(numbered(1))))
		clear(d.files[where].cache[headerSize : headerSize+frameSize])
		var corrupt *CorruptError
		if _, err := Open(where, &Options{disk: diskWith(where, d.files[where].cache)}); !errors.As(err, &corrupt) {
			t.Fatalf("%d bytes before: got %v", n, err)
		}
	}
}

func TestAFailedJournalIsCutToWhatItAcknowledgedAndNotSealed(t *testing.T) {
	for _, op := range []string{"write", "sync"} {
		d := newMemDisk()
		j := openOn(t, d, Options{})
		must(t, second(grow(j, 3)))
		whole := len(d.files[where].cache)
		d.fail = func(what string, _ int) error {
			if what == op {
				return errDisk
			}
			return nil
		}
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

func TestATornRecordMayHoldACopyOfItsFile(t *testing.T) {
	content, ends := smallLog(t, 3)
	if h := (header{salt: 7}); h.seed(100) == h.seed(100+1<<32) {
		t.Error("a frame 4 GiB further has the same checksums")
	}
	d := diskWith(where, content)
	j := openOn(t, d, Options{})
	must(t, second(j.Append(Record{Type: 1, Head: content, Body: content})))
	grown := d.files[where].cache
	for size := len(content) + 1; size < len(grown); size += 7 {
		for _, lost := range []int{0, frameSize} { // the fixed part, too
			torn := bytes.Clone(grown[:size])
			clear(torn[len(content):min(len(content)+lost, size)])
			if last := wantWhole(t, openOn(t, diskWith(where, torn), Options{}), 3); last != 3 {
				t.Fatalf("cut at %d of %d, after %v: %d records", size, len(grown), ends, last)
			}
		}
	}
}

// The time a torn record takes is that of reading it, not of trying every byte.
func TestATornRecordIsReadOnce(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	must(t, second(j.Append(Record{Type: 1, Head: bytes.Repeat([]byte{0, 1, 1}, 1<<20)})))
	for _, lost := range []int{0, frameSize} {
		content := bytes.Clone(d.files[where].cache)
		clear(content[headerSize : headerSize+lost])
		content = content[:len(content)-1]
		s, err := newScanner(bytes.NewReader(content), where, int64(len(content)))
		must(t, err)
		counting := &countingReader{r: s.r}
		s.r = counting
		if _, err := s.next(); !errors.Is(err, errShort) {
			t.Errorf("got %v", err)
		}
		if counting.n > 2*len(content) {
			t.Errorf("read %d bytes of %d", counting.n, len(content))
		}
	}
}

type countingReader struct {
	r io.ReaderAt
	n int
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	c.n += len(p)
	return c.r.ReadAt(p, at)
}

func TestARecordThatWasChangedBreaksTheChain(t *testing.T) {
	content, ends := smallLog(t, 4)
	s, err := newScanner(bytes.NewReader(content), where, int64(len(content)))
	must(t, err)
	for err == nil {
		_, err = s.next()
	}
	changed := bytes.Clone(content[:ends[1]]) // the second record changed, with correct checksums
	changed = appendFrame(changed, s.head.seed(int64(ends[1])), &frame{seq: 2, time: noTime, kind: 1}, []byte("record two"), nil)
	changed = append(changed, content[ends[2]:]...)
	_, err = Open(where, &Options{disk: diskWith(where, changed)})
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) || corrupt.Offset != int64(ends[1]) || corrupt.Seq != 1 || !strings.Contains(corrupt.Problem, "chain") {
		t.Errorf("got %v", err)
	}
	for _, seal := range []frame{{seq: 3, chain: s.last}, {seq: 4}} { // of other records
		seal.kind, seal.synced = typeSeal, true
		sealed := appendFrame(bytes.Clone(content[:ends[4]]), s.head.seed(int64(ends[4])), &seal, nil, nil)
		if _, err := Open(where, &Options{disk: diskWith(where, sealed)}); !errors.As(err, &corrupt) || corrupt.Offset != int64(ends[4]) {
			t.Errorf("got %v", err)
		}
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
	older := append([]byte("swarmbus\x01\x00\x00\x00"), make([]byte, 48)...) // shorter than a header is now
	for text, content := range map[string][]byte{
		"version 9, this program reads version 2": newer,
		"version 1, this program reads version 2": older,
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
