package bus

import "encoding/binary"

// The filters of 64 entries at once: bit i of a mask stands for entry i.
// Eight bytes are compared in one word (Warren, Hacker's Delight, ch. 6),
// which is what makes a scan of a million signals by confidence take a fraction
// of a millisecond instead of eight.

const (
	slots = 64
	full  = ^uint64(0)

	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// equalTo picks the bytes that are v.
func equalTo(b *[slots]uint8, v uint8) (m uint64) {
	for i := 0; i < slots; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:]) ^ uint64(v)*ones
		// The high bit of a byte of y is clear where that byte of x is 0.
		y := (x&^highs + ^uint64(highs)) | x
		m |= gather(^y&highs) << i
	}
	return m
}

// atLeast picks the bytes that are at least v; all are below 128.
func atLeast(b *[slots]uint8, v uint8) (m uint64) {
	for i := 0; i < slots; i += 8 {
		x := (binary.LittleEndian.Uint64(b[i:]) | highs) - uint64(v)*ones
		if x &= highs; x != 0 { // rarely, where few are asked for
			m |= gather(x) << i
		}
	}
	return m
}

// gather packs the high bits of eight bytes into the lowest one.
func gather(x uint64) uint64 { return (x >> 7 * 0x0102040810204080) >> 56 }

// below picks the first n entries.
func below(n int) uint64 {
	if n >= slots {
		return full
	}
	return 1<<max(n, 0) - 1
}
