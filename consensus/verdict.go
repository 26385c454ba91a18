package consensus

import "slices"

// builtin is a strategy that reads only the counts of a board.
type builtin interface {
	Strategy
	stand(bd *board) standing
	// settled reports whether a decision that was reached or rejected stands whatever may still come.
	settled(o *outlook, d *Decision) bool
}

func (b Ballots) decideBy(s builtin) (d Decision) {
	b.board().decide(s, b.closed, &d)
	return d
}

// decide writes the decision of a built-in strategy to d. A returned decision would be copied.
func (bd *board) decide(s builtin, closed bool, d *Decision) {
	st := s.stand(bd)
	bd.conclude(s.Name(), &st, bd.leaders(&st), closed, d)
}

// conclude writes the decision of a standing to d.
func (bd *board) conclude(strategy string, st *standing, leaders []string, closed bool, d *Decision) {
	d.Strategy, d.Outcome, d.Leaders = strategy, bd.outcome(st, closed), leaders
	d.Support, d.None, d.Voters = st.support, st.none, bd.total.voters
	d.from, d.from.closed, d.unit = bd.from, closed, st.unit
	d.Learned = bd.learned()
	d.Choice = ""
	if d.Outcome == Reached {
		d.Choice = leaders[0]
	}
	if d.Outcome == Rejected {
		d.Confidence = bd.confidence(-1)
	} else {
		d.Confidence = bd.confidence(st.lead)
	}
}

// outcome tries the outcomes in the order that the package documentation gives.
func (bd *board) outcome(st *standing, closed bool) Outcome {
	undecided := Pending
	if closed {
		undecided = Deadlocked
	}
	reaches := st.reaches(bd.terms.threshold)
	rejects := st.rejected && (closed || st.none >= bd.terms.threshold)
	switch {
	case bd.total.voters < bd.terms.quorum:
		return undecided
	case bd.learned() && alike(st, reaches, rejects, closed):
		return Uncertified
	case reaches:
		return Reached
	case rejects:
		return Rejected
	default:
		return undecided
	}
}

// doubt is the evidence, in billionths of a nat, up to which the votes are considered to fit a proposal
// and its opposite equally well: odds of 11 to 9, a probability between 0.45 and 0.55.
const doubt = 200_670_695

// alike reports whether, by what has been learned of the voters, the evidence for what is about to be
// settled is no better than for its opposite. Evidence is not discounted here, so that another supporter
// who is right more often than wrong never reverts a decision.
func alike(st *standing, reaches, rejects, closed bool) bool {
	switch {
	case reaches:
		return st.tally.counts[st.lead].evidence <= doubt
	case rejects:
		return slices.ContainsFunc(st.tally.counts, func(c count) bool { return c.evidence >= -doubt })
	case closed && st.tied == 1:
		e := st.tally.counts[st.lead].evidence
		return -doubt <= e && e <= doubt
	default:
		return false
	}
}
