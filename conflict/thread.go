package conflict

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// thread is the live proposals and open conflicts of one thread.
type thread struct {
	name string
	live []Proposal // in log order
	open []Pair     // in order of opening

	// How many live proposals share a source, a content, and both: together
	// they tell whether a rival exists without looking at any.
	bySource  map[string]int
	byContent map[string]int
	byBoth    map[[2]string]int
}

func newThread(name string) *thread {
	return &thread{name: name, bySource: map[string]int{}, byContent: map[string]int{}, byBoth: map[[2]string]int{}}
}

func rivals(a, b Proposal) bool {
	return a.Signal != b.Signal && a.Source != b.Source && a.Content != b.Content
}

func (t *thread) oldestRival(p Proposal) (Proposal, bool) {
	alike := t.bySource[p.Source] + t.byContent[p.Content] - t.byBoth[[2]string{p.Source, p.Content}]
	if alike == len(t.live) {
		return Proposal{}, false
	}
	for _, other := range t.live {
		if rivals(other, p) {
			return other, true
		}
	}
	return Proposal{}, false
}

func (t *thread) add(p Proposal) {
	t.live = append(t.live, p)
	t.bySource[p.Source]++
	t.byContent[p.Content]++
	t.byBoth[[2]string{p.Source, p.Content}]++
}

func (t *thread) remove(id signals.ID) {
	i := slices.IndexFunc(t.live, func(p Proposal) bool { return p.Signal == id })
	p := t.live[i]
	t.live = slices.Delete(t.live, i, i+1)
	drop(t.bySource, p.Source)
	drop(t.byContent, p.Content)
	drop(t.byBoth, [2]string{p.Source, p.Content})
}

// end closes the open conflicts that over picks.
func (t *thread) end(over func(Pair) bool) []Pair {
	var ended []Pair
	t.open = slices.DeleteFunc(t.open, func(p Pair) bool {
		if !over(p) {
			return false
		}
		ended = append(ended, p)
		return true
	})
	return ended
}

func drop[K comparable](counts map[K]int, k K) {
	if counts[k]--; counts[k] == 0 {
		delete(counts, k)
	}
}
