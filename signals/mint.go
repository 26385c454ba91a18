package signals

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
	"unique"
)

// A Mint makes the ids of one log: xids whose counter is the low 24 bits of
// the signal's sequence number and whose machine part is the mint's own. So
// the ids of a log never repeat, sort in log order, and lead back to the
// sequence number without a map, whatever the clock does. A Mint must not be
// used concurrently.
type Mint struct {
	origin  unique.Handle[string]
	seconds uint32 // of the last id
	seq     uint64 // of the last id
}

// NewMint returns a mint with a random machine part of 40 bits. Package xid
// would use host and process, but containers made from one image often share
// them, and the logs of one process always do.
func NewMint() *Mint { return newMint(rand.Uint64()) }

// SeededMint returns a mint whose ids depend only on the seed, the sequence
// number and the time, for runs that must repeat exactly. Use the seed to name
// what the ids are for: mints with different seeds collide with probability
// 2^-40.
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

// ID returns the id of the signal with the given sequence number, which must be
// greater than in the previous call. Its second is that of at, the log's clock,
// but never earlier than that of the previous id, and one later when the
// counter wraps within a second. The seconds of an xid end in February 2106:
// once a log's clock has been there its ids keep that last second and repeat
// after 2^24.
func (m *Mint) ID(seq uint64, at time.Time) ID {
	now := uint32(min(max(0, at.Unix()), math.MaxUint32))
	earliest := m.seconds
	if m.seq>>counterBits != seq>>counterBits && earliest < math.MaxUint32 {
		earliest++
	}
	m.seconds = max(earliest, now)
	m.seq = seq
	return ID{m.origin, minted | uint64(m.seconds)<<counterBits | seq&counterMask}
}

// Made reports whether id has the form of this mint's ids. Anybody can write an
// id, so it may never have been given to a signal.
func (m *Mint) Made(id ID) bool { return id.number != 0 && id.origin == m.origin }

// Seq returns the greatest sequence number up to last whose id can be id, and
// whether there is one; for an id of another mint there is none. It is the
// signal's own number if the signal is one of the newest 2^24 up to last.
// Because anybody can write an id, the caller must compare the id of the signal
// that it finds there.
func (m *Mint) Seq(id ID, last uint64) (uint64, bool) {
	if !m.Made(id) {
		return 0, false
	}
	seq := last&^counterMask | id.number&counterMask
	if seq > last {
		if seq <= counterMask {
			return 0, false
		}
		seq -= 1 << counterBits
	}
	return seq, seq > 0
}
