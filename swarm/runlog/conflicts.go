package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Conflicts are the conflicts between the proposals of a thread, and how they ended.
type Conflicts struct {
	thread string
	votes  *Votes
	pairs  []conflict.Pair        // all, in log order
	ended  map[[2]signals.ID]bool // resolved, or answered
}

func (c *Conflicts) init(thread string, v *Votes) {
	c.thread, c.votes, c.ended = thread, v, map[[2]signals.ID]bool{}
}

// Newest returns the newest conflict, whatever became of it; the zero pair if there is
// none.
func (c *Conflicts) Newest() (p conflict.Pair) {
	if len(c.pairs) > 0 {
		p = c.pairs[len(c.pairs)-1]
	}
	return p
}

// All returns the conflicts between different proposals, in log order.
func (c *Conflicts) All() []conflict.Pair {
	return c.where(func(p conflict.Pair) bool { return !c.IsNeedless(p) })
}

// Open returns those of All that have neither been resolved nor answered.
func (c *Conflicts) Open() []conflict.Pair {
	return c.where(func(p conflict.Pair) bool { return !c.ended[key(p)] && !c.IsNeedless(p) })
}

// Needless returns the conflicts between proposals that turned out to be the same,
// and that have not been resolved.
func (c *Conflicts) Needless() []conflict.Pair {
	return c.where(func(p conflict.Pair) bool { return !c.ended[key(p)] && c.IsNeedless(p) })
}

func (c *Conflicts) where(is func(conflict.Pair) bool) (all []conflict.Pair) {
	for _, p := range c.pairs {
		if is(p) {
			all = append(all, p)
		}
	}
	return all
}

// IsNeedless reports whether both proposals of a conflict are the same.
func (c *Conflicts) IsNeedless(p conflict.Pair) bool {
	return c.votes.Of(p.A.ProposalID).Is(p.B.ProposalID)
}

func (c *Conflicts) apply(s signals.Any) {
	switch s := s.(type) {
	case *signals.Signal[signals.Conflict]:
		a, b := c.rival(s.Payload.SignalA), c.rival(s.Payload.SignalB)
		if a != nil && b != nil {
			c.pairs = append(c.pairs, conflict.Pair{Thread: c.thread, A: *a, B: *b})
		}
	case *signals.Signal[conflict.Resolution]:
		c.ended[[2]signals.ID{s.Payload.SignalA, s.Payload.SignalB}] = true
		c.ended[[2]signals.ID{s.Payload.SignalB, s.Payload.SignalA}] = true
	case *signals.Signal[Answered]: // they count as answered, but for one that the answer opened
		for _, p := range c.pairs {
			if p.B.Signal != s.Payload.AnswerID {
				c.ended[key(p)] = true
			}
		}
	}
}

func key(p conflict.Pair) [2]signals.ID { return [2]signals.ID{p.A.Signal, p.B.Signal} }

// rival returns the proposal of that signal, or nil.
func (c *Conflicts) rival(id signals.ID) *conflict.Proposal {
	i := slices.IndexFunc(c.votes.made, func(p *signals.Signal[signals.Proposal]) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	p := c.votes.made[i]
	return &conflict.Proposal{
		Signal: p.ID, Seq: p.Seq, Source: p.Source, ProposalID: p.Payload.ProposalID, Content: p.Payload.Content,
	}
}
