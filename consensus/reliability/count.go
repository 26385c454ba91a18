package reliability

import "math"

// count gathers the expected counts of the M step.
func (e *em) count() {
	clear(e.n)
	clear(e.r)
	clear(e.rowN)
	k := e.b.Choices
	prior := fill(k, 1)
	for t := range e.b.size() {
		resp, post := e.resp[t*k*levels:][:k*levels], e.post[t*k:][:k]
		for c, p := range post {
			prior[c] += p
		}
		if e.b.Own {
			e.countOwn(e.b.votes(t), resp)
			continue
		}
		e.countShared(e.b.votes(t), resp, post)
	}
	if e.b.Own {
		return // a choice's number means nothing
	}
	s := 0.0
	for _, p := range prior {
		s += p
	}
	for c, p := range prior {
		e.m.Prior[c] = math.Log(p / s)
	}
}

func (e *em) countShared(v votes, resp, post []float64) {
	k := e.b.Choices
	for i, j := range v.voter {
		l := int(v.said[i])
		for c, p := range post {
			if p < 1e-9 {
				continue
			}
			at := (int(j)*k + c) * levels
			x := resp[c*levels:][:levels]
			n := e.n[at : at+levels]
			for d := range n {
				n[d] += x[d]
			}
			if c != l {
				e.rowN[(int(j)*k+c)*k+l] += p
				continue
			}
			r := e.r[at : at+levels]
			for d := range r {
				r[d] += x[d]
			}
		}
	}
}

func (e *em) countOwn(v votes, resp []float64) {
	var total [levels]float64
	for i, p := range resp {
		total[i%levels] += p
	}
	for i, j := range v.voter {
		n, r := e.n[int(j)*levels:][:levels], e.r[int(j)*levels:][:levels]
		x := resp[int(v.said[i])*levels:][:levels]
		for d := range n {
			n[d] += total[d]
			r[d] += x[d]
		}
	}
}

// rows is the M step for wrong answers: the pool's, and each voter's shrunk to it by Rows votes.
func (e *em) rows(round int) {
	if e.b.Own {
		return
	}
	m, k := e.m, e.b.Choices
	e.poolRows()
	if k > 2 && round%4 == 3 {
		m.Rows = e.rowWeight()
	}
	for at := range m.Voters * k {
		c := at % k
		row := m.Wrong[at*k:][:k]
		s := 0.0
		for l, n := range e.rowN[at*k:][:k] {
			if l != c {
				row[l] = n + m.Rows*m.PoolWrong[c*k+l]
				s += row[l]
			}
		}
		for l := range row {
			if l != c {
				row[l] = math.Log(row[l] / s)
			}
		}
	}
}

func (e *em) poolRows() {
	m, k := e.m, e.b.Choices
	clear(m.PoolWrong)
	for j := range m.Voters {
		for i, n := range e.rowN[j*k*k:][:k*k] {
			m.PoolWrong[i] += n
		}
	}
	for c := range k {
		row := m.PoolWrong[c*k:][:k]
		s := 0.0
		for l := range row {
			if l != c {
				row[l] += 4 / float64(k-1)
				s += row[l]
			}
		}
		for l := range row {
			row[l] /= s
		}
	}
}

// rowWeight is the Dirichlet weight under which the wrong answers are most likely (Dirichlet-multinomial:
// Minka, 2000), on a grid.
func (e *em) rowWeight() float64 {
	top, at := math.Inf(-1), e.m.Rows
	for w := 2.0; w <= 256; w *= 2 {
		if v := e.rowFit(w); v > top {
			top, at = v, w
		}
	}
	return at
}

func (e *em) rowFit(w float64) float64 {
	k, v := e.b.Choices, 0.0
	for i := range e.m.Voters * k {
		total := 0.0
		for l, n := range e.rowN[i*k:][:k] {
			if n > 0 {
				q := w * e.m.PoolWrong[i%k*k+l]
				v += lgamma(q+n) - lgamma(q)
				total += n
			}
		}
		v += lgamma(w) - lgamma(w+total)
	}
	return v
}
