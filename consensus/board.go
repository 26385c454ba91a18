package consensus

import "slices"

// board holds the counts that the built-in strategies read: ballots have one, a
// [Round] keeps its own up to date.
type board struct {
	terms  *terms
	total  tally
	levels []tally   // by rank, highest first; nil when there is only one
	odds   posterior // of total
	from   source
}

// source is where a decision's details come from: a record, or the log of a
// round up to then.
type source struct {
	rec       *record
	terms     *terms
	proposals []string
	log       []entry
	closed    bool
}

func (s *source) record() *record {
	switch {
	case s.rec != nil:
		return s.rec
	case s.terms == nil:
		return emptyRecord
	default:
		return newRecord(s.terms, s.proposals, indexOf(s.proposals), s.log)
	}
}

func (s *source) ballots() Ballots { return Ballots{rec: s.record(), closed: s.closed} }

func (b Ballots) board() *board {
	if b.early != nil {
		return &b.early.board
	}
	return &b.record().board
}

func (bd *board) learned() bool { return bd.terms.learned != nil }

// level returns the tally of one rank, 0 being the highest.
func (bd *board) level(i int) *tally {
	if bd.levels == nil {
		return &bd.total
	}
	return &bd.levels[i]
}

// stand finds the leaders by a measure over all voters.
func (bd *board) stand(m measure) standing { return bd.total.stand(m, bd.learned()) }

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

func (st *standing) reaches(threshold float64) bool {
	return st.tied == 1 && st.support >= threshold && st.more
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

// leaders returns the names of the leaders, and on a tie sets st.lead to the one that the evidence
// favours least. A single leader is a slice of the proposals, which needs no allocation.
func (bd *board) leaders(st *standing) []string {
	switch st.tied {
	case 0:
		return nil
	case 1:
		return bd.from.proposals[st.lead : st.lead+1 : st.lead+1]
	}
	names := make([]string, 0, st.tied)
	for p := range st.tally.counts {
		favour, _ := st.tally.sides(p, st.measure, bd.learned())
		if st.tally.counts[p].agree > 0 && favour == st.score {
			names = append(names, bd.from.proposals[p])
			st.lead = bd.weaker(st.lead, p)
		}
	}
	slices.Sort(names)
	return names
}

// weaker returns which of two proposals has less evidence.
func (bd *board) weaker(p, q int) int {
	if bd.total.evidence(q, bd.learned()) < bd.total.evidence(p, bd.learned()) {
		return q
	}
	return p
}
