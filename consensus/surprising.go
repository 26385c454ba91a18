package consensus

import "cmp"

// Surprising chooses what is more popular than people predict: the answer that those who know better share
// and expect few to share (Prelec, Seung and McCoy, 2017). It reads [Vote.Expected].
//
// Of a proposal, let a be the share of V that agrees with it, as in [Voting], and x the mean of what those
// who agree or disagree with it expect, kept within 0.01 and 0.99. Its support is the share a odds of
// a/(1−a) · (1−x)/x stand for: the votes for and against, each divided by what was predicted of it. Above
// one half it is surprisingly popular, which is the paper's rule for two answers; for more it compares
// each with its absence, since votes do not say what a voter expects of what it did not vote on. Support for
// none of these is its share with the odds raised by the least of x/(1−x) over the proposals. More speaks
// against a proposal than for it when its votes against, divided by 1−x, outnumber those for it divided
// by x. Where everybody expects an even split, it decides as Voting does.
//
// It needs expectations: unless at least half of those who agree or disagree state one on each proposal
// that somebody agrees with, and two of them do, it hands over to Fallback, and the decision says so by its
// support alone.
//
// By nature it breaks two rules of every strategy wherever expectations are stated: a proposal that more
// voters speak against than for may win, which is its point; and another voter for the winner may unseat
// it, by expecting more to agree than do, or by stating nothing where too few do. Who knows the rule can
// bend it by what it says to expect. [Decision.Confidence] knows nothing of surprise.
type Surprising struct {
	Fallback Strategy // where expectations are missing; nil: [Default]
}

// Name returns "surprising".
func (Surprising) Name() string { return "surprising" }

// Decide decides by surprise, or by the fallback.
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

// surprise multiplies the odds of a share, and leaves it alone to the last digit where there is no surprise.
func surprise(share, odds float64) float64 {
	if odds == 1 {
		return share
	}
	return float64(share*odds) / (float64(share*odds) + (1 - share))
}

// expected returns the share that is expected to agree with each proposal; false when too few say so.
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
