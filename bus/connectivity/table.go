package connectivity

import "math/bits"

// A ref is the place of a record in its table; 0 is none. Records refer to each
// other by refs: they take half the room of pointers, and the collector has
// nothing to follow.
type ref uint32

const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
)

// A table holds records, 64 to a chunk, so that few of them cost an allocation
// and none is moved. A place is used again once its record was freed, and the
// memory of a chunk once all were.
type table struct {
	chunks []chunk
	roomy  []uint32 // chunks that are not full; the last one is being filled
	spare  *[chunkSize]record
}

type chunk struct {
	records *[chunkSize]record // nil: none was taken since all were free
	taken   uint64             // places, as bits
}

// at returns the record at a place, nil for none.
func (t *table) at(i ref) *record {
	if i == 0 {
		return nil
	}
	i--
	return &t.chunks[i>>chunkBits].records[i%chunkSize]
}

// add returns an empty record at a place of its own.
func (t *table) add() *record {
	if len(t.roomy) == 0 {
		t.roomy = append(t.roomy, uint32(len(t.chunks)))
		t.chunks = append(t.chunks, chunk{})
	}
	n := t.roomy[len(t.roomy)-1]
	c := &t.chunks[n]
	if c.records == nil {
		c.records, t.spare = t.spare, nil
	}
	if c.records == nil {
		c.records = new([chunkSize]record)
	}
	i := bits.TrailingZeros64(^c.taken)
	c.taken |= 1 << i
	if c.taken == 1<<chunkSize-1 {
		t.roomy = t.roomy[:len(t.roomy)-1]
	}
	r := &c.records[i]
	r.self = ref(n<<chunkBits) + ref(i) + 1
	return r
}

// free takes back the place of a record that nothing refers to.
func (t *table) free(r *record) {
	i := r.self - 1
	n := uint32(i >> chunkBits)
	c := &t.chunks[n]
	if c.taken == 1<<chunkSize-1 {
		t.roomy = append(t.roomy, n)
	}
	*r = record{}
	c.taken &^= 1 << (i % chunkSize)
	if c.taken == 0 { // one is kept, or a signal that comes and goes alone would cost a chunk each time
		t.spare, c.records = c.records, nil
	}
}
