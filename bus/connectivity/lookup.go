package connectivity

// small is a capacity that need not be given back.
const small = 1024

// A lookup is a map that gives its memory back: Go's maps never shrink, so a map
// that has lost three quarters of its largest size is made anew, which costs
// less than the deletions before it. The zero value is empty.
type lookup[K comparable, V any] struct {
	m    map[K]V
	most int
}

func (l *lookup[K, V]) get(k K) V { return l.m[k] }

func (l *lookup[K, V]) set(k K, v V) {
	if l.m == nil {
		l.m = map[K]V{}
	}
	l.m[k] = v
	l.most = max(l.most, len(l.m))
}

func (l *lookup[K, V]) delete(k K) {
	delete(l.m, k)
	if l.most <= small || len(l.m) > l.most/4 {
		return
	}
	old := l.m
	l.m, l.most = make(map[K]V, len(old)), len(old)
	for k, v := range old {
		l.m[k] = v
	}
}
