package journal

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

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
		for _, lost := range []int{0, 1} { // sectors: the fixed part, too
			torn := bytes.Clone(grown[:size])
			clear(torn[len(content):max(len(content), min((len(content)/sectorSize+lost)*sectorSize, size))])
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
	for _, lost := range []int{headerSize, sectorSize} {
		content := bytes.Clone(d.files[where].cache)
		clear(content[headerSize:lost])
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
