package reliability

import (
	"math"
	"slices"
)

// joint fills lp with the log joint probability of each candidate and the votes. The evidence of each vote is
// multiplied by its weight in f, or by 1 if f is nil. If known >= 0, all other candidates are ruled out.
func (m *parameters) joint(v votes, f []float64, known int32, lp []float64) {
	m.prior(v, known, lp)
	if m.Own {
		m.jointOwn(v, f, lp)
		return
	}
	k := m.Choices
	for i, j := range v.voter {
		w, l := or(f, i, 1), int(v.said[i])
		if w == 0 {
			continue
		}
		for c := range lp {
			at := int(j)*k + c
			right, miss := m.at(at, v.lifted(i))
			if c == l {
				lp[c] += w * right
			} else {
				lp[c] += w * (miss + m.Wrong[at*k+l])
			}
		}
	}
}

// prior fills lp with the log-prior of a decision.
func (m *parameters) prior(v votes, known int32, lp []float64) {
	if m.Own {
		v.possible(m.Others, lp)
	} else {
		copy(lp, m.Prior)
	}
	condition(known, lp)
}

// possible fills lp with the log-prior of a decision with its own proposals. Each proposal has weight 1. The last
// candidate, "none of these", stands for the answers that nobody named, and its weight is their number. If only one
// proposal was named, the number is one less: then, with two possible answers, votes without dissent are evidence for
// the proposal. Without this candidate, the fit would assume that one of the voters is always right, and take a voter
// who dissents from the others for that one.
func (v votes) possible(others float64, lp []float64) {
	none, least := int(v.field)-1, 0.0
	if len(v.said) <= 2 {
		least = 1 // two wrong voters agree too often to rule it out
	}
	for c := range lp {
		switch {
		case c < none, c == none && slices.Contains(v.said, int32(none)):
			lp[c] = 0
		case c == none:
			lp[c] = math.Log(max(least, others+1-float64(max(none, 2))))
		default:
			lp[c] = math.Inf(-1)
		}
	}
}

// condition rules out all candidates but the known outcome, if there is one, however improbable that was.
func condition(known int32, lp []float64) {
	for c := range lp {
		switch {
		case known < 0:
		case c == int(known):
			lp[c] = max(lp[c], -50)
		default:
			lp[c] = math.Inf(-1)
		}
	}
}

func (m *parameters) jointOwn(v votes, f, lp []float64) {
	k := int(v.field)
	ofNone, toNone, other := math.Log(m.instead(k, k-1, 0)), math.Log(m.instead(k, 0, k-1)), math.Log(m.instead(k, 0, 1))
	for i, j := range v.voter {
		w, l := or(f, i, 1), int(v.said[i])
		right, miss := m.at(int(j), v.lifted(i))
		for c := range k {
			switch {
			case c == l:
				lp[c] += w * right
			case c == k-1:
				lp[c] += w * (miss + ofNone)
			case l == k-1:
				lp[c] += w * (miss + toNone)
			default:
				lp[c] += w * (miss + other)
			}
		}
	}
}

// noneShare is how often a wrong voter says "none of these", relative to how often it names any one wrong proposal.
const noneShare = 0.1

// instead returns the probability that a wrong voter says l if c is right, in a decision with its own proposals. Wrong
// voters mostly name a proposal, and seldom say "none of these", which is the last candidate.
func (m *parameters) instead(field, c, l int) float64 {
	none := field - 1
	others := float64(none - 1)
	if others > 0 {
		others = max(others, m.Others)
	}
	switch {
	case c == none:
		return 1 / max(float64(none), m.Others)
	case l == none:
		return noneShare / (others + noneShare)
	default:
		return 1 / (others + noneShare)
	}
}

// evidence fills ev with the discounted log-probability of each candidate.
func (w *weigher) evidence(v votes, ev []float64) {
	v.lift = w.m.lifts(v, nil)
	f, n := w.of(v)
	w.m.joint(v, f, -1, ev)
	w.m.discount(w.m.Residual, n, ev)
}

// unseen returns the correlation of errors that votes cannot show: the given one, scaled down in a small team unless all
// its voters are of one group, whose errors cannot be assumed to be independent.
func (m *parameters) unseen(rho float64) float64 {
	if m.OneGroup {
		return rho
	}
	return rho * m.Crowd
}

// discount divides the evidence by 1 + ρ·(n−1), where n is the effective number of votes (Kish, 1965), for the
// correlation that votes cannot show, and normalises it to log-probabilities. The prior is discounted too, which
// measured slightly better; but not with stances, where proposals are compared with each other and must not differ by
// how many voters voted on them.
func (m *parameters) discount(rho, n float64, ev []float64) {
	g := 1 / (1 + m.unseen(rho)*max(0, n-1))
	for c := range ev {
		before := 0.0
		if m.Stances && len(ev) == len(m.Prior) {
			before = m.Prior[c]
		}
		ev[c] = before + g*(ev[c]-before)
	}
	z := logSum(ev)
	for c := range ev {
		ev[c] = max(ev[c]-z, -50)
	}
}
