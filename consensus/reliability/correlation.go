package reliability

import "math"

// closest is the upper bound of all correlations, so that R stays positive definite.
const closest = 0.98

// correlation is the correlation of voters' errors, that is of their votes given the outcome. Pairs with few decisions
// in common are shrunk to the pooled one.
type correlation struct {
	Pooled float64   `json:"pooled"`
	Voters int       `json:"voters"`
	Pair   []float64 `json:"pair,omitempty"` // [voter][voter]; nil if there are too many voters
}

// paired reports whether the voter has correlations of its own.
func (c *correlation) paired(j int32) bool { return c != nil && c.Pair != nil && int(j) < c.Voters }

func (c *correlation) between(a, b int32) float64 {
	if !c.paired(a) || !c.paired(b) {
		return c.pooled()
	}
	return c.Pair[int(a)*c.Voters+int(b)]
}

func (c *correlation) pooled() float64 {
	if c == nil {
		return 0
	}
	return c.Pooled
}

// measuring sums products of residuals, and of their standard deviations, over all pairs and for each pair.
type measuring struct {
	e                *em
	mean             []float64 // probability of being right, [voter*columns]
	num, all         float64
	pair, den        []float64
	knownPair, known []float64 // the same, from known outcomes alone

	r, sd, total []float64 // of the decision at hand
}

// correlate estimates the correlations from residuals r = vote − expected vote, one coordinate per choice, given the
// leading choice: ρ(j,k) = Σ⟨r_j,r_k⟩ / Σ√(var_j·var_k), with the pooled correlation added as a prior of Pairs votes.
// It is the intraclass correlation of Fisher (1925), for votes as in Fleiss and Cuzick (1979). Evidence from known
// outcomes takes precedence over evidence from a consensus.
func (e *em) correlate() *correlation {
	n := e.b.Voters
	s := &measuring{e: e, mean: make([]float64, len(e.m.Rate)), total: make([]float64, e.b.widest())}
	for i := range s.mean {
		s.mean[i] = e.m.meanRate(i, exactly(0))
	}
	if n <= e.o.MaxPairs {
		slab := make([]float64, 4*n*n)
		s.pair, s.den, s.knownPair, s.known = slab[:n*n:n*n], slab[n*n:][:n*n], slab[2*n*n:][:n*n], slab[3*n*n:]
	}
	for t := range e.b.size() {
		s.decision(t)
	}
	c := &correlation{Voters: n}
	if s.all > 0 {
		c.Pooled = min(closest, max(0, s.num/s.all))
	}
	if s.pair != nil {
		c.Pair = s.shrunk(c.Pooled)
	}
	return c
}

func (s *measuring) shrunk(pooled float64) []float64 {
	n, w := s.e.b.Voters, s.e.o.Pairs
	pair := make([]float64, n*n)
	for a := range n {
		for b := a + 1; b < n; b++ {
			at := a*n + b
			x := (s.pair[at] + w*pooled) / (s.den[at] + w)
			x = (s.knownPair[at] + w*x) / (s.known[at] + w)
			x = min(closest, max(0, x))
			if g := s.e.m.Shared; g != nil && g[a] == g[b] {
				x = closest
			}
			pair[at], pair[b*n+a] = x, x
		}
		pair[a*n+a] = closest
	}
	return pair
}

func (s *measuring) decision(t int) {
	v, post := s.e.votes(t), s.e.post[t]
	lead, k := best(post), len(post)
	p, total := post[lead], s.total[:k]
	s.r, s.sd = s.r[:0], s.sd[:0]
	clear(total)
	sum, squares, norms := 0.0, 0.0, 0.0
	for i := range v.voter {
		s.residual(v, i, lead)
		variance := 1.0
		for l, x := range s.r[i*k:] {
			total[l] += x
			norms += x * x
			if l == int(v.said[i]) {
				x--
			}
			variance -= x * x
		}
		s.sd = append(s.sd, math.Sqrt(max(variance, 1e-9)))
		sum += s.sd[i]
		squares += s.sd[i] * s.sd[i]
	}
	for _, x := range total {
		s.num += p * x * x
	}
	s.num -= p * norms
	s.all += p * (sum*sum - squares)
	if s.pair != nil {
		s.pairs(v, p, s.e.b.Known[t] >= 0)
	}
}

func (s *measuring) pairs(v votes, p float64, known bool) {
	k, n := int(v.field), s.e.b.Voters
	for i := range v.voter {
		ri := s.r[i*k:][:k]
		for h := i + 1; h < len(v.voter); h++ {
			x := 0.0
			for l, y := range s.r[h*k:][:k] {
				x += ri[l] * y
			}
			a, b := min(v.voter[i], v.voter[h]), max(v.voter[i], v.voter[h])
			at := int(a)*n + int(b)
			s.pair[at] += p * x
			s.den[at] += p * s.sd[i] * s.sd[h]
			if known {
				s.knownPair[at] += x
				s.known[at] += s.sd[i] * s.sd[h]
			}
		}
	}
}

// residual appends the residual of vote i: the vote less its expectation if lead is right.
func (s *measuring) residual(v votes, i, lead int) {
	m, k, j := s.e.m, int(v.field), int(v.voter[i])
	at := j
	if !m.Own {
		at = j*k + lead
	}
	mean := s.mean[at]
	if lift := v.lifted(i); lift != 0 {
		mean = m.meanRate(at, exactly(lift))
	}
	for l := range k {
		x := 0.0
		switch {
		case l == lead:
			x = -mean
		case !m.Own:
			x = -(1 - mean) * m.wrong[at*k+l]
		default:
			x = -(1 - mean) * m.instead(k, lead, l)
		}
		if l == int(v.said[i]) {
			x++
		}
		s.r = append(s.r, x)
	}
}

func best(p []float64) int {
	b := 0
	for i, x := range p {
		if x > p[b] {
			b = i
		}
	}
	return b
}
