package conflict

import (
	"slices"
	"sort"
	"time"
)

// thread holds the live proposals of one thread.
type thread struct {
	name string
	live []*proposal // in log order, with dead ones in between
	head int         // of live: all before are dead
	dead int
	open int // conflicts

	// Where the search for the oldest rival begins, for proposals that are not
	// rivals of the oldest proposal of all.
	bySource  map[string]*start
	byContent map[string]*start
	byBoth    map[[2]string]*start
}

// A start is a sequence number before which no live proposal is a rival of
// those with the same source or content. That stays true whatever is added or
// removed, so a search passes each of an agent's 10,000 own proposals only
// once.
type start struct{ from uint64 }

// A proposal has an open conflict as long as it refers to ("leans on") a rival:
// one that is live and older, but not necessarily the oldest. The oldest rival
// changes with each proposal that expires; a proposal that leans on a recent
// one seldom has to be updated.
type proposal struct {
	Proposal
	at      time.Time
	thread  *thread
	dead    bool
	rival   *proposal   // leaned on; nil without an open conflict
	leaning []*proposal // those that lean on this one
	place   int         // in rival.leaning
}

// lean makes p lean on q instead, or on nothing if q is nil.
func (p *proposal) lean(q *proposal) {
	if r := p.rival; r != nil {
		last := len(r.leaning) - 1
		r.leaning[p.place] = r.leaning[last]
		r.leaning[p.place].place = p.place
		r.leaning[last] = nil
		r.leaning = r.leaning[:last]
	}
	if p.rival = q; q != nil {
		p.place = len(q.leaning)
		q.leaning = append(q.leaning, p)
	}
}

// conflict returns the open conflict of p.
func (p *proposal) conflict() Pair {
	return p.against(p.thread.oldestRival(p))
}

// against returns the pair of p with an older rival.
func (p *proposal) against(rival *proposal) Pair {
	return Pair{Thread: p.thread.name, A: rival.Proposal, B: p.Proposal, DetectedAt: p.at}
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
	return a.Source != b.Source && a.Content != b.Content
}

// oldestRival returns the oldest live rival of p, or nil.
func (t *thread) oldestRival(p *proposal) *proposal {
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

// pass moves the start past the proposals for which alike holds, and returns
// the first live one for which it does not.
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

// remove marks p dead. Dead proposals are deleted once they are the majority,
// so that the amortized cost is constant, and the starts with them, so that
// starts do not outlive the proposals they were made for.
func (t *thread) remove(p *proposal) {
	p.dead = true
	if t.dead++; t.dead > len(t.live)/2 {
		t.live = slices.DeleteFunc(t.live, func(p *proposal) bool { return p.dead })
		t.head, t.dead = 0, 0
		t.forgetStarts()
	}
}

// recentRival returns a rival of p to lean on: the previous proposal, or the
// one that it leans on, or else the oldest. Where the oldest expire first, the
// rival lives about as long as p.
func (t *thread) recentRival(p, oldest *proposal) *proposal {
	before := t.live[max(0, len(t.live)-2)]
	for _, q := range []*proposal{before, before.rival} {
		if q != nil && !q.dead && rivals(q.Proposal, p.Proposal) {
			return q
		}
	}
	return oldest
}

// goesOn makes p lean on its oldest rival and reports whether that is older
// than p; if not, the conflict of p has ended.
func (t *thread) goesOn(p *proposal) bool {
	oldest := t.oldestRival(p)
	if oldest == nil || oldest.Seq > p.Seq {
		return false
	}
	p.lean(oldest)
	return true
}
