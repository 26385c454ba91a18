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
