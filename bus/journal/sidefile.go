package journal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
)

// Beside a journal may be its index, with the suffix ".index":
//
//	 0  magic
//	 8  header of the journal
//	108 end of the indexed records, sequence number and chain of the last one
//	156 kinds, threads, large bodies, records; numbers are varints
//	    sum of the bytes before, CRC-32C
//
// It is made by those that read the journal, and made again when it is missing, damaged, or not of the
// journal as it is: two that write it at once leave one that the next reader makes again.
const (
	indexMagic  = "swarmidx"
	indexSuffix = ".index"
	// indexEvery is how much of a journal may be without an index: reading it takes some milliseconds.
	indexEvery = 1 << 20
)

// loadIndex returns the index beside the journal, or one with nothing.
func (v *View) loadIndex(r *reading) *index {
	data, err := os.ReadFile(v.path + indexSuffix)
	if err != nil {
		return newIndex(v, r)
	}
	x := newIndex(v, r)
	if !x.decode(data) || !x.fits(r) {
		return newIndex(v, r)
	}
	return x
}

// save writes the index beside the journal, unless there is a file that is none. If that fails, the next
// reader makes one.
func (x *index) save() {
	f, err := os.OpenFile(x.path+indexSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	begins := make([]byte, len(indexMagic))
	if n, _ := f.ReadAt(begins, 0); string(begins[:n]) != indexMagic[:n] {
		return
	}
	data := x.encode()
	if n, err := f.WriteAt(data, 0); err == nil {
		_ = f.Truncate(int64(n))
	}
}

func (x *index) encode() []byte {
	dst := append(make([]byte, 0, 1<<16+8*len(x.records)), indexMagic...)
	dst = append(dst, x.head.encode()...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(x.offset))
	dst = binary.LittleEndian.AppendUint64(dst, x.seq)
	dst = append(dst, x.chain[:]...)
	for _, names := range [][]string{x.kinds.all, x.threads.all} {
		dst = binary.AppendUvarint(dst, uint64(len(names)))
		for _, name := range names {
			dst = append(binary.AppendUvarint(dst, uint64(len(name))), name...)
		}
	}
	dst = x.encodeBodies(dst)
	dst = binary.AppendUvarint(dst, uint64(len(x.records)))
	before := int64(0)
	for _, r := range x.records {
		dst = binary.AppendUvarint(dst, uint64(r.offset-before))
		dst = binary.AppendUvarint(dst, uint64(r.kind))
		dst = binary.AppendUvarint(dst, uint64(r.thread))
		before = r.offset
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli))
}

// encodeBodies appends the large bodies that the indexed records may have.
func (x *index) encodeBodies(dst []byte) []byte {
	x.bodies.mu.Lock()
	defer x.bodies.mu.Unlock()
	n := 0
	var all []byte
	for name, at := range x.bodies.all {
		if at.offset < x.offset {
			all = binary.AppendUvarint(append(all, name[:]...), uint64(at.offset))
			all = binary.AppendUvarint(all, uint64(at.size))
			n++
		}
	}
	return append(binary.AppendUvarint(dst, uint64(n)), all...)
}

// decode reads an index, and reports whether it is whole.
func (x *index) decode(data []byte) bool {
	sum := len(data) - 4
	if sum < 0 || crc32.Checksum(data[:sum], castagnoli) != binary.LittleEndian.Uint32(data[sum:]) {
		return false
	}
	d := &decoding{rest: data[:sum]}
	if string(d.take(len(indexMagic))) != indexMagic {
		return false
	}
	head, err := parseHeader(d.take(headerSize))
	if d.short || err != nil {
		return false
	}
	x.head = head
	x.offset, x.seq = int64(d.fixed()), d.fixed()
	copy(x.chain[:], d.take(len(x.chain)))
	for _, names := range []*names{&x.kinds, &x.threads} {
		for range d.count(1) {
			names.number(string(d.take(d.count(1))))
		}
	}
	for range d.count(len(hash{}) + 2) {
		var name hash
		copy(name[:], d.take(len(name)))
		x.bodies.add(name, span{int64(d.number()), int(d.number())})
	}
	n := d.count(3)
	x.records = make([]indexed, 0, n)
	at := int64(0)
	for range n {
		at += int64(d.number())
		x.records = append(x.records, indexed{at, d.below(len(x.kinds.all)), d.below(len(x.threads.all))})
	}
	return !d.short && len(d.rest) == 0
}

// A decoding reads what is encoded; short is set when that is not there.
type decoding struct {
	rest  []byte
	short bool
}

// take returns the next n bytes, or zeros.
func (d *decoding) take(n int) []byte {
	if n > len(d.rest) {
		d.short, d.rest = true, nil
		return bytes.Repeat([]byte{0}, min(n, headerSize))
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoding) fixed() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *decoding) number() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.short, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count returns a number of things that have some bytes each at least.
func (d *decoding) count(each int) int {
	n := d.number()
	if n > uint64(len(d.rest)/each) {
		d.short, d.rest = true, nil
		return 0
	}
	return int(n)
}

// below returns a number below n.
func (d *decoding) below(n int) uint32 {
	i := d.number()
	if i >= uint64(n) {
		d.short = true
		return 0
	}
	return uint32(i)
}
