package reliability

import (
	"cmp"
	"math"
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
		support := slices.Clone(p)
		if r.clear.share > 0 {
			support.raise(r.clear.place, r.clear.share)
		}
		return b.Decide(s.Name(), support[:r.none()], support[r.none()], func(place int) int { return cmp.Compare(balance[place], 0) }), p
	}
	d, p := settle(true)
	if reason, _ := r.m.Doubt(); reason != "" && !decided(d) {
		if sure, _ := settle(false); decided(sure) {
			d.Outcome = consensus.Uncertified
		}
	}
	d.Confidence, d.Learned = r.confidence(p, d), len(r.m.voters) > 0
	d.Because = r.because(d)
	return d.WithProbabilities(p[:r.none()])
}

func decided(d consensus.Decision) bool {
	return d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected
}

// balance returns, for each proposal, a number above 0 if more is for it than against it, and below 0 if more is against
// it: the log-odds above chance of the voters for it, less those of the voters who are against it and for nothing else.
func (r *reading) balance() []int64 {
	more := make([]int64, len(r.proposals))
	for who, votes := range r.b.ByVoter() {
		voter, times := r.m.number(who)
		worth := float64(times / int64(who.N))
		if r.m.trust > 0 {
			worth *= max(0, r.m.fit.Strength(voter)) // a voter for a proposal is not against it, even if it was often wrong
		}
		for _, v := range r.m.kind.counted(votes) {
			x := int64(who.N) * int64(math.Round(v.Weight*worth))
			if !agrees(v) {
				x = -x
			}
			more[v.Proposal] += x
		}
	}
	switch c := r.clear; {
	case c.share == 0:
	case c.place < r.none():
		more[c.place] = max(more[c.place], 1)
	default:
		for place, x := range more {
			more[place] = min(x, -1)
		}
	}
	return more
}

// confidence returns the probability of what was decided or leads, or the lowest of those tied. It is never more than
// it would be with independent voters: the discount can raise the probability of what is not the most probable. It holds
// the chance that all share an error: then the share of the votes is left, with one vote more against it.
func (r *reading) confidence(p pooled, d consensus.Decision) float64 {
	least, plain := 1.0, r.pool(0, true)
	favour, _, all := favours(r.b, nil)
	shared := r.m.shared * r.m.trust
	if r.b.Correlation() == 0 {
		shared = 0 // as is stated
	}
	none := d.Outcome == consensus.Rejected || len(d.Leaders) == 0
	for place := range p {
		if none && place == r.none() || !none && place < r.none() && slices.Contains(d.Leaders, r.proposals[place]) {
			share := float64(favour[place]) / float64(all+fraction)
			least = min(least, p[place], plain[place], p[place]+shared*(share-p[place]))
		}
	}
	return least
}
