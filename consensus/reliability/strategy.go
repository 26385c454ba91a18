package reliability

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Strategy decides by the probability of being right that a [Model] gives each proposal: that is its support
// and its confidence. Beyond what [consensus.Ballots.Settle] rules for all strategies, it settles nothing
// while the model has no [Certificate]: the outcome is then [consensus.Uncertified].
//
// The zero value takes everybody for a newcomer. ρ of the discount is the ballots' own; what the ballots
// know of voters by [consensus.Options.Reliabilities] only counts where Settle asks whether the votes fit
// the opposite as well.
type Strategy struct {
	Model *Model
}

// Name returns "learned".
func (Strategy) Name() string { return "learned" }

// Decide decides by what has been learned.
func (s Strategy) Decide(b consensus.Ballots) consensus.Decision {
	m := s.model()
	r := m.read(b)
	p := r.pool(b.Correlation())
	d := b.Settle(s.Name(), p.each, p.none)
	if c := m.certificate; !c.OK && (d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected) {
		d.Outcome, d.Choice = consensus.Uncertified, ""
	}
	d.Confidence = r.confidence(b.Correlation(), p, d)
	return d
}

func (s Strategy) model() *Model {
	if s.Model == nil {
		return stranger
	}
	return s.Model
}

// confidence is the probability of what was decided or leads, the least of those tied. A discount flatters
// what is not the most probable, and what rivals it when their votes are discounted more; there the lesser of
// two counts.
func (r *reading) confidence(rho float64, p pooled, d consensus.Decision) float64 {
	var plain *pooled
	least := 1.0
	for _, place := range r.leading(d) {
		x := p.of(place)
		top := x >= max(p.none, slices.Max(append(p.each, 0)))
		if (!top || r.m.kind.stances) && rho > 0 {
			if plain == nil {
				without := r.pool(0)
				plain = &without
			}
			x = min(x, plain.of(place))
		}
		least = min(least, x)
	}
	return least
}

// leading returns the places of what a decision's confidence is about, -1 for none of these.
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
