package fit

import "math"

// rates say how often each voter is right on each choice, and what it says instead when it is wrong (Dawid and Skene,
// 1979). Where decisions have their own candidates, a voter has one rate. The last voter is the newcomer, who has the
// rates of the average voter.
type rates struct {
	own     bool
	choices int       // columns of right and miss; 1 with own
	prior   []float64 // log-probability of each choice; nil with own
	right   []float64 // log-probability of being right, [voter*choices]
	miss    []float64 // log-probability of being wrong
	wrong   []float64 // log-probability of what is said if wrong, [voter*choices][said]; nil with own
	others  float64   // effective number of wrong answers
	errors  float64   // mean correlation of two voters' errors
}

// says returns the log-probability that the voter says l if c is right, among so many candidates.
func (r *rates) says(j int32, c, l, field int) float64 {
	at := int(j) * r.choices
	if !r.own {
		at += c
	}
	switch {
	case c == l:
		return r.right[at]
	case r.own:
		return r.miss[at] + r.wrongly(c, l, field-1)
	default:
		return r.miss[at] + r.wrong[at*r.choices+l]
	}
}

// noneShare is how often a wrong voter says "none of these", relative to how often it names any one wrong candidate.
const noneShare = 0.1

// wrongly returns the log-probability that a wrong voter says l if c is right, where decisions have their own candidates.
func (r *rates) wrongly(c, l, none int) float64 {
	others := max(r.others, float64(none-1)) + noneShare
	switch {
	case c == none:
		return -math.Log(max(r.others, float64(none)))
	case none == 1: // with one candidate that is right, "none of these" is the only other answer
		return 0
	case l == none:
		return math.Log(noneShare / others)
	default:
		return -math.Log(others)
	}
}

// strength returns a voter's mean log-odds above chance.
func (r *rates) strength(j int32) float64 {
	s := 0.0
	for at := int(j) * r.choices; at < (int(j)+1)*r.choices; at++ {
		s += r.right[at] - r.miss[at]
	}
	return s/float64(r.choices) + math.Log(r.others)
}

// mean returns how often a voter is right, averaged over the choices.
func (r *rates) mean(j int32) float64 {
	p := 0.0
	for c := range r.choices {
		p += r.on(j, c)
	}
	return p / float64(r.choices)
}

// on returns how often a voter is right on a choice.
func (r *rates) on(j int32, c int) float64 { return math.Exp(r.right[int(j)*r.choices+c]) }

// joint fills p with the log joint probability of each candidate and the votes, the evidence of vote i multiplied by
// factor[i].
func (r *rates) joint(v *Votes, factor, p []float64) {
	r.before(v, p)
	for i, j := range v.Voter {
		if factor[i] == 0 {
			continue
		}
		for c := range p {
			p[c] += factor[i] * r.says(j, c, int(v.Said[i]), v.Field)
		}
	}
}

// before fills p with the log-prior. "None of these" stands for the answers that no voter named, and weighs as many as
// these are. Without it, one of the voters would always be right.
func (r *rates) before(v *Votes, p []float64) {
	if !r.own {
		copy(p, r.prior)
		return
	}
	clear(p)
	none, least := v.Field-1, 1e-9
	if len(v.Said) <= 2 {
		least = 1 // two wrong voters agree too often to rule it out
	}
	p[none] = math.Log(max(least, r.others+1-float64(max(none, 2))))
}
