package consensus

import (
	"cmp"
	"fmt"
	"slices"
)

// Settle makes a decision of a custom strategy's own measure of support, by the rules that every outcome
// follows: support holds one number in [0,1] per proposal, in the order of [Ballots.Proposals], none that
// for none of these. Proposals that nobody agrees with do not lead, and one that is rejected by as much
// weight as supports it, or where weights are equal by as many voters, is not chosen, whatever its
// support. Numbers out of range are read as the nearest in it, what is no number as 0. Settle panics when
// there is not one number per proposal.
func (b Ballots) Settle(strategy string, support []float64, none float64) Decision {
	counts := b.board().total.counts
	return b.SettleBy(strategy, support, none, func(p int) int {
		c := &counts[p]
		return cmp.Or(cmp.Compare(c.favour, c.against), cmp.Compare(c.agree, c.disagree))
	})
}

// SettleBy is [Ballots.Settle] for a strategy that counts what speaks for and against a proposal by a measure of
// its own: balanceOf returns for the proposal in that place a number above 0 where more speaks for it, below 0
// where more speaks against it, and 0 where they are even.
func (b Ballots) SettleBy(strategy string, support []float64, none float64, balanceOf func(p int) int) (d Decision) {
	bd := b.board()
	if len(support) != len(bd.total.counts) {
		panic(fmt.Sprintf("consensus: %d numbers of support for %d proposals", len(support), len(bd.total.counts)))
	}
	st := standing{tally: &bd.total, lead: -1, none: inRange(none), rejected: len(support) > 0}
	var leaders []string
	for p := range support {
		c, s := &bd.total.counts[p], inRange(support[p])
		balance := balanceOf(p)
		if balance >= 0 {
			st.rejected = false
		}
		switch {
		case c.agree == 0:
		case st.lead < 0 || s > st.support:
			st.lead, st.tied, st.support, st.more = p, 1, s, balance > 0
			leaders = append(leaders[:0], bd.from.proposals[p])
		case s == st.support:
			st.tied++
			st.lead = bd.weaker(st.lead, p)
			leaders = append(leaders, bd.from.proposals[p])
		}
	}
	slices.Sort(leaders)
	bd.settle(strategy, &st, leaders, b.closed, &d)
	return d
}

// inRange reads a number of support; min and max would keep what is no number.
func inRange(x float64) float64 {
	if x > 0 {
		return min(1, x)
	}
	return 0
}
