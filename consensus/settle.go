package consensus

import (
	"cmp"
	"fmt"
	"slices"
)

// Settle makes a decision from a custom strategy's own measure of support, by the rules that all outcomes
// follow: support holds one number in [0,1] per proposal, in the order of [Ballots.Proposals], and none
// is the support for "none of these". Proposals that no one agrees with do not lead. A proposal is not
// chosen, whatever its support, if more weight is against it than for it, or if the weights are equal and
// it does not have more voters for it than against it. Numbers out of range are clamped; NaN is read as
// 0. Settle panics unless there is one number per proposal.
func (b Ballots) Settle(strategy string, support []float64, none float64) Decision {
	counts := b.board().total.counts
	return b.SettleBy(strategy, support, none, func(p int) int {
		c := &counts[p]
		return cmp.Or(cmp.Compare(c.favour, c.against), cmp.Compare(c.agree, c.disagree))
	})
}

// SettleBy is [Ballots.Settle] for a strategy with its own measure of what is for and against a proposal:
// balanceOf returns, for the proposal at an index, a number above 0 if there is more for it, below 0 if
// there is more against it, and 0 if they are equal.
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

// inRange clamps x; min and max would keep NaN.
func inRange(x float64) float64 {
	if x > 0 {
		return min(1, x)
	}
	return 0
}
