package consensus

import (
	"cmp"
	"fmt"
	"slices"
)

// Func turns a function into a strategy. Such a function usually calls [Ballots.Decide]; a decision
// that it builds itself is given the name and the ballots that it was made on.
func Func(name string, decide func(Ballots) Decision) Strategy { return funcStrategy{name, decide} }

type funcStrategy struct {
	name   string
	decide func(Ballots) Decision
}

func (f funcStrategy) Name() string { return f.name }

func (f funcStrategy) Decide(b Ballots) Decision {
	d := f.decide(b)
	d.Strategy = f.name
	if d.from.terms == nil {
		d.from, d.from.closed = b.board().from, b.closed
	}
	return d
}

// Decide makes a decision from a custom strategy's own measure of support, by the rules that all outcomes
// follow: support holds one number in [0,1] per proposal, in the order of [Ballots.Proposals], and none
// is the support for "none of these": the share, by the same measure, of the voters who speak but agree with
// nothing. A share of voters is one of [Ballots.Spoke], since an abstention is not a "no"; other measures are
// summed over [Ballots.ByVoter]. Proposals that no one agrees with do not lead. A proposal is not
// chosen, whatever its support, unless more is for it than against it: balance returns, for the proposal at
// an index, a number above 0 if there is more for it, below 0 if there is more against it, and 0 if they are
// equal. A nil balance compares weights, and the numbers of voters where the weights are equal. Numbers out of
// range are clamped; NaN is read as 0. Decide panics unless there is one number per proposal.
func (b Ballots) Decide(strategy string, support []float64, none float64, balance func(p int) int) (d Decision) {
	bd := b.board()
	if len(support) != len(bd.total.counts) {
		panic(fmt.Sprintf("consensus: %d numbers of support for %d proposals", len(support), len(bd.total.counts)))
	}
	if balance == nil {
		balance = bd.balance
	}
	st := standing{tally: &bd.total, lead: -1, none: inRange(none), rejected: len(support) > 0}
	var leaders []string
	for p := range support {
		c, s := &bd.total.counts[p], inRange(support[p])
		more := balance(p)
		if more >= 0 {
			st.rejected = false
		}
		switch {
		case c.agree == 0:
		case st.lead < 0 || s > st.support:
			st.lead, st.tied, st.support, st.more = p, 1, s, more > 0
			leaders = append(leaders[:0], bd.from.proposals[p])
		case s == st.support:
			st.tied++
			st.lead = bd.weaker(st.lead, p)
			leaders = append(leaders, bd.from.proposals[p])
		}
	}
	slices.Sort(leaders)
	bd.conclude(strategy, &st, leaders, b.closed, &d)
	return d
}

// balance compares the two sides of a proposal by weight, then by voters.
func (bd *board) balance(p int) int {
	c := &bd.total.counts[p]
	return cmp.Or(cmp.Compare(c.favour, c.against), cmp.Compare(c.agree, c.disagree))
}

// inRange clamps x; min and max would keep NaN.
func inRange(x float64) float64 {
	if x > 0 {
		return min(1, x)
	}
	return 0
}
