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
	all    []dispute // in log order
	lost   map[signals.ID]bool
	closed bool // by the last decision, which ended them on the bus
	goOn   bool // over the last decision
	// Settled are the resolutions, in log order. The slice is shared.
	Settled []*signals.Signal[conflict.Resolution]
}

// A dispute is the conflict of a proposal with its older rivals.
type dispute struct {
	opened conflict.Pair
	now    conflict.Pair // with the oldest rival that has not lost
	ended  bool          // resolved, or the thread was closed, or nobody is left to be in conflict with
}

func (c *Conflicts) init(thread string, v *Votes) {
	c.thread, c.votes, c.lost = thread, v, map[signals.ID]bool{}
}

// newest returns the newest conflict, whatever became of it; the zero pair if there is
// none.
func (c *Conflicts) newest() (p conflict.Pair) {
	if len(c.all) > 0 {
		p = c.all[len(c.all)-1].opened
	}
	return p
}

// Last returns the last resolution, or nil.
func (c *Conflicts) Last() *signals.Signal[conflict.Resolution] {
	if len(c.Settled) == 0 {
		return nil
	}
	return c.Settled[len(c.Settled)-1]
}

// All returns the conflicts between different proposals as they were opened, in log
// order.
func (c *Conflicts) All() (all []conflict.Pair) {
	for _, d := range c.all {
		if !c.IsNeedless(d.opened) {
			all = append(all, d.opened)
		}
	}
	return all
}

// Open returns those that have neither been resolved nor ended with their thread, each with the oldest
// rival that has not lost.
func (c *Conflicts) Open() []conflict.Pair {
	return c.open(func(p conflict.Pair) bool { return !c.IsNeedless(p) })
}

// Needless returns the conflicts between proposals that turned out to be the same,
// and that have not been resolved.
func (c *Conflicts) Needless() []conflict.Pair { return c.open(c.IsNeedless) }

// Keep ends the conflicts that are not open on the bus: those of a thread that a record closed
// and that goes on.
func (c *Conflicts) Keep(onBus []conflict.Pair) {
	for i := range c.all {
		c.all[i].ended = c.all[i].ended || !slices.Contains(onBus, c.all[i].now)
	}
}

func (c *Conflicts) open(is func(conflict.Pair) bool) (all []conflict.Pair) {
	for _, d := range c.all {
		if !d.ended && is(d.now) {
			all = append(all, d.now)
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
			p := conflict.Pair{Thread: c.thread, A: *a, B: *b, DetectedAt: s.Time}
			c.all = append(c.all, dispute{opened: p, now: p})
		}
	case *signals.Signal[conflict.Resolution]:
		c.Settled = append(c.Settled, s)
		c.resolve(s.Payload)
	case *signals.Signal[Decided]:
		c.closed, c.goOn = s.Payload.ClosesThread(), s.Payload.Open
	case *signals.Signal[Answered]:
		if c.goOn || !c.closed && !s.ReplyTo.IsZero() {
			break // it was a question of an open thread: what the answer settled has resolutions
		}
		c.closed = false
		for i := range c.all { // but for one that the answer opened
			c.all[i].ended = c.all[i].ended || c.all[i].now.B.Signal != s.Payload.AnswerID
		}
	}
}

// resolve ends the conflict between two signals, and those with the loser: the newer of
// these go on with the next oldest rival, as in [conflict.Detector].
func (c *Conflicts) resolve(r conflict.Resolution) {
	for i := range c.all {
		a, b := c.all[i].now.A.Signal, c.all[i].now.B.Signal
		if a == r.SignalA && b == r.SignalB || a == r.SignalB && b == r.SignalA {
			c.all[i].ended = true
		}
	}
	if r.Loser().IsZero() {
		return
	}
	c.lost[r.Loser()] = true
	for i := range c.all {
		switch d := &c.all[i]; r.Loser() {
		case d.now.B.Signal:
			d.ended = true
		case d.now.A.Signal:
			d.ended = d.ended || !c.goesOn(d)
		}
	}
}

// goesOn gives a conflict its oldest rival, and reports whether there is one.
func (c *Conflicts) goesOn(d *dispute) bool {
	for _, p := range c.votes.made {
		switch {
		case p.Seq >= d.now.B.Seq:
			return false
		case !c.lost[p.ID] && p.Source != d.now.B.Source && p.Payload.Content != d.now.B.Content:
			d.now.A = sideOf(p)
			return true
		}
	}
	return false
}

// rival returns the proposal of that signal, or nil.
func (c *Conflicts) rival(id signals.ID) *conflict.Proposal {
	i := slices.IndexFunc(c.votes.made, func(p *signals.Signal[signals.Proposal]) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	side := sideOf(c.votes.made[i])
	return &side
}

func sideOf(p *signals.Signal[signals.Proposal]) conflict.Proposal {
	return conflict.Proposal{
		Signal: p.ID, Seq: p.Seq, Source: p.Source, ProposalID: p.Payload.ProposalID, Content: p.Payload.Content,
	}
}
