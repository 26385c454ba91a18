package reports

import "slices"

// recent is a map that keeps the newest entries. The zero value is empty.
type recent[K comparable, V any] struct {
	held  map[K]V
	order []K // oldest first
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.held[k]
	return v, ok
}

// put makes k the newest entry and keeps at most that many entries.
func (r *recent[K, V]) put(k K, v V, most int) {
	if r.held == nil {
		r.held = map[K]V{}
	}
	if _, again := r.held[k]; again {
		i := slices.Index(r.order, k)
		r.order = slices.Delete(r.order, i, i+1)
	}
	r.held[k], r.order = v, append(r.order, k)
	if len(r.order) > most {
		delete(r.held, r.order[0])
		r.order = r.order[1:]
	}
}
