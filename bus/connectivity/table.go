package connectivity

import "math/bits"

// A ref is the index of a record in its table; 0 is none. Records refer to each
// other by refs, which take half the space of pointers and need no work from
// the garbage collector.
type ref uint32

const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
)

// A table holds records in chunks of 64, so that most need no allocation and
// none is moved. An index is reused once its record is freed, and the memory of
// a chunk is released once all its records are.
type table struct {
	chunks []chunk
	roomy  []uint32 // chunks that are not full; the last one is being filled
	spare  *[chunkSize]record
}

type chunk struct {
	records *[chunkSize]record // nil: all free
	taken   uint64             // indices in use, as bits
}

// at returns the record with an index, or nil for 0.
func (t *table) at(i ref) *record {
	if i == 0 {
		return nil
	}
	i--
	return &t.chunks[i>>chunkBits].records[i%chunkSize]
}

// add returns a new empty record.
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

// free frees a record, which nothing may refer to any more.
func (t *table) free(r *record) {
	i := r.self - 1
	n := uint32(i >> chunkBits)
	c := &t.chunks[n]
	if c.taken == 1<<chunkSize-1 {
		t.roomy = append(t.roomy, n)
	}
	*r = record{}
	c.taken &^= 1 << (i % chunkSize)
	if c.taken == 0 { // one is kept, or a single signal that comes and goes would allocate a chunk each time
		t.spare, c.records = c.records, nil
	}
}
