package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// A file is a header, the state of the dropped records, and frames. All numbers
// are little endian. A frame holds a record, a large body that records refer to
// by its hash, or nothing (a seal):
//
//	 0  sum of bytes 4 to 68, CRC-32C
//	 4  sum of head and body, CRC-32C
//	 8  length of the head
//	12  length of the body
//	16  sequence number; of other frames than records, that of the record before
//	24  time in nanoseconds since 1970; the least number: none
//	32  type: a record's, or one of those below
//	33  1: the body is the SHA-256 of a large body in a frame before
//	34  1: what is before this frame was on the disk when it was written
//	35  zero
//	36  chain: SHA-256 of the chain of the record before, bytes 8 to 34, head
//	    and body; of a large body, its own SHA-256
//	68  head, body
//
// Checksums start from the file's salt and the frame's offset instead of zero,
// so that no record can contain bytes that look like a frame of the same file at
// that place, not even a copy of the file. The chain depends on neither, so a
// copy made by export and import has the same chain.
//
// The disk may have any part of what was written since the last sync. Byte 34
// tells this from damage: it is set in the first frame of every group that
// follows a sync, and in the seal that ends a file that was closed, imported, or
// rewritten by a Drop. Where it is missing, sectors tell: see [scanner.judge]. No
// crash moves bytes: a frame in another place than its checksums say is damage.
const (
	frameSize = 68

	typeLarge = 254
	typeSeal  = 255
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
	synced       bool // what is before it was on the disk
	chain        hash
}

func (f *frame) isRecord() bool { return f.kind >= 1 && f.kind <= maxType }

// size is the length of head and body.
func (f *frame) size() int64 { return int64(f.head) + int64(f.body) }

// appendFrame appends a frame to dst and sets its lengths and chain. For
// records, chain has to be that of the previous record; for others it is written
// unchanged. The checksums start from seed.
func appendFrame(dst []byte, seed uint32, f *frame, head, body []byte) []byte {
	f.head, f.body = uint32(len(head)), uint32(len(body))
	start := len(dst)
	dst = append(dst, make([]byte, frameSize)...)
	dst = append(append(dst, head...), body...)
	fixed, data := dst[start:start+frameSize], dst[start+frameSize:]
	binary.LittleEndian.PutUint32(fixed[4:], crc32.Update(seed, castagnoli, data))
	binary.LittleEndian.PutUint32(fixed[8:], f.head)
	binary.LittleEndian.PutUint32(fixed[12:], f.body)
	binary.LittleEndian.PutUint64(fixed[16:], f.seq)
	binary.LittleEndian.PutUint64(fixed[24:], uint64(f.time))
	fixed[32] = f.kind
	if f.large {
		fixed[33] = 1
	}
	if f.synced {
		fixed[34] = 1
	}
	if f.isRecord() {
		f.chain = link(f.chain, fixed, data)
	}
	copy(fixed[36:], f.chain[:])
	binary.LittleEndian.PutUint32(fixed, crc32.Update(seed, castagnoli, fixed[4:]))
	return dst
}

// setSynced sets synced in an encoded frame.
func setSynced(fixed []byte, seed uint32) {
	fixed[34] = 1
	binary.LittleEndian.PutUint32(fixed, crc32.Update(seed, castagnoli, fixed[4:frameSize]))
}

// link returns the chain after a record.
func link(before hash, fixed, data []byte) (after hash) {
	var room [1 << 10]byte // a single call of the hash for small records is 2.5 times as fast
	all := append(append(append(room[:0], before[:]...), fixed[8:34]...), data...)
	return sha256.Sum256(all)
}

// parseFrame decodes the fixed part of a frame and reports whether its checksum
// is right.
func parseFrame(seed uint32, fixed []byte) (f frame, ok bool) {
	f, ok = decodeFrame(fixed)
	return f, ok && f.sum == crc32.Update(seed, castagnoli, fixed[4:frameSize])
}

