package main

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

func dawidSkene(s *set, gold []int32) []float64 { return confusion(s, gold, 4, true) }

func ibcc(s *set, gold []int32) []float64 { return confusion(s, gold, 4, false) }

// confusion learns a row of answers per voter and truth with a Dirichlet prior of diag votes for the truth and
// one for each other label; by the mean of the parameters, or by variational expectations.
func confusion(s *set, gold []int32, diag float64, mean bool) []float64 {
	k := s.k()
	post := majority(s, gold)
	rows, classes := make([]float64, s.voters()*k*k), make([]float64, k)
	for range 100 {
		for i := range rows {
			rows[i] = 1
			if i%k == i/k%k {
				rows[i] = diag
			}
		}
		for c := range classes {
			classes[c] = 1
		}
		for t := range s.tasks() {
			for c, x := range post[t*k:][:k] {
				classes[c] += x
				for i := s.start[t]; i < s.start[t+1]; i++ {
					rows[(int(s.voter[i])*k+c)*k+int(s.label[i])] += x
				}
			}
		}
		logRows(rows, k, mean)
		logRows(classes, k, mean)
		if s.reclassify(post, rows, classes, gold) < 1e-5 {
			break
		}
	}
	return post
}

// reclassify is the E step; it returns the greatest change.
func (s *set) reclassify(post, rows, classes []float64, gold []int32) float64 {
	k, change := s.k(), 0.0
	for t := range s.tasks() {
		if gold[t] >= 0 {
			continue
		}
		p := post[t*k:][:k]
		was := p[0]
		copy(p, classes)
		for i := s.start[t]; i < s.start[t+1]; i++ {
			for c := range p {
				p[c] += rows[(int(s.voter[i])*k+c)*k+int(s.label[i])]
			}
		}
		softmax(p)
		change = math.Max(change, math.Abs(was-p[0]))
	}
	return change
}

// logRows turns counts into the logarithm of their mean, or into the mean of the logarithm.
func logRows(counts []float64, k int, mean bool) {
	for at := 0; at < len(counts); at += k {
		row := counts[at:][:k]
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		for i, x := range row {
			if mean {
				row[i] = math.Log(x / sum)
			} else {
				row[i] = mathext.Digamma(x) - mathext.Digamma(sum)
			}
		}
	}
}

const subtypes = 3

// ebcc lets each label have subtypes on which voters err alike, by mean-field variational inference from a
// seeded start.
func ebcc(s *set, gold []int32) []float64 {
	k := s.k()
	e := &ebccFit{s: s, n: k * subtypes, q: make([]float64, s.tasks()*k*subtypes)}
	post := majority(s, gold)
	e.start(post)
	for range 60 {
		e.count()
		e.assign(gold)
	}
	for i := range post {
		post[i] = 0
		for m := range subtypes {
			post[i] += e.q[i*subtypes+m]
		}
	}
	return post
}

type ebccFit struct {
	s     *set
	n     int       // subtypes of all labels
	q     []float64 // [task][label·subtype]
	votes []float64 // [voter][said][subtype], expected logarithm
	prior []float64
}

func (e *ebccFit) start(post []float64) {
	r := newRandom(1)
	w := make([]float64, subtypes)
	for i, p := range post {
		for m := range w {
			w[m] = -math.Log(1 - r.float())
		}
		normalise(w)
		for m, x := range w {
			e.q[i*subtypes+m] = x * p
		}
	}
}

func (e *ebccFit) count() {
	s, k := e.s, e.s.k()
	e.votes, e.prior = make([]float64, s.voters()*k*e.n), make([]float64, e.n)
	for i := range e.votes {
		e.votes[i] = 1
		if i%e.n/subtypes == i/e.n%k {
			e.votes[i] = 4
		}
	}
	for m := range e.prior {
		e.prior[m] = 0.1 / subtypes
	}
	for t := range s.tasks() {
		q := e.q[t*e.n:][:e.n]
		for m, x := range q {
			e.prior[m] += x
		}
		for i := s.start[t]; i < s.start[t+1]; i++ {
			row := e.votes[(int(s.voter[i])*k+int(s.label[i]))*e.n:][:e.n]
			for m, x := range q {
				row[m] += x
			}
		}
	}
	e.expectations()
}

func (e *ebccFit) expectations() {
	k := e.s.k()
	for c := range k {
		p := e.prior[c*subtypes:][:subtypes]
		sum := 0.0
		for _, x := range p {
			sum += x
		}
		for m, x := range p {
			p[m] = mathext.Digamma(x) - mathext.Digamma(sum) + mathext.Digamma(1+sum)
		}
	}
	total := make([]float64, e.n)
	for j := range e.s.voters() {
		clear(total)
		mine := e.votes[j*k*e.n:][:k*e.n]
		for i, x := range mine {
			total[i%e.n] += x
		}
		for m := range total {
			total[m] = mathext.Digamma(total[m])
		}
		for i, x := range mine {
			mine[i] = mathext.Digamma(x) - total[i%e.n]
		}
	}
}

func (e *ebccFit) assign(gold []int32) {
	s, k := e.s, e.s.k()
	for t := range s.tasks() {
		q := e.q[t*e.n:][:e.n]
		copy(q, e.prior)
		for i := s.start[t]; i < s.start[t+1]; i++ {
			for m, x := range e.votes[(int(s.voter[i])*k+int(s.label[i]))*e.n:][:e.n] {
				q[m] += x
			}
		}
		if gold[t] >= 0 {
			for m := range q {
				if m/subtypes != int(gold[t]) {
					q[m] = math.Inf(-1)
				}
			}
		}
		softmax(q)
	}
}
