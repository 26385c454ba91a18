package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// An encoder encodes records as consecutive frames.
type encoder struct {
	head   header
	seq    uint64 // of the newest record
	last   hash   // its chain
	size   int64  // of the file including everything encoded
	sealed int64  // where the last seal ends; 0: there is none
	bodies *bodies
	index  []place
	buf    []byte
}

func newEncoder(h header) *encoder {
	return &encoder{head: h, seq: h.through, last: h.chain, size: h.size(), bodies: newBodies()}
}

func newSalt() uint32 {
	var salt [4]byte
	_, _ = rand.Read(salt[:]) // never fails
	return binary.LittleEndian.Uint32(salt[:])
}

// seal encodes a frame that says that everything before is on the disk.
func (e *encoder) seal() {
	e.frame(&frame{seq: e.seq, time: noTime, kind: typeSeal, synced: true, chain: e.last}, nil, nil)
	e.sealed = e.size
}

// A place is an offset at which a reader may start.
type place struct {
	offset int64
	seq    uint64 // of the previous record
	chain  hash   // its chain
}

// placeEvery is the number of records between places.
const placeEvery = 1 << 10

// mark records a place.
func (e *encoder) mark() {
	if (e.seq-e.head.through)%placeEvery != 0 {
		return
	}
	if n := len(e.index); n == 0 || e.index[n-1].seq < e.seq {
		e.index = append(e.index, place{e.size, e.seq, e.last})
	}
}

// add encodes the next record, preceded by its body if that is large and new.
func (e *encoder) add(r *Record) {
	e.mark()
	f := frame{seq: e.seq + 1, time: nanos(r.Time), kind: byte(r.Type), chain: e.last}
	body := r.Body
	if len(body) >= LargeBody {
		name := sha256.Sum256(body)
		if _, known := e.bodies.find(name); !known {
			e.bodies.add(name, span{e.size + frameSize, len(body)})
			e.frame(&frame{seq: e.seq, kind: typeLarge, chain: name}, nil, body)
		}
		f.large, body = true, name[:]
	}
	e.frame(&f, r.Head, body)
	e.seq, e.last = f.seq, f.chain
}

func (e *encoder) frame(f *frame, head, body []byte) {
	before := len(e.buf)
	e.buf = appendFrame(e.buf, e.head.seed(e.size), f, head, body)
	e.size += int64(len(e.buf) - before)
}

// bodies holds the offsets of the large bodies in one file.
type bodies struct {
	mu  sync.Mutex // protects the field below
	all map[hash]span
}

// A span is a part of a file.
type span struct {
	offset int64
	size   int
}

func newBodies() *bodies { return &bodies{all: map[hash]span{}} }

func (b *bodies) add(name hash, at span) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[name] = at
}

func (b *bodies) find(name hash) (span, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.all[name]
	return at, ok
}
