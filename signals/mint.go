package signals

import (
	"encoding/binary"
	"hash/fnv"
	"time"
	"unique"

	"github.com/rs/xid"
)

// A Mint makes the ids of one log: xids whose counter is the low 24 bits of
// the signal's sequence number and whose machine part is the mint's own. So
// the ids of a log never repeat, sort in log order, and lead back to the
// sequence number without a map. A Mint must not be used concurrently.
type Mint struct {
	origin  unique.Handle[string]
	seconds uint32 // of the last id
	seq     uint64 // of the last id
}

// NewMint returns a mint with a machine part that no other process has: that
// of package xid, with its counter mixed in so that mints of one process
// differ.
func NewMint() *Mint {
	x := xid.New()
	return newMint(binary.BigEndian.Uint64(x[4:12]))
}

// SeededMint returns a mint whose ids depend on nothing but seed, sequence
// number and time, for runs that must repeat exactly. Name what the ids are
// for: mints with different seeds differ.
func SeededMint(seed ...string) *Mint {
	h := fnv.New64a()
	for _, s := range seed {
		// Length first, so that ("a", "bc") and ("ab", "c") differ.
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return newMint(h.Sum64())
}

func newMint(bits uint64) *Mint {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], mix(bits))
	return &Mint{origin: unique.Make(string(b[:5]))}
}

// mix spreads bits evenly (the finalizer of SplitMix64, Steele et al. 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ID returns the id of the signal with the given sequence number, which must
// be greater than that of the call before.
func (m *Mint) ID(seq uint64, at time.Time) ID {
	now := uint32(max(0, at.Unix()))
	if m.seq>>counterBits != seq>>counterBits && now <= m.seconds {
		// The counter wrapped within a second: borrow the next one.
		now = m.seconds + 1
	}
	m.seconds = max(m.seconds, now)
	m.seq = seq
	return ID{m.origin, minted | uint64(m.seconds)<<counterBits | seq&(1<<counterBits-1)}
}

// Seq returns the greatest sequence number up to last that the id with that
// counter can have, and whether this mint made the id at all. The caller
// compares the id of the signal it finds there.
func (m *Mint) Seq(id ID, last uint64) (uint64, bool) {
	if id.number == 0 || id.origin != m.origin {
		return 0, false
	}
	const mask = 1<<counterBits - 1
	seq := last&^mask | id.number&mask
	if seq > last {
		if seq <= mask {
			return 0, false
		}
		seq -= mask + 1
	}
	return seq, seq > 0
}
