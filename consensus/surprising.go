package consensus

import "cmp"

// Surprising chooses the answer that is more popular than predicted: those who know better give it and
// expect few others to (Prelec, Seung and McCoy, 2017). It reads [Vote.Expected].
//
// For a proposal, let a be the share of V that agrees with it, as in [Voting], and x the mean expectation
// of those who agree or disagree with it, clamped to [0.01, 0.99]. Its support is the share whose odds are
// a/(1−a) · (1−x)/x: the votes for and against, each divided by its prediction. Above one half the proposal
// is surprisingly popular, which is the paper's rule for two answers; with more answers each is compared
// with its absence, since votes do not state what a voter expects of proposals it did not vote on. Support
// for "none of these" is its share with the odds multiplied by the least of x/(1−x) over the proposals.
// There is more against a proposal than for it if its votes against, divided by 1−x, outnumber those for
// it, divided by x. Where everyone expects an even split, the decision is that of Voting.
//
// It needs expectations: unless, on each proposal that anyone agrees with, at least half of those who agree
// or disagree, and at least two, state one, Fallback decides, which shows only in the decision's support.
//
// Where expectations are stated it breaks two of the rules of every strategy: a proposal with more
// voters against it than for it may win, which is its purpose; and another voter for the winner may
// unseat it, by expecting more agreement than there is, or by stating no expectation where too few do.
// Voters who know the rule can manipulate it by the expectations they state. [Decision.Confidence] does
// not take expectations into account.
type Surprising struct {
	Fallback Strategy // decides where expectations are missing; nil: [Default]
}

// Name returns "surprising".
func (Surprising) Name() string { return "surprising" }

// Decide decides by surprising popularity, or by the fallback.
func (s Surprising) Decide(b Ballots) Decision {
	r := b.record()
	x, ok := r.expected()
	if !ok {
		return s.fallBack(b)
	}
	support := make([]float64, len(x))
	lead := make([]int, len(x))
	least := 1.0
	for p, c := range r.total.counts {
		odds := x[p] / (1 - x[p])
		support[p] = surprise(ratio(int(c.agree), r.total.spoke), 1/odds)
		lead[p] = cmp.Compare(float64(c.agree)*(1-x[p]), float64(c.disagree)*x[p])
		if p == 0 || odds < least {
			least = odds
		}
	}
	return b.SettleBy(s.Name(), support, surprise(ratio(r.total.none, r.total.spoke), least), func(p int) int { return lead[p] })
}

func (s Surprising) fallBack(b Ballots) Decision {
	f := s.Fallback
	if f == nil {
		f = Default()
	}
	d := f.Decide(b)
	d.Strategy = s.Name()
	return d
}

// surprise multiplies the odds of a share by odds, and returns the share
// exactly if odds is 1.
func surprise(share, odds float64) float64 {
	if odds == 1 {
		return share
	}
	return float64(share*odds) / (float64(share*odds) + (1 - share))
}

// expected returns the share that is expected to agree with each proposal;
// false if too few voters state it.
func (r *record) expected() (x []float64, ok bool) {
	sum := make([]int64, len(r.proposals))
	stated := make([]int32, len(r.proposals))
	for i := range r.marks {
		m := &r.marks[i]
		if e := r.entries[m.entry].Expected; e > 0 && m.stance != Abstain {
			sum[m.proposal] += fixed(e)
			stated[m.proposal]++
		}
	}
	x = make([]float64, len(sum))
	for p, c := range r.total.counts {
		x[p] = 0.5
		switch n := stated[p]; {
		case n >= 2 && 2*n >= c.agree+c.disagree:
			x[p] = min(0.99, max(0.01, float64(sum[p])/billion/float64(n)))
			ok = true
		case c.agree > 0:
			return nil, false
		}
	}
	return x, ok
}
