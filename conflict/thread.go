package conflict

import (
	"slices"
	"sort"
)

// thread is the live proposals and open conflicts of one thread.
type thread struct {
	name string
	live []*proposal // in log order, with dead ones between
	head int         // of live: all before are dead
	dead int
	open []*openPair // in order of opening, with ended ones between
	held int         // of open, that have not ended

	// Where looking for the oldest rival begins, for those whom the oldest
	// proposal of all is no rival.
	bySource  map[string]*start
	byContent map[string]*start
	byBoth    map[[2]string]*start
}

// A start is a sequence number before which nothing live is a rival of
// proposals that are alike. That stays true whatever is added or removed, so
// of 10,000 own proposals each is passed once.
type start struct{ from uint64 }

type proposal struct {
	Proposal
	thread *thread
	dead   bool
	pairs  []*openPair // in order of opening, with ended ones between
}

type openPair struct {
	Pair
	ended bool
}

func newThread(name string) *thread {
	t := &thread{name: name}
	t.forgetStarts()
	return t
}

func (t *thread) forgetStarts() {
	t.bySource, t.byContent, t.byBoth = map[string]*start{}, map[string]*start{}, map[[2]string]*start{}
}

func rivals(a, b Proposal) bool {
	return a.Signal != b.Signal && a.Source != b.Source && a.Content != b.Content
}

// add makes p live and returns its oldest rival, nil if it has none.
func (t *thread) add(p *proposal) *proposal {
	t.live = append(t.live, p)
	if oldest := t.oldest(); rivals(oldest.Proposal, p.Proposal) {
		return oldest
	}
	source, content := startOf(t.bySource, p.Source), startOf(t.byContent, p.Content)
	t.pass(source, func(q *proposal) bool { return q.Source == p.Source })
	t.pass(content, func(q *proposal) bool { return q.Content == p.Content })
	both := startOf(t.byBoth, [2]string{p.Source, p.Content})
	both.from = max(both.from, source.from, content.from)
	return t.pass(both, func(q *proposal) bool { return !rivals(q.Proposal, p.Proposal) })
}

func (t *thread) oldest() *proposal {
	for t.live[t.head].dead {
		t.head++
	}
	return t.live[t.head]
}

func startOf[K comparable](starts map[K]*start, k K) *start {
	s := starts[k]
	if s == nil {
		s = &start{}
		starts[k] = s
	}
	return s
}

// pass moves the start behind the proposals that are alike, and returns the
// first that is not.
func (t *thread) pass(s *start, alike func(*proposal) bool) *proposal {
	i := t.head + sort.Search(len(t.live)-t.head, func(i int) bool { return t.live[t.head+i].Seq >= s.from })
	for _, q := range t.live[i:] {
		s.from = q.Seq
		if !q.dead && !alike(q) {
			return q
		}
	}
	return nil
}

// remove takes p out. The dead are cleared away when they are the majority,
// so that each costs a constant share of that, and the starts with them, so
// that these do not outlive what they were made for.
func (t *thread) remove(p *proposal) {
	p.dead = true
	if t.dead++; t.dead > len(t.live)/2 {
		t.live = slices.DeleteFunc(t.live, func(p *proposal) bool { return p.dead })
		t.head, t.dead = 0, 0
		t.forgetStarts()
	}
}

func (t *thread) oppose(a, b *proposal) Pair {
	p := &openPair{Pair: Pair{t.name, a.Proposal, b.Proposal}}
	t.open = append(t.open, p)
	t.held++
	for _, side := range []*proposal{a, b} {
		if len(side.pairs) > 2*t.held {
			side.pairs = withoutEnded(side.pairs)
		}
		side.pairs = append(side.pairs, p)
	}
	return p.Pair
}

// end closes those of the given open conflicts that over picks.
func (t *thread) end(pairs []*openPair, over func(Pair) bool) []Pair {
	var ended []Pair
	for _, p := range pairs {
		if !p.ended && over(p.Pair) {
			p.ended = true
			ended = append(ended, p.Pair)
		}
	}
	if t.held -= len(ended); t.held < len(t.open)/2 {
		t.open = withoutEnded(t.open)
	}
	return ended
}

func withoutEnded(pairs []*openPair) []*openPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p *openPair) bool { return p.ended })
}
