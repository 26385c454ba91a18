package consensus

// Settled reports whether the decision stands whatever is left: Reached stays Reached with the same
// choice, Rejected stays Rejected. Any final decision stands when nothing is left, Pending never does. When
// it stands, asking on is of no use: a poll curtailed there decides as the whole one would (curtailed
// sampling: Alling, 1966). It costs a pass over the votes.
//
// It never says yes wrongly. For [Voting], [ConfidenceWeighted] and, without learned reliabilities,
// [Hierarchical] it never says no wrongly either, unless a vote waits for a proposal that may come: its
// voter is taken for one who may still vote. The worst case has a closed form. Who wants a choice undone votes against it and for all
// others with all its weight, and nothing else it could do hurts the choice more, so one count shows it. Hierarchical takes ranks in turn, since votes of different ranks do not touch. For [Bayesian] the
// same votes narrow every margin and the discount narrows it further, which makes that count the worst but
// for 1e-9 of rounding. For [Entropy] the least order is bounded by the most even shares that could come of
// the weight there is, as if each share moved on its own. [All] is settled when each member is, [Fallback]
// when the first is, [Any] when each is; a [Settler] is asked. Of other strategies, [Grouped] and [Surprising]
// among them, nothing is known, so nothing is settled while anything is left.
//
// A rejection is not settled while a proposal may come, which nobody has rejected, nor is anything that
// rests on learned reliabilities, as they may depend on how many proposals there are.
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
	case !decided(d):
		return false
	case o.fresh > 0 && o.bd.learned():
		return false
	}
	return o.settled(s, &d)
}

// Settler is a [Strategy] that can tell when its decisions stand. [Settled] asks it about open ballots on which
// it has reached or rejected something, with something left. It must never say yes wrongly: no votes that Left
// allows, and no order of them, may change the outcome or the choice.
type Settler interface {
	Strategy
	Settled(b Ballots, left Left) bool
}

func (o *outlook) settled(s Strategy, d *Decision) bool {
	switch s := s.(type) {
	case Voting, ConfidenceWeighted:
		return o.holds(s, d, 0)
	case Bayesian:
		return o.holds(s, d, slack)
	case Entropy:
		return o.holds(s, d, slack) && o.orderly(d)
	case Hierarchical:
		return o.holdsByRank(d)
	case combination:
		return o.holdsTogether(s, d)
	case Settler:
		return s.Settled(o.bd.from.ballots(), o.given)
	default:
		return false
	}
}

// slack is what softmax and entropy, summed in 2^-40ths, may be off by, and far more.
const slack = 1e-9

// holds asks a strategy what it makes of the worst that can come.
func (o *outlook) holds(s Strategy, d *Decision, slack float64) bool {
	e := Decision{}
	worst := o.worst(d)
	s.(onBoard).decide(&worst, false, &e)
	return agree(*d, e) && e.decisive() >= o.bd.terms.threshold+slack
}

// worst is the board after the votes that go furthest against the decision.
func (o *outlook) worst(d *Decision) board {
	favour := all
	if d.Outcome == Reached {
		favour = allBut(o.place(d))
	}
	return o.board(o.total.act(o.most, favour))
}

func (o *outlook) board(t tally) board {
	bd := board{terms: o.bd.terms, total: t, from: o.bd.from}
	bd.from.proposals = make([]string, len(t.counts)) // those that may come have no name
	copy(bd.from.proposals, o.bd.from.proposals)
	bd.odds = bd.newPosterior(bd.discount())
	return bd
}

// place returns where the choice is among the proposals, -1 when there is none.
func (o *outlook) place(d *Decision) int {
	for p, name := range o.bd.from.proposals {
		if name == d.Choice {
			return p
		}
	}
	return -1
}

// holdsByRank goes down the ranks. In each, those who are left either cannot keep it from deciding as it
// does, and then nothing below matters; or they can make it decide otherwise; or they can only silence it,
// and the next rank has the word.
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

// diverts reports whether a rank can be brought to settle on something else: to reach another proposal, to
// turn the choice down, or to leave what it settles in doubt. The ranks above hold their worst.
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

// dubious reports whether what is known of the voters can be made to fit the choice and its opposite alike.
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

// insists reports whether a rank decides for the choice, or for none, even so.
func (bd *board) insists(i, choice int) bool {
	st := bd.levels[i].weigh()
	if choice < 0 {
		return st.rejected && st.none >= bd.terms.threshold
	}
	return st.lead == choice && st.reaches(bd.terms.threshold) && !bd.turnedDown(choice, i)
}

// holdsTogether settles combinations whose parts are settled alike.
func (o *outlook) holdsTogether(c combination, d *Decision) bool {
	members := c.members
	if c.kind == "fallback" {
		members = members[:1]
	}
	for _, s := range members {
		e := decideOn(s, o.bd, false)
		if !agree(e, *d) || !o.settled(s, &e) {
			return false
		}
	}
	return true
}
