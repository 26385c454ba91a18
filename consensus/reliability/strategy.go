package reliability

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Strategy decides by the probability of being right that a [Model] gives each proposal, which is both its support and
// its confidence. Doubt of the model's [Certificate] lowers both; a decision that would have been reached but for that
// doubt is [consensus.Uncertified].
//
// The zero value treats every voter as a newcomer. ρ of the discount is that of the ballots. The ballots'
// [consensus.Options.Reliabilities] are used only where Settle tests whether the votes fit the opposite as well.
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

// Decide decides by what the model has learned.
func (s Strategy) Decide(b consensus.Ballots) consensus.Decision {
	m := s.model()
	r := m.read(b)
	p := r.pool(b.Correlation())
	speaks := r.balance()
	balance := func(place int) int { return cmp.Compare(round(speaks[place]), 0) }
	d := b.Decide(s.Name(), p.each, p.none, balance)
	d.Confidence = r.confidence(b.Correlation(), p, d)
	doubt := m.certificate.Doubt
	d.Learned = len(m.voters) > 0 && doubt < 1
	if doubt > 0 && r.heard() {
		d = s.doubtful(b, r, p, balance, d)
	}
	if leader := d.Leader(); leader != "" && d.Final() && d.Outcome != consensus.Rejected {
		d.Because = m.because(b, leader)
	}
	return d.WithProbabilities(p.each)
}

// doubtful returns the decision with its probabilities lowered by the doubt of the model's certificate.
func (s Strategy) doubtful(b consensus.Ballots, r *reading, p pooled, balance func(int) int, d consensus.Decision) consensus.Decision {
	doubt := s.model().certificate.Doubt
	n, confidence := r.open(), d.Confidence
	p.doubted(doubt, n)
	doubtful := b.Decide(s.Name(), p.each, p.none, balance)
	doubtful.Confidence, doubtful.Learned = doubted(confidence, doubt, n), d.Learned
	if d.Outcome != doubtful.Outcome && decided(d) {
		doubtful.Outcome = consensus.Uncertified
	}
	if d.Outcome == consensus.Rejected {
		doubtful.Outcome = consensus.Rejected
	}
	return doubtful
}

func decided(d consensus.Decision) bool {
	return d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected
}

// doubted returns the probability of one of n candidates if, with probability doubt, nothing is known about them.
func doubted(p, doubt, n float64) float64 { return p + doubt*(1/n-p) }

// balance returns the evidence for each proposal less the evidence against it: the log-odds above chance of the voters
// for it, less those of the voters who are against it and for nothing else.
func (r *reading) balance() []float64 {
	more := make([]float64, len(r.proposals))
	for _, q := range r.questions {
		for i, v := range q.voices {
			worth := v.number() * q.cast.part[i] * (r.m.params.aboveChance(v.voter, q.field) + q.cast.lift[i])
			said := &q.said[v.said]
			for _, c := range said.among {
				switch at, ok := q.placeOf(c, r); {
				case !ok:
				case said.not || r.m.kind.stances && c == 1:
					more[at] -= worth
				default:
					more[at] += worth
				}
			}
		}
	}
	return more
}

// placeOf returns the index of candidate c among the proposals, and false if it is not one of them.
func (a *answering) placeOf(c int32, r *reading) (int, bool) {
	switch {
	case r.m.kind.stances:
		return a.places[0], true
	case a.own:
		if int(c) < len(a.places) {
			return a.places[c], true
		}
		return 0, false
	}
	at := slices.IndexFunc(r.proposals, func(p string) bool { return r.m.kind.choices[p] == c })
	return at, at >= 0
}

// open returns the number of proposals that have votes, at least two: if the only one is not right, something else is.
func (r *reading) open() float64 {
	n := 2.0
	for _, q := range r.questions {
		n = max(n, float64(len(q.places)))
	}
	return n
}

func (p *pooled) doubted(doubt, n float64) {
	for i, x := range p.each {
		if x > 0 {
			p.each[i] = round(doubted(x, doubt, n))
		}
	}
	p.none = round(p.none * (1 - doubt))
}

func (s Strategy) model() *Model {
	if s.Model == nil {
		return stranger
	}
	return s.Model
}

// confidence returns the probability of what was decided or leads, or the lowest of those tied. It is never more than
// without the discount, which can raise the probability of what is not the most probable.
func (r *reading) confidence(rho float64, p pooled, d consensus.Decision) float64 {
	least := 1.0
	plain := p
	if rho > 0 {
		plain = r.pool(0)
	}
	for _, place := range r.leading(d) {
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
