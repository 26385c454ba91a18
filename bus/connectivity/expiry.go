package connectivity

import (
	"cmp"
	"container/heap"
	"slices"
)

// An expiry finds the live records that expire up to a step, at a cost that
// follows their number.
type expiry struct {
	at    map[int][]*record
	steps steps // of buckets; may hold some that are gone, and some twice
}

func (e *expiry) add(r *record) {
	if e.at == nil {
		e.at = map[int][]*record{}
	}
	bucket, there := e.at[r.expires]
	if !there {
		heap.Push(&e.steps, r.expires)
	}
	r.due = int32(len(bucket))
	e.at[r.expires] = append(bucket, r)
}

func (e *expiry) drop(r *record) {
	bucket := e.at[r.expires]
	last := len(bucket) - 1
	bucket[r.due] = bucket[last]
	bucket[r.due].due = r.due
	bucket[last] = nil
	if last == 0 {
		delete(e.at, r.expires)
		return
	}
	e.at[r.expires] = bucket[:last]
}

// due returns the records that expire at step or before, in log order.
func (e *expiry) due(step int) (all []*record) {
	var kept []int
	for len(e.steps) > 0 && e.steps[0] <= step {
		next := heap.Pop(&e.steps).(int)
		if bucket := e.at[next]; len(bucket) > 0 && !slices.Contains(kept, next) {
			all = append(all, bucket...)
			kept = append(kept, next)
		}
	}
	for _, s := range kept {
		heap.Push(&e.steps, s)
	}
	slices.SortFunc(all, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	return all
}

// steps is a heap.
type steps []int

func (s steps) Len() int           { return len(s) }
func (s steps) Less(i, j int) bool { return s[i] < s[j] }
func (s steps) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)        { *s = append(*s, x.(int)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
