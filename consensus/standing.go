package consensus

import "slices"

// measure is the unit in which a strategy compares support and rejection.
type measure uint8

const (
	byVoters measure = iota
	byWeight
	byEvidence
)

// standing is a strategy's view of the proposals, from which [board.decide]
// makes the decision.
type standing struct {
	tally    *tally // its source
	measure  measure
	lead     int    // the first of the leaders, -1 if no one agrees with anything
	tied     int    // how many leaders there are
	score    int64  // what is for each of them
	unit     string // what support is a share of, as a format
	support  float64
	none     float64
	more     bool // more is for the leader than against it
	rejected bool // more is against each proposal than for it
}

// stand finds the leaders. Only proposals that someone agrees with can lead, so a proposal without
// votes never wins by default.
func (t *tally) stand(m measure, learned bool) standing {
	st := standing{tally: t, measure: m, lead: -1, rejected: len(t.counts) > 0}
	for p := range t.counts {
		favour, against := t.sides(p, m, learned)
		if against <= favour {
			st.rejected = false
		}
		switch {
		case t.counts[p].agree == 0:
		case st.lead < 0 || favour > st.score:
			st.lead, st.tied, st.score, st.more = p, 1, favour, favour > against
		case favour == st.score:
			st.tied++
		}
	}
	return st
}

// stand finds the leaders by a measure over all voters.
func (bd *board) stand(m measure) standing { return bd.total.stand(m, bd.learned()) }

// ratio returns part/whole, or 0 if whole is 0. It is the nearest float64 to the true quotient, so a
// share that equals the threshold meets it.
func ratio[T int | int64](part, whole T) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (st *standing) reaches(threshold float64) bool {
	return st.tied == 1 && st.support >= threshold && st.more
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
