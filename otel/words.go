package otel

import "sync"

const (
	maxWords = 1000
	other    = "other"
)

// words bounds the number of distinct words in span names and metric
// attributes: a new one beyond the bound is replaced by "other". The zero value
// is ready.
type words struct {
	mu    sync.RWMutex // protects known
	known map[string]bool
}

func (w *words) few(word string) string {
	w.mu.RLock()
	known, full := w.known[word], len(w.known) >= maxWords
	w.mu.RUnlock()
	switch {
	case known:
		return word
	case full:
		return other
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[word] = true
	return word
}
