package reliability

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Strategy decides by the probability of being right that a [Model] gives each proposal, which is both its support and
// its confidence; the support of a clear majority is at least its share of the weight. A decision that would have been reached but for the model's doubt is [consensus.Uncertified].
//
// The zero value treats every voter as a newcomer. The ballots' [consensus.Options.Correlation] is the correlation of
// errors that votes cannot show; their [consensus.Options.Reliabilities] matter only where they say that the votes fit the
// opposite as well.
type Strategy struct {
	Model *Model
}

// Name returns "learned".
func (Strategy) Name() string { return "learned" }

// Knows reports whether anything has been learned about the voter. All other voters are newcomers, who are treated
// alike.
func (s Strategy) Knows(voter string) bool {
	_, ok := s.model().voters[voter]
	return ok
}

func (s Strategy) model() *Model {
	if s.Model == nil {
		return stranger
	}
	return s.Model
}

// Decide decides by what the model has learned.
func (s Strategy) Decide(b consensus.Ballots) consensus.Decision {
	r := s.model().read(b)
	balance := r.balance()
	settle := func(doubt bool) (consensus.Decision, pooled) {
		p := r.pool(b.Correlation(), doubt)
		support := pooled{slices.Clone(p.each), p.none}
		if r.clear.share > 0 {
			support.raise(r.clear.place, r.clear.share)
		}
		return b.Decide(s.Name(), support.each, support.none, func(place int) int { return cmp.Compare(balance[place], 0) }), p
	}
	d, p := settle(true)
	if reason, _ := r.m.Doubt(); reason != "" && !decided(d) {
		if sure, _ := settle(false); decided(sure) {
			d.Outcome = consensus.Uncertified
		}
	}
	d.Confidence, d.Learned = r.confidence(p, d), len(r.m.voters) > 0
	d.Because = r.because(d)
	return d.WithProbabilities(p.each)
}

func decided(d consensus.Decision) bool {
	return d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected
}

// balance returns, for each proposal, the evidence for it less that against it: the log-odds above chance of the voters
// for it, less those of the voters who are against it and for nothing else.
func (r *reading) balance() []float64 {
	more, _ := r.evidence(func(voter int32) float64 {
		if r.m.trust == 0 {
			return 1
		}
		return max(0, r.m.fit.Strength(voter)) // who is for something is not against it, however often it was wrong
	})
	switch c := r.clear; {
	case c.share == 0:
	case c.place >= 0:
		more[c.place] = max(more[c.place], c.share)
	default:
		for place, x := range more {
			more[place] = min(x, -c.share)
		}
	}
	return more
}

// confidence returns the probability of what was decided or leads, or the lowest of those tied. It is never more than
// it would be with independent voters: the discount can raise the probability of what is not the most probable.
func (r *reading) confidence(p pooled, d consensus.Decision) float64 {
	least, places := 1.0, r.leading(d)
	plain := p
	if r.b.Correlation() > 0 {
		plain = r.pool(0, true)
	}
	for _, place := range places {
		least = min(least, p.of(place), plain.of(place))
	}
	return least
}

// leading returns the indices of the proposals that a decision's confidence is about, or -1 for none of these.
func (r *reading) leading(d consensus.Decision) []int {
	if d.Outcome == consensus.Rejected || len(d.Leaders) == 0 {
		return []int{-1}
	}
	var places []int
	for i, p := range r.proposals {
		if slices.Contains(d.Leaders, p) {
			places = append(places, i)
		}
	}
	return places
}
