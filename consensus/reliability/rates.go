package reliability

import "math"

// rates is the M step for a, u, w and Mean: two Newton steps each on the penalised log-likelihood, which is concave.
// The hierarchy over voters is that of Kim and Ghahramani (2012) and Paun et al. (2018).
func (e *em) rates() {
	for range 2 {
		if e.m.Own {
			e.ownRates()
		} else {
			e.classRates()
		}
	}
}

func (e *em) ownRates() {
	m := e.m
	sum := e.o.Right * e.o.Weight
	for j := range m.Voters {
		e.newton(j, m.Mean, precision(m.SdVoter))
		m.Base[j] = m.Rate[j]
		sum += m.Base[j]
	}
	m.Mean = sum / (e.o.Weight + float64(m.Voters))
}

func (e *em) classRates() {
	m, c := e.m, e.m.Choices
	class, own, pool := precision(m.SdClass), precision(m.SdVoter), precision(m.SdPool)
	sum := e.o.Right * e.o.Weight
	for j := range m.Voters {
		s := m.Mean * own
		for k := range c {
			e.newton(j*c+k, m.Base[j]+m.Shift[k], class)
			s += (m.Rate[j*c+k] - m.Shift[k]) * class
		}
		m.Base[j] = s / (own + float64(c)*class)
		sum += m.Base[j]
	}
	for k := range c {
		s := 0.0
		for j := range m.Voters {
			s += (m.Rate[j*c+k] - m.Base[j]) * class
		}
		m.Shift[k] = max(-mostShift, min(mostShift, s/(pool+float64(m.Voters)*class)))
	}
	m.Mean = sum / (e.o.Weight + float64(m.Voters))
}

// These bound what is fitted with extreme priors.
const (
	mostShift  = 100.0
	mostSpread = 1e6
)

func precision(sd float64) float64 { return 1 / (sd * sd) }

func (e *em) newton(at int, mean, prec float64) {
	a, usual := e.m.Rate[at], e.m.usual(at/e.m.cols(), e.m.alike())
	for range 2 {
		p := sigma((a + usual.lift) * usual.flat)
		g := (e.r[at]-e.n[at]*p)*usual.flat - (a-mean)*prec
		h := e.n[at]*p*(1-p)*usual.flat*usual.flat + prec
		a += min(1, max(-1, g/h))
		e.info[at] = h
	}
	e.m.Rate[at] = a
}

// spreads re-estimates the standard deviations by empirical Bayes: the mean square of the deviations plus their
// posterior variance (Laplace's method), with a prior of Weight observations. Rows of the confusion matrix collapse to
// one number where votes do not support more.
func (e *em) spreads() {
	m, o, c := e.m, e.o, float64(e.m.Choices)
	if m.Own {
		return
	}
	class, own, pool := o.Weight*o.Class*o.Class, o.Weight*o.Voter*o.Voter, o.Weight*o.Pool*o.Pool
	tc, tu, tp := precision(m.SdClass), precision(m.SdVoter), precision(m.SdPool)
	for j := range m.Voters {
		for k, w := range m.Shift {
			at := j*m.Choices + k
			r := m.Rate[at] - m.Base[j] - w
			class += r*r + 1/e.info[at]
		}
		r := m.Base[j] - m.Mean
		own += r*r + 1/(tu+c*tc)
	}
	for _, w := range m.Shift {
		pool += w*w + 1/(tp+float64(m.Voters)*tc)
	}
	m.SdClass = min(mostSpread, math.Sqrt(class/(o.Weight+c*float64(m.Voters))))
	m.SdVoter = min(mostSpread, math.Sqrt(own/(o.Weight+float64(m.Voters))))
	m.SdPool = min(mostSpread, math.Sqrt(pool/(o.Weight+c)))
}
