package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// weighted is the share of voters' weight by label, that of votes without; a known outcome is itself.
func weighted(s *set, w []float64, gold []int32) []float64 {
	k := s.k()
	post := make([]float64, s.tasks()*k)
	for t := range s.tasks() {
		p := post[t*k:][:k]
		if gold[t] >= 0 {
			p[gold[t]] = 1
			continue
		}
		for i := s.start[t]; i < s.start[t+1]; i++ {
			x := 1.0
			if w != nil {
				x = w[s.voter[i]]
			}
			p[s.label[i]] += x
		}
		normalise(p)
	}
	return post
}

func normalise(p []float64) {
	if sum := floats.Sum(p); sum > 0 {
		floats.Scale(1/sum, p)
		return
	}
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
}

func softmax(p []float64) {
	z := floats.LogSumExp(p)
	for i, x := range p {
		p[i] = math.Exp(x - z)
	}
}

func majority(s *set, gold []int32) []float64 { return weighted(s, nil, gold) }

// top is the first of the greatest.
func top(p []float64) int {
	b := 0
	for i, x := range p {
		if x > p[b]+1e-12 {
			b = i
		}
	}
	return b
}

func wawa(s *set, gold []int32) []float64 {
	post := majority(s, gold)
	agree, n := make([]float64, s.voters()), make([]float64, s.voters())
	for t := range s.tasks() {
		b := top(post[t*s.k():][:s.k()])
		for i := s.start[t]; i < s.start[t+1]; i++ {
			n[s.voter[i]]++
			if int(s.label[i]) == b {
				agree[s.voter[i]]++
			}
		}
	}
	for j := range agree {
		agree[j] /= math.Max(n[j], 1)
	}
	return weighted(s, agree, gold)
}

// oneCoin has one number per voter and uniform wrong answers, with a prior of two votes, 0.7 of them right.
func oneCoin(s *set, gold []int32) []float64 {
	post, k := majority(s, gold), s.k()
	right, n := make([]float64, s.voters()), make([]float64, s.voters())
	for range 100 {
		for j := range right {
			right[j], n[j] = 1.4, 2
		}
		for t := range s.tasks() {
			for i := s.start[t]; i < s.start[t+1]; i++ {
				right[s.voter[i]] += post[t*k+int(s.label[i])]
				n[s.voter[i]]++
			}
		}
		for t := range s.tasks() {
			if gold[t] >= 0 {
				continue
			}
			p := post[t*k:][:k]
			clear(p)
			for i := s.start[t]; i < s.start[t+1]; i++ {
				r := right[s.voter[i]] / n[s.voter[i]]
				p[s.label[i]] += math.Log(r) - math.Log((1-r)/float64(k-1))
			}
			softmax(p)
		}
	}
	return post
}

// glad has an ability a per voter and an ease b per task: right with probability σ(a·b). Priors are those of
// the paper, a ~ N(1,1) and log b ~ N(1,1); the M step is twenty steps of scaled gradient ascent.
func glad(s *set, gold []int32) []float64 {
	post, k := majority(s, gold), s.k()
	g := &gladFit{s: s, post: post, a: make([]float64, s.voters()), b: make([]float64, s.tasks())}
	for j := range g.a {
		g.a[j] = 1
	}
	for t := range g.b {
		g.b[t] = 1
	}
	for range 30 {
		for range 20 {
			g.step()
		}
		for t := range s.tasks() {
			if gold[t] >= 0 {
				continue
			}
			p := post[t*k:][:k]
			clear(p)
			for i := s.start[t]; i < s.start[t+1]; i++ {
				x := g.a[s.voter[i]] * math.Exp(g.b[t])
				p[s.label[i]] += x + math.Log(float64(k-1)) // log odds of σ(x) against (1−σ(x))/(k−1)
			}
			softmax(p)
		}
	}
	return post
}

type gladFit struct {
	s      *set
	post   []float64
	a, b   []float64 // ability, log ease
	ga, gb []float64
	ha, hb []float64
}

func (g *gladFit) step() {
	s, k := g.s, g.s.k()
	g.ga, g.ha = make([]float64, len(g.a)), make([]float64, len(g.a))
	g.gb, g.hb = make([]float64, len(g.b)), make([]float64, len(g.b))
	for t := range g.b {
		ease := math.Exp(g.b[t])
		for i := s.start[t]; i < s.start[t+1]; i++ {
			j := s.voter[i]
			q := 1 / (1 + math.Exp(-g.a[j]*ease))
			d := g.post[t*k+int(s.label[i])] - q
			g.ga[j] += d * ease
			g.ha[j] += q * (1 - q) * ease * ease
			g.gb[t] += d * g.a[j] * ease
			g.hb[t] += q * (1 - q) * g.a[j] * g.a[j] * ease * ease
		}
	}
	for j, a := range g.a {
		g.a[j] += clip((g.ga[j] - (a - 1)) / (2 * (g.ha[j] + 1)))
	}
	for t, b := range g.b {
		g.b[t] = math.Min(3, b+clip((g.gb[t]-(b-1))/(2*(g.hb[t]+1))))
	}
}

func clip(x float64) float64 { return math.Max(-0.5, math.Min(0.5, x)) }

// pruned weighs voters by agreement with the weighted plurality of the others, drops the worst fifth and
// begins anew, down to five votes a task.
func pruned(s *set, gold []int32) []float64 {
	w, per := make([]float64, s.voters()), make([]float64, s.voters())
	for j := range w {
		w[j] = 1
	}
	for _, j := range s.voter {
		per[j]++
	}
	alive := s.voters()
	for range 40 {
		var share []float64
		for range 5 {
			share = s.peers(w)
		}
		votes := 0.0
		for j := range w {
			if w[j] > 0 {
				votes += per[j]
			}
		}
		drop := max(1, alive/5)
		if votes*(1-float64(drop)/float64(alive))/float64(s.tasks()) < 5 {
			break
		}
		for range drop {
			worst := -1
			for j := range w {
				if w[j] > 0 && (worst < 0 || share[j] < share[worst]) {
					worst = j
				}
			}
			w[worst] = 0
			alive--
		}
	}
	return weighted(s, w, gold)
}

// peers sets the weights of those who have one to the log-odds of agreeing with the others, and returns how
// often they do.
func (s *set) peers(w []float64) []float64 {
	agree, n, p := make([]float64, len(w)), make([]float64, len(w)), make([]float64, s.k())
	for t := range s.tasks() {
		clear(p)
		for i := s.start[t]; i < s.start[t+1]; i++ {
			p[s.label[i]] += w[s.voter[i]]
		}
		for i := s.start[t]; i < s.start[t+1]; i++ {
			j, l := s.voter[i], s.label[i]
			p[l] -= w[j]
			if b := top(p); p[b] > 0 {
				n[j]++
				if p[l] >= p[b]-same {
					agree[j]++
				}
			}
			p[l] += w[j]
		}
	}
	for j := range w {
		if w[j] > 0 && n[j] > 0 {
			x := math.Min(0.98, math.Max((agree[j]+1)/(n[j]+2), 0.02))
			w[j] = math.Max(0.01, math.Log(x/(1-x)*float64(s.k()-1)))
		}
		agree[j] /= n[j]
	}
	return agree
}