// decodeFrame decodes the fixed part of a frame and reports whether it has the form
// of one.
func decodeFrame(fixed []byte) (f frame, ok bool) {
	if fixed[35] != 0 || fixed[33] > 1 || fixed[34] > 1 {
		return f, false
	}
	f.sum = binary.LittleEndian.Uint32(fixed)
	f.bodySum = binary.LittleEndian.Uint32(fixed[4:])
	f.head = binary.LittleEndian.Uint32(fixed[8:])
	f.body = binary.LittleEndian.Uint32(fixed[12:])
	f.seq = binary.LittleEndian.Uint64(fixed[16:])
	f.time = int64(binary.LittleEndian.Uint64(fixed[24:]))
	f.kind, f.large, f.synced = fixed[32], fixed[33] == 1, fixed[34] == 1
	copy(f.chain[:], fixed[36:])
	return f, true
}

// seedOf returns the seed with which the checksum of a fixed part is right. It runs
// the checksum backwards.
func seedOf(fixed []byte) uint32 {
	sum := ^binary.LittleEndian.Uint32(fixed)
	for _, b := range slices.Backward(fixed[4:frameSize]) {
		i := byTop[sum>>24]
		sum = (sum^castagnoli[i])<<8 | uint32(i^b)
	}
	return ^sum
}

// byTop is the index of the entry of castagnoli that has a byte at its top.
var byTop = func() (index [256]byte) {
	for i, entry := range castagnoli {
		index[entry>>24] = byte(i)
	}
	return index
}()

// The header:
//
//	 0  magic
//	 8  format version
//	12  salt
//	16  last record that was dropped
//	24  chain of that record
//	56  length of the state
//	64  chain before the first record: SHA-256 of bytes 16 to 64 and the state;
//	    zero if nothing was dropped
//	96  sum of the bytes before, CRC-32C
//	100 state
const (
	headerSize    = 100
	formatVersion = 2
	magic         = "swarmbus"
)

type header struct {
	salt    uint32
	through uint64
	dropped hash  // chain of the record through
	state   int64 // length
	chain   hash  // before the first record
}

// newHeader returns the header of a journal that dropped the records up to
// through, if that is not 0.
func newHeader(salt uint32, through uint64, dropped hash, state []byte) header {
	h := header{salt: salt, through: through, dropped: dropped, state: int64(len(state))}
	if through > 0 {
		h.chain = h.link(state)
	}
	return h
}

// link returns the chain before the first record.
func (h *header) link(state []byte) hash {
	return sha256.Sum256(append(h.encode()[16:64:64], state...))
}

// size is the length of the header and the state.
func (h *header) size() int64 { return headerSize + h.state }

// seed is what the checksums of a frame start from.
func (h *header) seed(offset int64) uint32 {
	return h.salt + uint32(offset) + uint32(offset>>32)*0x9e3779b1
}

func (h *header) encode() []byte {
	dst := append(make([]byte, 0, headerSize), magic...)
	dst = binary.LittleEndian.AppendUint32(dst, formatVersion)
	dst = binary.LittleEndian.AppendUint32(dst, h.salt)
	dst = binary.LittleEndian.AppendUint64(dst, h.through)
	dst = append(dst, h.dropped[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.state))
	dst = append(dst, h.chain[:]...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli))
}

// checkFormat returns a [*FormatError] without a path unless data, which may be
// a part of it, begins a header of this version.
func checkFormat(data []byte) error {
	if n := min(len(data), len(magic)); string(data[:n]) != magic[:n] {
		return &FormatError{}
	}
	if len(data) >= 12 {
		if v := binary.LittleEndian.Uint32(data[8:]); v != formatVersion {
			return &FormatError{Version: v}
		}
	}
	return nil
}

// parseHeader returns a [*FormatError] or [*CorruptError] without a path.
func parseHeader(data []byte) (h header, err error) {
	if err := checkFormat(data); err != nil {
		return h, err
	}
	if binary.LittleEndian.Uint32(data[96:]) != crc32.Checksum(data[:96], castagnoli) {
		return h, &CorruptError{Problem: "the header's checksum is wrong"}
	}
	h.salt = binary.LittleEndian.Uint32(data[12:])
	h.through = binary.LittleEndian.Uint64(data[16:])
	copy(h.dropped[:], data[24:])
	h.state = int64(binary.LittleEndian.Uint64(data[56:]))
	copy(h.chain[:], data[64:])
	return h, nil
}
