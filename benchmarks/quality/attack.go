package main

import (
	"fmt"
	"math"
)

// attack adds voters to a set: a share of all voters that agrees on one wrong answer a task, always, or
// only on three tasks in ten and right in 85 % of the others.
type attack struct {
	name     string
	share    float64
	sleepers bool
	known    float64 // share of known outcomes
}

var attacks = []attack{
	{"20 % colluders", 0.2, false, 0},
	{"40 % colluders", 0.4, false, 0},
	{"50 % colluders", 0.5, false, 0},
	{"20 % sleepers", 0.2, true, 0},
	{"30 % sleepers, 10 % known", 0.3, true, 0.1},
}

// attacked has the scores of a method on the tasks under attack.
type attacked struct {
	Accuracy  float64 `json:"accuracy"`
	WrongSure float64 `json:"wrongSure"` // share wrong with a confidence of at least 0.95 and certified
	Certified bool    `json:"certified"`
}

// under returns the set with the attackers, who vote as often as the average voter, and the tasks they attack.
func (a attack) under(s *set, seed uint64) (*set, []bool) {
	r := newRandom(seed + 77)
	add := int(math.Round(float64(s.voters()) * a.share / (1 - a.share)))
	density := float64(len(s.voter)) / float64(s.tasks()) / float64(s.voters())
	o := *s
	o.start, o.voter, o.label, o.weight = []int32{0}, nil, nil, nil
	o.names = append([]string(nil), s.names...)
	for n := range add {
		o.names = append(o.names, fmt.Sprint("attacker ", n))
	}
	under := make([]bool, s.tasks())
	for t, y := range s.truth {
		o.copyVotes(s, t)
		if y >= 0 {
			wrong := s.wrong(t, r)
			under[t] = !a.sleepers || r.float() < 0.3
			for n := range add {
				if r.float() < density {
					o.cast(s.voters()+n, a.says(under[t], y, wrong, s.k(), r))
				}
			}
		}
		o.start = append(o.start, int32(len(o.voter)))
	}
	return &o, under
}

func (s *set) copyVotes(from *set, t int) {
	a, b := from.start[t], from.start[t+1]
	s.voter = append(s.voter, from.voter[a:b]...)
	s.label = append(s.label, from.label[a:b]...)
	s.weight = append(s.weight, from.weight[a:b]...)
}

func (s *set) cast(voter int, label int32) {
	s.voter, s.label, s.weight = append(s.voter, int32(voter)), append(s.label, label), append(s.weight, 1)
}

// wrong is the most popular wrong label, one of the first four if there is none.
func (s *set) wrong(t int, r *random) int32 {
	count := s.counts(s.votesOn(t))
	y, bad := int(s.truth[t]), -1
	for l := range count {
		if l != y && (bad < 0 || count[l] > count[bad]) {
			bad = l
		}
	}
	if count[bad] == 0 && s.k() > 2 {
		few := min(s.k(), 4)
		bad = (y + 1 + r.below(few-1)) % few
		if bad == y {
			bad = (bad + 1) % s.k()
		}
	}
	return int32(bad)
}

func (a attack) says(under bool, right, wrong int32, k int, r *random) int32 {
	if under {
		return wrong
	}
	if r.float() < 0.85 {
		return right
	}
	if l := int32(r.below(k)); l != right {
		return l
	}
	return wrong
}

// resist scores methods on the tasks under attack.
func (a attack) resist(s *set, seed uint64) map[string]attacked {
	o, under := a.under(s, seed)
	gold := o.known(a.known, seed)
	out := map[string]attacked{}
	model := o.learnt(gold)
	sure, _ := model.Doubt()
	for name, answers := range map[string][]answer{
		"majority":    byPosterior(majority)(o, gold),
		"dawid-skene": byPosterior(dawidSkene)(o, gold),
		"learned":     byPosterior(func(*set, []int32) []float64 { return o.pooled(model) })(o, gold),
	} {
		x := attacked{Certified: name != "learned" || sure == ""}
		n := 0.0
		for t, y := range o.truth {
			if !under[t] || y < 0 || gold[t] >= 0 {
				continue
			}
			n++
			right := hit(answers[t].p, y)
			x.Accuracy += right
			if x.Certified && answers[t].confidence >= sureAt && right == 0 {
				x.WrongSure++
			}
		}
		x.Accuracy, x.WrongSure = x.Accuracy/math.Max(n, 1), x.WrongSure/math.Max(n, 1)
		out[name] = x
	}
	return out
}
