package consensus

import "math"

// Reliability is how often a voter has been right, as two rates, because accepting what is right and
// rejecting what is wrong are different skills (Dawid and Skene, 1979). Rates are limited to 0.001 and
// 0.999, so that no one is ever certain; NaN is read as 0.8.
type Reliability struct {
	Sensitivity float64 `json:"sensitivity"` // how often it agrees with a proposal that is right
	Specificity float64 `json:"specificity"` // how often it disagrees with a proposal that is wrong
}

// newcomer is assumed of a voter about whom nothing is known: right four times out of five, so that a
// vote of weight 1 is worth ln 4.
var newcomer = Reliability{Sensitivity: 0.8, Specificity: 0.8}

// Reliabilities is a snapshot of what has been learned of voters across decisions. It is called once
// per voter while ballots are built, and whenever a proposal is added to a round, from the caller's
// goroutine.
type Reliabilities interface {
	// Reliability returns what is known of the voter in a decision between that many proposals, or
	// false if nothing is known.
	Reliability(voter string, proposals int) (Reliability, bool)
}

// Rates maps voters to reliabilities that do not depend on the number of
// proposals.
type Rates map[string]Reliability

// Reliability returns the voter's entry.
func (r Rates) Reliability(voter string, _ int) (Reliability, bool) {
	rate, ok := r[voter]
	return rate, ok
}

// rate is a voter's reliability as evidence.
type rate struct {
	share           float64 // part of the voter's weight that counts
	learned         bool
	agree, disagree float64 // nats per weight
}

// rate looks up the voter's reliability, once for all its votes.
func (t *terms) rate(voter string, proposals int) rate {
	if t.learned == nil {
		return rate{share: t.share(voter)}
	}
	r, ok := t.learned.Reliability(voter, proposals)
	if !ok {
		r = newcomer
	}
	hit, miss := clampRate(r.Sensitivity), clampRate(r.Specificity)
	return rate{t.share(voter), true, math.Log(hit / (1 - miss)), math.Log((1 - hit) / miss)}
}

func clampRate(p float64) float64 {
	if math.IsNaN(p) {
		return 0.8
	}
	return min(0.999, max(0.001, p))
}

// mark interns a vote.
func (r rate) mark(entry, proposal int32, v *Vote) mark {
	weight := v.Weight * r.share
	m := mark{entry: entry, proposal: proposal, stance: v.Stance, weight: fixed(weight)}
	switch {
	case !r.learned:
	case v.Stance == Agree:
		m.evidence = fixed(weight * r.agree)
	case v.Stance == Disagree:
		m.evidence = fixed(weight * r.disagree)
	}
	return m
}
