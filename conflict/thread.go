package conflict

import (
	"slices"
	"sort"
)

// thread is the live proposals and open conflicts of one thread.
type thread struct {
	name string
	live []*proposal // in log order, with dead ones between
	dead int
	open []*openPair // in order of opening, with ended ones between
	held int         // of open, that have not ended

	// The live proposals that share a source, a content, and both: their
	// numbers tell whether a rival exists without looking at any.
	bySource  map[string]*group
	byContent map[string]*group
	byBoth    map[[2]string]*group
}

// A group is live proposals that are alike. No proposal before from is a
// rival of one of them, so that looking for the oldest rival goes on where it
// ended: of 10,000 own proposals each is passed once.
type group struct {
	n    int
	from uint64
}

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
	return &thread{name: name, bySource: map[string]*group{}, byContent: map[string]*group{}, byBoth: map[[2]string]*group{}}
}

func rivals(a, b Proposal) bool {
	return a.Signal != b.Signal && a.Source != b.Source && a.Content != b.Content
}

// join adds p to its groups.
func (t *thread) join(p Proposal) (source, content, both *group) {
	source, content = joined(t.bySource, p.Source), joined(t.byContent, p.Content)
	return source, content, joined(t.byBoth, [2]string{p.Source, p.Content})
}

func joined[K comparable](groups map[K]*group, k K) *group {
	g := groups[k]
	if g == nil {
		g = &group{}
		groups[k] = g
	}
	g.n++
	return g
}

func left[K comparable](groups map[K]*group, k K) {
	if g := groups[k]; g.n > 1 {
		g.n--
	} else {
		delete(groups, k)
	}
}

// add makes p live and returns its oldest rival, nil if it has none.
func (t *thread) add(p *proposal) *proposal {
	source, content, both := t.join(p.Proposal)
	t.live = append(t.live, p)
	if source.n+content.n-both.n == len(t.live)-t.dead {
		return nil
	}
	t.pass(source, func(q *proposal) bool { return q.Source == p.Source })
	t.pass(content, func(q *proposal) bool { return q.Content == p.Content })
	both.from = max(both.from, source.from, content.from)
	return t.pass(both, func(q *proposal) bool { return !rivals(q.Proposal, p.Proposal) })
}

// pass moves the group's start behind the proposals that are alike, and
// returns the first that is not.
func (t *thread) pass(g *group, alike func(*proposal) bool) *proposal {
	for i := t.index(g.from); i < len(t.live); i++ {
		if q := t.live[i]; !q.dead && !alike(q) {
			g.from = q.Seq
			return q
		}
	}
	return nil
}

func (t *thread) index(seq uint64) int {
	if len(t.live) > 0 && t.live[0].Seq >= seq {
		return 0
	}
	return sort.Search(len(t.live), func(i int) bool { return t.live[i].Seq >= seq })
}

// remove takes p out. The dead are cleared away when they are the majority,
// so that each costs a constant share of that.
func (t *thread) remove(p *proposal) {
	p.dead = true
	left(t.bySource, p.Source)
	left(t.byContent, p.Content)
	left(t.byBoth, [2]string{p.Source, p.Content})
	if t.dead++; t.dead > len(t.live)/2 {
		t.live = slices.DeleteFunc(t.live, func(p *proposal) bool { return p.dead })
		t.dead = 0
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
