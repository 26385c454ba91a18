package journal

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

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
	d := newMemDisk()
	j = openOn(t, d, Options{Sync: SyncNever})
	for seq := range uint64(n) {
		must(t, second(j.Append(numbered(seq+1))))
	}
	for name, content := range map[string][]byte{
		"closed": closed, "not closed": closed[:ends[n]], "after a drop": dropped.files[where].cache,
		"all is dropped": droppedAll(t, closed), "never synced": d.files[where].cache,
	} {
		t.Run(name, func(t *testing.T) { flipEveryBit(t, content) })
	}
}

func droppedAll(t testing.TB, content []byte) []byte {
	t.Helper()
	d := diskWith(where, content)
	must(t, openOn(t, d, Options{}).Drop(7, []byte("state 7")))
	return d.files[where].cache
}

// flipEveryBit checks that all damage is found that leaves the end of its sector
// as it was.
func flipEveryBit(t *testing.T, content []byte) {
	t.Helper()
	for bit := 0; bit < 8*len(content); bit++ {
		if bit%512 > 0 && dull(content, bit/8) {
			continue
		}
		damaged := bytes.Clone(content)
		damaged[bit/8] ^= 1 << (bit % 8)
		_, err := Open(where, &Options{disk: diskWith(where, damaged)})
		var corrupt *CorruptError
		var format *FormatError
		switch {
		case errors.As(err, &format) && bit/8 < 12:
		case errors.As(err, &corrupt) && corrupt.Path == where && corrupt.Offset <= int64(bit/8):
		case (bit/8+1)%sectorSize == 0 && damaged[bit/8] == 0:
		default:
			t.Fatalf("bit %d at byte %d of %d: %v", bit, bit/8, len(content), err)
		}
	}
}

// In the last group, a sector that ends in a zero may be one that the disk does not
// have. A signal after a sync proves that the earlier ones were synced.
func TestASectorOfZerosIsDamageOnlyWhereASyncSaidThatItIsThere(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	must(t, second(j.Append(numbered(1))))
	begin := len(d.files[where].cache)
	large := Record{Type: 1, Head: bytes.Repeat([]byte("h"), 5*sectorSize)}
	must(t, second(j.Append(large, numbered(2))))
	content := d.files[where].cache
	for at := begin; at < begin+len(large.Head); at++ {
		damaged := bytes.Clone(content)
		end := min((at/sectorSize+1)*sectorSize, len(content))
		clear(damaged[at:end]) // as if at most the beginning was written
		if bytes.Equal(damaged, content) {
			continue
		}
		if last := openOn(t, diskWith(where, damaged), Options{}).Last(); last != 1 {
			t.Fatalf("zeros in %d to %d: %d records are left", at, end, last)
		}
		var corrupt *CorruptError
		damaged[end-1] = 'h' // the sector is there
		if _, err := Open(where, &Options{disk: diskWith(where, damaged)}); at < end-1 && !errors.As(err, &corrupt) {
			t.Fatalf("zeros in %d to %d: got %v", at, end-1, err)
		}
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
		for at := begin - begin%page; at < end; at += page {
			if random.IntN(2+lost%8) == 0 {
				clear(damaged[max(at, begin):min(at+page, end)])
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

// A reader of an open journal knows that the disk had everything that was acknowledged.
func TestAcknowledgedRecordsDamagedUnderAReaderAreNoEnd(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	j := openOn(t, d, Options{})
	must(t, second(j.Append(numbered(1))))
	before := len(d.files[where].cache)
	must(t, second(j.Append(numbered(2))))
	clear(d.files[where].cache[before:]) // as a crash would leave a torn record
	var last uint64
	for r, err := range j.Read(0) {
		var corrupt *CorruptError
		switch {
		case err == nil:
			last = r.Seq
			continue
		case !errors.As(err, &corrupt) || corrupt.Seq != 1 || last != 1:
			t.Errorf("after record %d: %v", last, err)
		}
		return
	}
	t.Errorf("reading ended without an error after record %d", last)
}
