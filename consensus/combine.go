package consensus

import (
	"slices"
	"strings"
)

// Any chooses as soon as one of the strategies does, and returns the first such decision, unless two of
// them choose differently: then it decides nothing. A choice takes precedence over a rejection, so that
// closing never reverts a choice. It panics when there are no strategies.
func Any(strategies ...Strategy) Strategy { return newCombination("any", pickAny, strategies) }

// All decides when all strategies decide the same, and returns the decision with the least support; one
// [Uncertified] decision withholds the result. It panics when there are no strategies.
func All(strategies ...Strategy) Strategy { return newCombination("all", pickAll, strategies) }

// Fallback takes the decision of the first strategy that is neither [Pending] nor [Deadlocked], or else
// that of the first. The strategies may choose differently, so whatever makes the first one undecided
// passes the choice to the next. It panics when there are no strategies.
func Fallback(strategies ...Strategy) Strategy {
	return newCombination("fallback", pickFirst, strategies)
}

// onBoard is a strategy that can decide for a [Round] without building ballots.
type onBoard interface {
	decide(bd *board, closed bool, d *Decision)
}

func decideOn(s Strategy, bd *board, closed bool) (d Decision) {
	if o, ok := s.(onBoard); ok {
		o.decide(bd, closed, &d)
		return d
	}
	return s.Decide(Ballots{rec: bd.from.record(), closed: closed})
}

type combination struct {
	kind    string
	name    string
	pick    func([]Decision, bool) Decision
	members []Strategy
}

func newCombination(kind string, pick func([]Decision, bool) Decision, members []Strategy) Strategy {
	if len(members) == 0 {
		panic("consensus: " + kind + " of no strategies")
	}
	names := make([]string, len(members))
	for i, s := range members {
		names[i] = s.Name()
	}
	return combination{kind, kind + "(" + strings.Join(names, ", ") + ")", pick, slices.Clone(members)}
}

// Name returns the kind and the members, such as "all(voting, bayesian)".
func (c combination) Name() string { return c.name }

// Decide asks every member.
func (c combination) Decide(b Ballots) (d Decision) {
	c.decide(b.board(), b.closed, &d)
	return d
}

func (c combination) decide(bd *board, closed bool, d *Decision) {
	ds := make([]Decision, len(c.members))
	for i, s := range c.members {
		ds[i] = decideOn(s, bd, closed)
	}
	*d = c.pick(ds, closed)
	d.Strategy = c.name
}

func decided(d Decision) bool { return d.Outcome == Reached || d.Outcome == Rejected }

func uncertified(d Decision) bool { return d.Outcome == Uncertified }

func agree(a, b Decision) bool { return a.Outcome == b.Outcome && a.Choice == b.Choice }

func pickAny(ds []Decision, closed bool) Decision {
	best := 0
	for i, d := range ds {
		if anyOrder[d.Outcome] > anyOrder[ds[best].Outcome] {
			best = i
		}
	}
	for _, d := range ds {
		if d.Outcome == Reached && !agree(d, ds[best]) {
			return conflict(ds, closed)
		}
	}
	return ds[best]
}

// anyOrder ranks outcomes for [Any], which takes the greatest.
var anyOrder = [...]int{Reached: 3, Rejected: 2, Uncertified: 1, Pending: 0, Deadlocked: 0}

func pickAll(ds []Decision, closed bool) Decision {
	least := 0
	for i, d := range ds {
		switch {
		case !decided(d):
			return ds[max(slices.IndexFunc(ds, uncertified), slices.IndexFunc(ds, func(d Decision) bool { return !decided(d) }))]
		case !agree(d, ds[0]):
			return conflict(ds, closed)
		case d.decisive() < ds[least].decisive():
			least = i
		}
	}
	return ds[least]
}

func pickFirst(ds []Decision, _ bool) Decision {
	for _, d := range ds {
		if decided(d) || uncertified(d) {
			return d
		}
	}
	return ds[0]
}

// decisive returns the support for what was decided.
func (d *Decision) decisive() float64 {
	if d.Outcome == Rejected {
		return d.None
	}
	return d.Support
}

// conflict returns the result of contradictory decisions: no choice, every choice a leader, and the
// least of all numbers.
func conflict(ds []Decision, closed bool) Decision {
	c := ds[0]
	c.Outcome, c.Choice, c.Leaders = Pending, "", nil
	if closed {
		c.Outcome = Deadlocked
	}
	for _, d := range ds {
		if d.Choice != "" {
			c.Leaders = append(c.Leaders, d.Choice)
		}
		c.Support, c.None = min(c.Support, d.Support), min(c.None, d.None)
		c.Confidence = min(c.Confidence, d.Confidence)
	}
	slices.Sort(c.Leaders)
	c.Leaders = slices.Compact(c.Leaders)
	return c
}
