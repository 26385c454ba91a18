package conflict

import "github.com/swarmbus/swarmbus/signals"

// A Rule says which signals of one thread contradict each other, besides the rival
// proposals that every [Fold] finds. Its functions must be pure, and may be slow: no
// log waits for them. Function Detect of package bus applies rules to a bus.
type Rule struct {
	Name  string         // part of the ids of its conflicts; required
	Kinds []signals.Kind // of the signals that it compares

	// Key returns the key of a signal, which is compared with the signals of the same
	// key, and with none if it is "". A nil Key compares all signals of a thread.
	Key func(signals.Any) string

	// Contradict reports whether two signals of different sources contradict each
	// other. It must be symmetric.
	Contradict func(a, b signals.Any) bool

	// Latest compares only the newest signal of each source and key.
	Latest bool
}

// RuleFor returns a rule that compares signals of two payload types, which may be
// the same one: with a function that measures similarity, for example.
func RuleFor[A, B signals.Payload](name string, contradict func(*signals.Signal[A], *signals.Signal[B]) bool) Rule {
	var a A
	var b B
	one := func(x, y signals.Any) bool {
		p, isA := signals.As[A](x)
		q, isB := signals.As[B](y)
		return isA && isB && contradict(p, q)
	}
	return Rule{
		Name: name, Kinds: []signals.Kind{a.Kind(), b.Kind()},
		Contradict: func(x, y signals.Any) bool { return one(x, y) || one(y, x) },
	}
}

// OpposedVotes finds votes for and against the same proposal. A voter's latest vote
// counts.
func OpposedVotes() Rule {
	r := RuleFor("opposed-votes", func(a, b *signals.Signal[signals.Vote]) bool {
		return a.Payload.Stance == signals.Agree && b.Payload.Stance == signals.Disagree
	})
	r.Latest = true
	r.Key = func(s signals.Any) string {
		v, ok := signals.As[signals.Vote](s)
		if !ok {
			return ""
		}
		return v.Payload.ProposalID
	}
	return r
}

// maxCompared is the number of signals with which a Comparer compares a new one.
const maxCompared = 1024

// A Comparer applies a rule to a log. It is a fold, with the signals' times as its
// clock; it keeps the newest 1024 signals of each key that have not expired, of at
// most 4096 keys. Its methods must not be used concurrently.
type Comparer struct {
	rule   Rule
	groups map[group][]signals.Any // in log order
	order  []group                 // in the order of their first signals
}

type group struct{ thread, key string }

const maxGroups = 4096

// NewComparer returns a comparer of the empty log.
func NewComparer(r Rule) *Comparer { return &Comparer{rule: r, groups: map[group][]signals.Any{}} }

// Compare takes the next signal and returns its conflict with the oldest signal that
// it contradicts, and that signal, or nil if there is none.
func (c *Comparer) Compare(s signals.Any) (p Pair, older signals.Any) {
	h := s.Head()
	g := group{h.Thread, ""}
	if c.rule.Key != nil {
		if g.key = c.rule.Key(s); g.key == "" {
			return Pair{}, nil
		}
	}
	all, known := c.groups[g]
	if !known {
		c.enter(g)
	}
	var kept []signals.Any
	for _, o := range all {
		of := o.Head()
		if dueOf(&of) < h.Time.UnixNano() || c.rule.Latest && of.Source == h.Source {
			continue
		}
		kept = append(kept, o)
		if older == nil && of.Source != h.Source && c.rule.Contradict(o, s) {
			older = o
		}
	}
	c.groups[g] = append(kept[max(0, len(kept)+1-maxCompared):], s)
	if older == nil {
		return Pair{}, nil
	}
	return Pair{Rule: c.rule.Name, Thread: h.Thread, A: sideOf(older), B: sideOf(s), DetectedAt: h.Time}, older
}

// enter makes room for a group that is new.
func (c *Comparer) enter(g group) {
	if len(c.order) == maxGroups {
		delete(c.groups, c.order[0])
		c.order = c.order[1:]
	}
	c.order = append(c.order, g)
}

// sideOf describes a signal as one side of a conflict.
func sideOf(s signals.Any) Proposal {
	h := s.Head()
	p := Proposal{Signal: h.ID, Seq: h.Seq, Source: h.Source}
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		p.ProposalID, p.Content = s.Payload.ProposalID, s.Payload.Content
	case *signals.Signal[signals.Vote]:
		p.ProposalID = s.Payload.ProposalID
	}
	return p
}
