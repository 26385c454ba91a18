package reliability

import "math"

// count computes the expected counts for the M step.
func (e *em) count() {
	clear(e.n)
	clear(e.r)
	clear(e.rowN)
	prior := fill(e.b.Choices, 1)
	for t, post := range e.post {
		if e.b.Own {
			e.countOwn(e.b.votes(t), post)
			continue
		}
		for c, p := range post {
			prior[c] += p
		}
		e.countShared(e.b.votes(t), post)
	}
	if e.b.Own {
		return // choices have no meaning across decisions
	}
	s := 0.0
	for _, p := range prior {
		s += p
	}
	for c, p := range prior {
		e.m.Prior[c] = math.Log(p / s)
	}
}

func (e *em) countShared(v votes, post []float64) {
	k := e.b.Choices
	for i, j := range v.voter {
		l := int(v.said[i])
		for c, p := range post {
			if p < 1e-9 {
				continue
			}
			at := int(j)*k + c
			e.n[at] += p
			if c == l {
				e.r[at] += p
			} else {
				e.rowN[at*k+l] += p
			}
		}
	}
}

func (e *em) countOwn(v votes, post []float64) {
	for i, j := range v.voter {
		e.n[j]++
		e.r[j] += post[v.said[i]]
	}
}

// rows is the M step for wrong answers: the pool's distributions, and each voter's, shrunk to the pool's by Rows votes.
func (e *em) rows() {
	if e.b.Own {
		return
	}
	m, k := e.m, e.b.Choices
	e.poolRows()
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

// others estimates the effective number of wrong answers: the number of pairs of voters who are both wrong, divided by
// the number of those pairs that say the same (Simpson, 1949). Ten pairs that say the same are added as a prior. The
// number of answers ever named is an upper bound. Copies count as one voter.
func (e *em) others() {
	pairs, same, n := 10.0, 10.0, make([]float64, e.b.widest())
	for t := range e.b.size() {
		v := e.one.votes(t)
		clear(n)
		all, alike := 0.0, 0.0
		for _, l := range v.said {
			if !e.b.Own || l != v.field-1 {
				n[l]++
				all++
			}
		}
		for _, x := range n[:v.field] {
			alike += x * (x - 1) / 2
		}
		for c, x := range n[:v.field] {
			p, wrong := e.post[t][c], all-x
			pairs += p * wrong * (wrong - 1) / 2
			same += p * (alike - x*(x-1)/2)
		}
	}
	e.m.Others = pairs / same
	if e.b.Answers > 0 {
		e.m.Others = min(e.m.Others, float64(e.b.Answers-1))
	}
	e.m.Others = max(1, e.m.Others)
}
