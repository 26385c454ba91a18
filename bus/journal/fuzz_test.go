package journal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// FuzzReader reads arbitrary bytes: the reader does not panic, it terminates,
// and a log that it accepts is written again unchanged. With mend, checksums
// are corrected first, so that the code behind them is reached.
func FuzzReader(f *testing.F) {
	content, ends := smallLog(f, 4)
	f.Add(content, false)
	f.Add(content[:ends[3]+40], true)
	f.Add(content[ends[3]:], true)
	f.Add(bytes.Repeat([]byte{0}, 200), true)
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		if mend {
			data = mended(data)
		}
		s, err := newScanner(bytes.NewReader(data), where, int64(len(data)))
		if err != nil {
			return
		}
		var records []Record
		before := s.pos
		for r, err := s.next(); err == nil; r, err = s.next() {
			if r.Seq != s.head.through+uint64(len(records))+1 || s.pos <= before || s.pos > s.end {
				t.Fatalf("record %d at %d, after %d records and %d bytes", r.Seq, s.pos, len(records), before)
			}
			records, before = append(records, r), s.pos
		}
		if _, err := s.next(); err == nil {
			t.Fatal("it went on after an error")
		}
		e := encoder{head: s.head, seq: s.head.through, last: s.head.chain, bodies: newBodies()}
		for i := range records {
			e.add(&records[i])
		}
		if e.last != s.last && !shortLarge(data, s) {
			t.Fatal("the same records have another chain")
		}
	})
}

// shortLarge reports whether some small body is stored in a frame of its own,
// which only a forger does.
func shortLarge(data []byte, s *scanner) bool {
	for _, at := range s.bodies.all {
		if at.size < LargeBody {
			return true
		}
	}
	return len(data) > 2*LargeBody
}

// mended corrects the checksums and the chain of everything that looks like a
// frame.
func mended(data []byte) []byte {
	h := newHeader(7, 0, hash{}, nil)
	out := h.encode()
	seq, chain := uint64(0), hash{}
	for len(data) >= frameSize {
		fixed := bytes.Clone(data[:frameSize])
		data = data[frameSize:]
		head := min(int(fixed[8]), len(data))
		body := min(int(binary.LittleEndian.Uint16(fixed[12:])), len(data)-head)
		binary.LittleEndian.PutUint32(fixed[8:], uint32(head))
		binary.LittleEndian.PutUint32(fixed[12:], uint32(body))
		content := data[:head+body]
		data = data[head+body:]
		if fixed[32] >= 1 && fixed[32] <= maxType {
			seq++
			binary.LittleEndian.PutUint64(fixed[16:], seq)
			chain = link(chain, fixed, content)
			copy(fixed[36:], chain[:])
		}
		seed := h.seed(int64(len(out)))
		binary.LittleEndian.PutUint32(fixed[4:], crc32.Update(seed, castagnoli, content))
		binary.LittleEndian.PutUint32(fixed, crc32.Update(seed, castagnoli, fixed[4:]))
		out = append(append(out, fixed...), content...)
	}
	return append(out, data...)
}
