package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
)

// A file is a header followed by frames. All numbers are little endian. A frame
// holds a record, a large body that records refer to by its hash, or the
// snapshot:
//
//	 0  sum of bytes 4 to 68, CRC-32C
//	 4  sum of head and body, CRC-32C
//	 8  length of the head
//	12  length of the body
//	16  sequence number; of other frames than records, that of the record before
//	24  time in nanoseconds since 1970; the least number: none
//	32  type: a record's, or one of those below
//	33  1: the body is the SHA-256 of a large body in a frame before
//	34  zero
//	36  chain: SHA-256 of the chain of the record before, bytes 8 to 34, head
//	    and body; of a large body, its own SHA-256
//	68  head, body
//
// Checksums start from the file's salt instead of zero, so that no record can
// contain bytes that look like a frame of the same file. The chain does not
// depend on the salt, so a copy made by export and import has the same chain.
const (
	frameSize = 68

	typeLarge    = 254
	typeSnapshot = 255
)

type hash = Chain

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A frame is the decoded fixed part of a frame.
type frame struct {
	sum, bodySum uint32
	head, body   uint32 // lengths
	seq          uint64
	time         int64
	kind         byte
	large        bool // the body is the hash of a large one
	chain        hash
}

func (f *frame) isRecord() bool { return f.kind >= 1 && f.kind <= maxType }

// size is the length of head and body.
func (f *frame) size() int64 { return int64(f.head) + int64(f.body) }

// appendFrame encodes a frame and returns its chain. For records, chain is that
// of the previous record; for others it is written unchanged.
func appendFrame(dst []byte, salt uint32, f *frame, head, body []byte) []byte {
	f.head, f.body = uint32(len(head)), uint32(len(body))
	start := len(dst)
	dst = append(dst, make([]byte, frameSize)...)
	dst = append(append(dst, head...), body...)
	fixed, data := dst[start:start+frameSize], dst[start+frameSize:]
	binary.LittleEndian.PutUint32(fixed[4:], crc32.Update(salt, castagnoli, data))
	binary.LittleEndian.PutUint32(fixed[8:], f.head)
	binary.LittleEndian.PutUint32(fixed[12:], f.body)
	binary.LittleEndian.PutUint64(fixed[16:], f.seq)
	binary.LittleEndian.PutUint64(fixed[24:], uint64(f.time))
	fixed[32] = f.kind
	if f.large {
		fixed[33] = 1
	}
	if f.isRecord() {
		f.chain = link(f.chain, fixed, data)
	}
	copy(fixed[36:], f.chain[:])
	binary.LittleEndian.PutUint32(fixed, crc32.Update(salt, castagnoli, fixed[4:]))
	return dst
}

// link returns the chain after a record.
func link(before hash, fixed, data []byte) (after hash) {
	var room [1 << 10]byte // a single call of the hash for small records is 2.5 times as fast
	all := append(append(append(room[:0], before[:]...), fixed[8:34]...), data...)
	return sha256.Sum256(all)
}

// parseFrame decodes the fixed part of a frame and reports whether its checksum
// is right.
func parseFrame(salt uint32, fixed []byte) (f frame, ok bool) {
	f.sum = binary.LittleEndian.Uint32(fixed)
	if f.sum != crc32.Update(salt, castagnoli, fixed[4:frameSize]) {
		return f, false
	}
	f.bodySum = binary.LittleEndian.Uint32(fixed[4:])
	f.head = binary.LittleEndian.Uint32(fixed[8:])
	f.body = binary.LittleEndian.Uint32(fixed[12:])
	f.seq = binary.LittleEndian.Uint64(fixed[16:])
	f.time = int64(binary.LittleEndian.Uint64(fixed[24:]))
	f.kind, f.large = fixed[32], fixed[33] == 1
	copy(f.chain[:], fixed[36:])
	return f, fixed[33] <= 1 && fixed[34] == 0 && fixed[35] == 0
}

// The header:
//
//	 0  magic
//	 8  format version
//	12  salt
//	16  last record that was dropped
//	24  chain of that record
//	56  sum of the bytes before, CRC-32C
const (
	headerSize    = 60
	formatVersion = 1
	magic         = "swarmbus"
)

type header struct {
	salt    uint32
	through uint64
	chain   hash
}

func (h *header) encode() []byte {
	dst := append(make([]byte, 0, headerSize), magic...)
	dst = binary.LittleEndian.AppendUint32(dst, formatVersion)
	dst = binary.LittleEndian.AppendUint32(dst, h.salt)
	dst = binary.LittleEndian.AppendUint64(dst, h.through)
	dst = append(dst, h.chain[:]...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli))
}

// parseHeader returns a [*FormatError] or [*CorruptError] without a path.
func parseHeader(data []byte) (h header, err error) {
	if string(data[:8]) != magic {
		return h, &FormatError{}
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != formatVersion {
		return h, &FormatError{Version: v}
	}
	if binary.LittleEndian.Uint32(data[56:]) != crc32.Checksum(data[:56], castagnoli) {
		return h, &CorruptError{Problem: "the header's checksum is wrong"}
	}
	h.salt = binary.LittleEndian.Uint32(data[12:])
	h.through = binary.LittleEndian.Uint64(data[16:])
	copy(h.chain[:], data[24:])
	return h, nil
}
