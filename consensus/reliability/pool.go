package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Probabilities returns the probability that each proposal is right, in the order of [consensus.Ballots.Proposals], and
// the probability that none of them is. They sum to 1, except for rounding to 2^-40. A proposal that nobody has voted
// for or against has probability 0, unless it is a shared choice and others have votes. While nobody has voted for or
// against anything, every proposal and none of them are equally probable.
func (m *Model) Probabilities(b consensus.Ballots) (each []float64, none float64) {
	p := m.pool(b, b.Correlation())
	return p.each, p.none
}

// Structure is what a single one of the structures that are averaged says about a decision.
type Structure struct {
	Name   string    // rates, subtypes, coins or peers
	Weight float64   // relative to the others'
	Each   []float64 // probability of each proposal, as in [Model.Probabilities]
	None   float64   // probability that no proposal is right
}

// Structures returns what each structure says. [Model.Probabilities] is the weighted mean over them; how far apart they
// are shows how much the votes leave open. Structures returns nil with [Options.Stances], and if nobody has voted for
// or against anything.
func (m *Model) Structures(b consensus.Ballots) []Structure {
	r := m.read(b)
	if m.kind.stances || len(r.questions[0].places) == 0 {
		return nil
	}
	var all []Structure
	for _, s := range r.questions[0].structures(b.Correlation()) {
		p := r.placed(s.p)
		all = append(all, Structure{s.name, s.weight, p.each, p.none})
	}
	return all
}

// pooled holds the probability of each proposal and of none.
type pooled struct {
	each []float64
	none float64
}

func (p *pooled) of(place int) float64 {
	if place < 0 {
		return p.none
	}
	return p.each[place]
}

// pool returns the probabilities, given the residual correlation ρ.
func (m *Model) pool(b consensus.Ballots, rho float64) pooled { return m.read(b).pool(rho) }

// reading is ballots as the model interprets them, before any discount.
type reading struct {
	m         *Model
	proposals []string
	questions []*answering
}

func (m *Model) read(b consensus.Ballots) *reading {
	r := &reading{m: m, proposals: b.Proposals()}
	for _, h := range m.hear(b) {
		r.questions = append(r.questions, m.answer(h))
	}
	return r
}

func (r *reading) pool(rho float64) pooled {
	if !r.heard() {
		x := 1 / float64(len(r.proposals)+1)
		return pooled{slices.Repeat([]float64{x}, len(r.proposals)), x}
	}
	if r.m.kind.stances {
		p := pooled{each: make([]float64, len(r.proposals))}
		r.poolStances(rho, &p)
		return p
	}
	return r.placed(r.questions[0].probabilities(rho))
}

// placed assigns the candidates' probabilities to their proposals.
func (r *reading) placed(ev []float64) pooled {
	p := pooled{each: make([]float64, len(r.proposals))}
	if !r.questions[0].own {
		r.poolShared(ev, &p)
		return p
	}
	p.none = round(ev[len(ev)-1])
	for c, place := range r.questions[0].places {
		p.each[place] = round(ev[c])
	}
	return p
}

// poolStances returns the probability that each proposal is the right one, if at most one is: in proportion to its odds
// when asked by itself, with odds of 1 for none.
func (r *reading) poolStances(rho float64, p *pooled) {
	odds := make([]float64, len(r.questions)+1)
	for i, q := range r.questions {
		a := q.probabilities(rho)
		odds[i] = math.Log(max(a[0], 1e-300) / max(a[1], 1e-300))
	}
	softmax(odds)
	for i, q := range r.questions {
		p.each[q.places[0]] = round(odds[i])
	}
	p.none = round(odds[len(r.questions)])
}

// poolShared gives the probability of choices that were not proposed to "none of these".
func (r *reading) poolShared(answer []float64, p *pooled) {
	rest := 1.0
	for i, name := range r.proposals {
		x := answer[r.m.kind.choices[name]]
		p.each[i] = round(x)
		rest -= x
	}
	p.none = round(max(0, rest))
}

// answering is a question with the evidence of its votes.
type answering struct {
	*hearing
	m     *Model
	cast  cast      // by voice
	share []float64 // factor on a voice's evidence, summed over its voters
	n     float64   // effective number of votes
	ev    []float64 // log-probability of each candidate, before the discount
}

func (m *Model) answer(h *hearing) *answering {
	n := len(h.voices)
	a := &answering{hearing: h, m: m, cast: newCast(n), share: make([]float64, n), ev: make([]float64, h.field)}
	a.cast.times = make([]float64, n)
	for i, v := range h.voices {
		a.cast.voter[i], a.cast.times[i] = v.voter, v.number()
		a.cast.part[i], a.cast.lift[i] = m.params.heard(v.voter, v.weight, h.field)
		if a.constant(i) {
			a.cast.part[i] = 0
		}
	}
	a.n = m.params.weights(a.cast, h.field, a.share)
	for i, n := range a.cast.times {
		a.share[i] *= n
	}
	a.likelihood()
	return a
}

