package reliability

import (
	"math"
	"slices"
)

// changeLeast is the log Bayes factor by which known outcomes must speak for a change: e³ = 20 is strong evidence (Kass
// and Raftery, 1995).
const changeLeast = 3.0

const (
	changeLook  = 10 // outcomes after which a team looks for changes again, before it is due to learn
	changeAmong = 24 // most voters of such a team
)

// current returns the batch without the votes that voters cast before they changed, which is since the votes that changes
// returned: a voter that was right in 95 % of the decisions and now is in 60 %, or the other way round, is another one.
// Decisions in which no vote is left are left out.
func (b *batch) current(since []int) *batch {
	if since == nil {
		return b
	}
	at := -1
	left := b.only(b.Voters, func(v votes, i int) int32 {
		if at++; at < since[v.voter[i]] {
			return -1
		}
		return v.voter[i]
	})
	var voted []int
	for t := range left.size() {
		if left.Start[t] < left.Start[t+1] {
			voted = append(voted, t)
		}
	}
	return left.some(voted)
}

// changes returns, for each voter, which of all votes is its first since it changed, or nil if nobody has.
func (b *batch) changes() (since []int) {
	of := make([][]told, b.Voters)
	all := new(history)
	for t, known := range b.Known {
		if known < 0 {
			continue
		}
		v, on := b.votes(t), known
		if b.Own {
			on = 0
		}
		for i, j := range v.voter {
			x := told{int(b.Start[t]) + i, on, v.said[i] == known}
			of[j] = append(of[j], x)
			all.add(x)
		}
	}
	for j, x := range of {
		first := 0
		for n := changePoint(x); n > 0 && byItself(x, n, all); n = changePoint(x) {
			first, x = x[n].at, x[n:]
		}
		if first == 0 {
			continue
		}
		if since == nil {
			since = make([]int, b.Voters)
		}
		since[j] = first
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
// of two rates for each choice, from any vote on, against one, with the prior of coins (change-point: Chernoff and Zacks,
// 1964). Choices have rates of their own because a voter that is better at some of them looks changed when these become
// more frequent.
func changePoint(votes []told) (at int) {
	all, before := map[int32]tally{}, map[int32]tally{}
	for _, x := range votes {
		all[x.on] = all[x.on].with(x.right)
	}
	factor, most, sum := 0.0, math.Inf(-1), 0.0
	for i, x := range votes {
		was := before[x.on]
		now := was.with(x.right)
		rest := all[x.on].less(now)
		factor += math.Log(was.expects(x.right) / rest.expects(x.right)) // the vote is now one of those before the change
		sum += math.Exp(factor)
		if before[x.on] = now; factor > most && i+1 < len(votes) {
			most, at = factor, i+1
		}
	}
	if math.Log(sum/float64(len(votes))) < changeLeast {
		return 0
	}
	return at
}

// byItself reports whether a voter that changed after n votes did so more than the others at that time: if decisions
// become more difficult, everybody is right less often. all are the votes of all voters.
func byItself(votes []told, n int, all *history) bool {
	before, after := tallied(votes[:n]), tallied(votes[n:])
	others := all.until(votes[n].at).less(all.until(votes[0].at)).less(before)
	since := all.until(math.MaxInt).less(all.until(votes[n].at)).less(after)
	shift := 0.0
	if others.all > 0 && since.all > 0 {
		shift = logit(since.expects(true)) - logit(others.expects(true))
	}
	as := sigma(logit(before.expects(true)) + shift)
	factor, now := 0.0, tally{}
	for _, x := range votes[n:] {
		p := as
		if !x.right {
			p = 1 - as
		}
		factor += math.Log(now.expects(x.right) / p)
		now = now.with(x.right)
	}
	return factor-math.Log(float64(len(votes))) > changeLeast // n is the best of as many
}

// history is the votes of all voters, in order, with the tally of those before each.
type history struct {
	at   []int
	sums []tally // and of all
}

func (h *history) add(x told) {
	if h.sums == nil {
		h.sums = []tally{{}}
	}
	h.at, h.sums = append(h.at, x.at), append(h.sums, h.sums[len(h.at)].with(x.right))
}

// until returns the tally of the votes before the given one.
func (h *history) until(at int) tally {
	i, _ := slices.BinarySearch(h.at, at)
	return h.sums[i]
}

func tallied(votes []told) (t tally) {
	for _, x := range votes {
		t = t.with(x.right)
	}
	return t
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

// Changed reports whether known outcomes have shown that the voter got better or worse. What it did before is not
// counted any more.
func (m *Model) Changed(voter string) bool {
	j, ok := m.voters[voter]
	return ok && int(j) < len(m.params.Records) && m.params.Records[j].Changed
}
