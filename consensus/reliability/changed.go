package reliability

import "math"

// changeLeast is the log Bayes factor by which known outcomes must speak for a change, e⁵ = 150: as if one voter in 150
// were to change at any decision.
const changeLeast = 5.0

// current returns the batch without the votes that voters cast before they changed, as known outcomes show: a voter that
// was right in 95 % of the decisions and now is in 60 %, or the other way round, is another one since. Nothing else
// depends on the order of decisions.
func (b *batch) current() *batch {
	since := b.changes()
	if since == nil {
		return b
	}
	at := -1
	return b.only(b.Voters, func(v votes, i int) int32 {
		if at++; at < since[v.voter[i]] {
			return -1
		}
		return v.voter[i]
	})
}

// changes returns, for each voter, which of all votes is its first since it changed, or nil if nobody has.
func (b *batch) changes() (since []int) {
	of := make([][]told, b.Voters)
	for t, known := range b.Known {
		if known < 0 {
			continue
		}
		v, on := b.votes(t), known
		if b.Own {
			on = 0
		}
		for i, j := range v.voter {
			of[j] = append(of[j], told{int(b.Start[t]) + i, on, v.said[i] == known})
		}
	}
	for j, x := range of {
		first := 0
		for n := changePoint(x); n > 0; n = changePoint(x[first:]) {
			first += n
		}
		if first == 0 {
			continue
		}
		if since == nil {
			since = make([]int, b.Voters)
		}
		since[j] = x[first].at
	}
	return since
}

// told is a vote on a decision whose outcome is known: which of all votes it is, the choice that was right, if that means
// the same in every decision, and whether the vote was.
type told struct {
	at    int
	on    int32
	right bool
}

// changePoint returns after how many votes a voter most probably changed, or 0 if it has not. The Bayes factor is that
// of two rates for each choice against one, with the prior of coins (change-point: Chernoff and Zacks, 1964). Choices
// have rates of their own because a voter that is better at some of them looks changed when these become more frequent.
func changePoint(votes []told) (at int) {
	all, before := map[int32]tally{}, map[int32]tally{}
	for _, x := range votes {
		all[x.on] = all[x.on].with(x.right)
	}
	factor, most := 0.0, changeLeast
	for i, x := range votes {
		was := before[x.on]
		now := was.with(x.right)
		rest := all[x.on].less(now)
		factor += math.Log(was.expects(x.right) / rest.expects(x.right)) // the vote is now one of those before the change
		if before[x.on] = now; factor > most {
			most, at = factor, i+1
		}
	}
	return at
}

func (t tally) with(is bool) tally {
	if is {
		t.is++
	}
	t.all++
	return t
}

func (t tally) less(o tally) tally { return tally{t.is - o.is, t.all - o.all} }

// expects returns the probability that another vote is right, or that it is wrong, with the prior Beta(4, 2).
func (t tally) expects(right bool) float64 {
	p := t.rate(4, 6)
	if right {
		return p
	}
	return 1 - p
}
