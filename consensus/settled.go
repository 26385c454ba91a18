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
// that count is the worst case up to a rounding error of 1e-9. For [Entropy] the least support is bounded
// by the most even shares possible with the weight there is, as if each share could change on its own.
// A [Settler] is asked. Nothing is known of other strategies, [Grouped] included, so with them nothing is
// settled while anything may still come.
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
	return o.settled(s, &d)
}

// Settler is a [Strategy] that can tell when its decisions stand. [Settled] calls it for open ballots on
// which it has reached or rejected something, with something left. It must never wrongly return true: no
// votes that Left allows, in any order, may change the outcome or the choice.
type Settler interface {
	Strategy
	Settled(b Ballots, left Left) bool
}

func (o *outlook) settled(s Strategy, d *Decision) bool {
	switch s := s.(type) {
	case Voting:
		return o.holds(s, d, 0)
	case ConfidenceWeighted:
		return o.holds(s, d, 0)
	case Bayesian:
		return o.holds(s, d, slack)
	case Entropy:
		return o.holds(s, d, slack) && o.orderly(d)
	case Hierarchical:
		return o.holdsByRank(d)
	case Settler:
		return s.Settled(o.bd.from.ballots(), o.given)
	default:
		return false
	}
}

// slack is far more than the error of softmax and entropy, which are summed in
// units of 2^-40.
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

// holdsByRank goes down the ranks. In each, the remaining voters either cannot prevent its decision, and
// then nothing below matters; or they can make it decide differently; or they can only keep it from
// deciding, and the next rank decides.
func (o *outlook) holdsByRank(d *Decision) bool {
	choice := o.place(d)
	bd := o.board(o.total)
	bd.levels = nil
	for i := range o.left {
		t := &o.total
		if o.levels != nil {
			t = &o.levels[i]
		}
		bd.levels = append(bd.levels, *t)
		if bd.diverts(i, t, o.left[i], choice) {
			return false
		}
		favour := all
		if choice >= 0 {
			favour = allBut(choice)
		}
		bd.levels[i] = t.act(o.left[i], favour)
		if bd.insists(i, choice) {
			return true
		}
	}
	return false
}

// diverts reports whether a rank can be made to settle something else: to reach another proposal, to turn
// down the choice, or to leave its decision uncertified. The ranks above are in their worst case.
func (bd *board) diverts(i int, t *tally, x reach, choice int) bool {
	for p := range t.counts {
		bd.levels[i] = t.act(x, only(p))
		if st := bd.levels[i].weigh(); p != choice && st.lead == p && st.reaches(bd.terms.threshold) && !bd.turnedDown(p, i) {
			return true
		}
	}
	bd.levels[i] = t.act(x, nothing)
	return choice >= 0 && bd.turnedDown(choice, i+1) || bd.dubious(t, x, choice)
}

// dubious reports whether the evidence can be made to fit the choice and its
// opposite equally well.
func (bd *board) dubious(t *tally, x reach, choice int) bool {
	switch {
	case !bd.learned():
		return false
	case choice >= 0:
		return t.counts[choice].evidence+x.against <= doubt
	}
	for p := range t.counts {
		if t.counts[p].evidence+x.favour >= -doubt {
			return true
		}
	}
	return false
}

// insists reports whether a rank still decides for the choice, or for
// rejection.
func (bd *board) insists(i, choice int) bool {
	st := bd.levels[i].weigh()
	if choice < 0 {
		return st.rejected && st.none >= bd.terms.threshold
	}
	return st.lead == choice && st.reaches(bd.terms.threshold) && !bd.turnedDown(choice, i)
}
