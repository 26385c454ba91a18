package reports

// recent is a map that keeps the newest entries. The zero value is empty.
type recent[K comparable, V any] struct {
	held  map[K]kept[V]
	order []stamped[K] // oldest first; entries that were put again occur twice
	stamp uint64
}

type kept[V any] struct {
	value V
	stamp uint64
}

type stamped[K comparable] struct {
	key   K
	stamp uint64
}

func (r *recent[K, V]) get(k K) (V, bool) {
	e, ok := r.held[k]
	return e.value, ok
}

// put makes k the newest entry and keeps at most that many entries.
func (r *recent[K, V]) put(k K, v V, most int) {
	if r.held == nil {
		r.held = map[K]kept[V]{}
	}
	r.stamp++
	r.held[k] = kept[V]{v, r.stamp}
	r.order = append(r.order, stamped[K]{k, r.stamp})
	for len(r.held) > most || len(r.order) > 2*most {
		if oldest := r.order[0]; r.held[oldest.key].stamp == oldest.stamp {
			delete(r.held, oldest.key)
		}
		r.order = r.order[1:]
	}
}