// likelihood fills ev with the log joint probability of each candidate and the ballots.
func (a *answering) likelihood() {
	p := a.m.params
	if a.own {
		a.ev[a.field-1] = a.none()
	} else {
		copy(a.ev, p.Prior)
	}
	for i, v := range a.voices {
		w, s := a.share[i]*a.cast.part[i], &a.said[v.said]
		switch {
		case w == 0:
		case s.not || len(s.among) > 1 || a.own != p.Own:
			a.hearAny(i, w)
		case p.Own:
			a.hearOwn(i, w)
		default:
			a.hearShared(i, w)
		}
	}
}

// none returns the log-prior of "none of these". It is that of the fit, but one more answer is always possible.
func (a *answering) none() float64 {
	for _, v := range a.voices {
		if a.said[v.said].not {
			return 0
		}
	}
	return math.Log(max(1, a.m.params.Others+1-float64(a.field-1)))
}

// hearOwn adds voice i's ballot if it is for one candidate, as most are.
func (a *answering) hearOwn(i int, w float64) {
	right, miss := a.m.params.at(int(a.voices[i].voter), a.cast.lift[i])
	l := int(a.said[a.voices[i].said].among[0])
	for c := range a.ev {
		if c == l {
			a.ev[c] += w * right
		} else {
			a.ev[c] += w * (miss + math.Log(a.m.params.instead(a.field, c, l)))
		}
	}
}

// hearShared does the same with shared choices.
func (a *answering) hearShared(i int, w float64) {
	p, l := a.m.params, int(a.said[a.voices[i].said].among[0])
	for c := range a.ev {
		at := int(a.voices[i].voter)*p.Choices + c
		right, miss := p.at(at, a.cast.lift[i])
		if c == l {
			a.ev[c] += w * right
		} else {
			a.ev[c] += w * (miss + p.Wrong[at*p.Choices+l])
		}
	}
}

// hearAny adds a ballot for several candidates, or against some. Where decisions have their own proposals, those that it
// names are alike to it, and so are those that it does not name.
func (a *answering) hearAny(i int, w float64) {
	s, log := &a.said[a.voices[i].said], map[bool]float64{}
	for c := range a.ev {
		allows := s.allows(int32(c))
		if _, ok := log[allows]; !ok || !a.own || c == a.field-1 {
			log[allows] = math.Log(max(a.says(i, c), 1e-300))
		}
		a.ev[c] += w * log[allows]
	}
}

// says returns the probability of voice i's ballot if c is right. Where decisions have their own proposals, a ballot
// against some may also be for one that nobody made.
func (a *answering) says(i, c int) float64 {
	p, s := 0.0, &a.said[a.voices[i].said]
	but := a.own && s.not
	for l := range a.field {
		if s.allows(int32(l)) != but {
			p += a.saysOne(int(a.voices[i].voter), a.cast.lift[i], c, l)
		}
	}
	if but {
		return 1 - p
	}
	return p
}

// saysOne returns the probability that voter j says l if c is right, given the lift of its stated confidence.
func (a *answering) saysOne(j int, lift float64, c, l int) float64 {
	p := a.m.params
	if a.own && !p.Own { // proposals that are not shared choices: the voter's own rate
		right := sigma(p.Base[j] + lift)
		if c == l {
			return right
		}
		return (1 - right) * p.instead(a.field, c, l)
	}
	if !p.Own {
		j = j*p.Choices + c
	}
	right, miss := p.at(j, lift)
	switch {
	case c == l:
		return math.Exp(right)
	case p.Own:
		return math.Exp(miss) * p.instead(a.field, c, l)
	default:
		return math.Exp(miss) * p.wrong[j*p.Choices+l]
	}
}

// refitted applies the correction by known outcomes.
func (a *answering) refitted(ev []float64) {
	r := a.m.params.Refit
	scale := r.scale()
	for c := range ev {
		ev[c] *= scale
	}
	for i, v := range a.voices {
		if c, ok := a.said[v.said].single(a.field); ok {
			ev[c] += a.cast.part[i] * r.bonus(v.voter) // newcomers have none; each known voter has its own voice
		}
	}
	r.finish(ev)
}

// cast returns the votes of a question as they count.
func (m *Model) cast(q *question) cast {
	c := newCast(len(q.ballots))
	for i := range q.ballots {
		b := &q.ballots[i]
		c.voter[i] = m.voter(b.voter)
		c.part[i], c.lift[i] = m.params.heard(c.voter[i], b.weight, max(q.field, 2))
		if said, ok := b.single(q.field); ok && !q.own && said == m.params.constant(c.voter[i]) {
			c.part[i] = 0
		}
	}
	return c
}
