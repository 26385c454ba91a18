package otel

import "sync"

const (
	maxWords = 1000
	other    = "other"
)

// words are those that became part of a span's name or a metric's attributes.
// There must be few of them, so beyond a bound every new one is "other". The
// zero value is ready.
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
