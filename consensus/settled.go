package consensus

// Settled reports whether the decision stands whatever may still come: Reached stays Reached with the same
// choice, Rejected stays Rejected. If nothing more may come, any final decision stands; Pending never does.
// Once a decision stands, more votes are of no use: a poll that stops there decides as the whole one would
// (curtailed sampling: Alling, 1966). It takes time linear in the votes.
//
// It never wrongly returns true. For [Voting], [ConfidenceWeighted] and, without learned reliabilities,
// [Hierarchical] it never wrongly returns false either, unless there is a vote on a proposal that may still
// be made: its voter is treated as one who may still vote. The worst case has a closed form: a voter who
// opposes a choice votes against it and for all others with full weight, and nothing else it could do hurts
// the choice more, so one count is enough. Hierarchical is checked rank by rank, since ranks are counted
// separately. For [Bayesian] the same votes narrow every margin and the discount narrows it further, so
// that count is the worst case up to a rounding error of 1e-9. A [Settler] is asked. Nothing is known of other
// strategies, [Entropy] and [Grouped] included, so with them nothing is settled while anything may still come.
//
// While another proposal may be made, a rejection is not settled, because no one has rejected that
// proposal; neither is anything that rests on learned reliabilities, which may depend on the number of
// proposals. Nor is anything that rests on them settled where voters share their votes by [Ballots.WithGroupDiscount].
func Settled(s Strategy, b Ballots, left Left) bool {
	d := s.Decide(b)
	if b.closed || !d.Final() {
		return d.Final()
	}
	o, ok := b.outlook(left)
	switch {
	case !ok:
		return false
	case o.most.voters == 0 && o.fresh == 0:
		return true
	case d.Outcome != Reached && d.Outcome != Rejected:
		return false
	case o.bd.learned() && (o.fresh > 0 || o.bd.terms.sums != nil):
		return false
	}
	if b := asBuiltin(s); b != nil {
		return b.settled(o, &d)
	}
	settler, ok := s.(Settler)
	return ok && settler.Settled(o.bd.from.ballots(), o.given)
}

// Settler is a [Strategy] that can tell when its decisions stand. [Settled] calls it for open ballots on
// which it has reached or rejected something, with something left. It must never wrongly return true: no
// votes that Left allows, in any order, may change the outcome or the choice.
type Settler interface {
	Strategy
	Settled(b Ballots, left Left) bool
}

// slack is far more than the error of softmax, which is summed in units of 2^-40.
const slack = 1e-9

// holds reports whether the decision stands in the worst case.
func (o *outlook) holds(s builtin, d *Decision, slack float64) bool {
	e := Decision{}
	worst := o.worst(d)
	worst.decide(s, false, &e)
	decisive := e.Support
	if e.Outcome == Rejected {
		decisive = e.None
	}
	return e.Outcome == d.Outcome && e.Choice == d.Choice && decisive >= o.bd.terms.threshold+slack
}

// worst returns the board after the votes that are worst for the decision.
func (o *outlook) worst(d *Decision) board {
	favour := all
	if d.Outcome == Reached {
		favour = allBut(o.place(d))
	}
	return o.board(o.total.act(o.most, favour))
}

func (o *outlook) board(t tally) board {
	bd := board{terms: o.bd.terms, total: t, from: o.bd.from}
	bd.from.proposals = make([]string, len(t.counts)) // proposals that may still come have no name
	copy(bd.from.proposals, o.bd.from.proposals)
	bd.odds = bd.newPosterior(bd.discount())
	return bd
}

// place returns the index of the choice among the proposals, or -1 if there is
// none.
func (o *outlook) place(d *Decision) int {
	for p, name := range o.bd.from.proposals {
		if name == d.Choice {
			return p
		}
	}
	return -1
}
