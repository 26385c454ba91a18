package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// apart are what the structures that are averaged say of one task, each by itself: [structure][label].
type apart [][]float64

var structures = []string{"rates", "peers"}

// weights of the structures, as multiples of those they have, by their place in structures.
type weights []float64

// combinations are what may be chosen: one of the structures alone, or both, with peers at a quarter to four times their
// weight.
var combinations = []weights{{1, 0}, {1, 0.25}, {1, 0.5}, {1, 1}, {1, 2}, {1, 4}, {0, 1}}

// shipped are the weights that the package has.
var shipped = slices.IndexFunc(combinations, func(w weights) bool { return slices.Equal(w, weights{1, 1}) })

// leftOut is a set with the measures of every combination on it, in their order.
type leftOut struct {
	set      string
	of       []measures
	shipped  measures
	majority float64
}

// structured are what the structures say of every task of a set when nothing is known.
func (s *set) structured(m *reliability.Model) []apart {
	all := make([]apart, s.tasks())
	for t := range all {
		b := s.ballots(nil, s.votesOn(t))
		all[t] = make(apart, len(structures))
		for _, x := range m.Structures(b) {
			p := make([]float64, s.k())
			for i, name := range b.Proposals() {
				p[s.place[name]] = x.Weight * x.Each[i]
			}
			all[t][slices.Index(structures, x.Name)] = p
		}
	}
	return all
}

func (w weights) answer(a apart, k int) answer {
	p, sum := make([]float64, k), 0.0
	for i, of := range a {
		for l, x := range of {
			p[l] += w[i] * x
			sum += w[i] * x
		}
	}
	if sum == 0 { // nobody whom these structures know says anything
		return answer{p: uniform(k), leads: slices.Repeat([]bool{true}, k), confidence: 1 / float64(k)}
	}
	for l := range p {
		p[l] /= sum
	}
	top := slices.Max(p)
	leads := make([]bool, k)
	for l, x := range p {
		leads[l] = x >= top-same
	}
	return answer{p, leads, top}
}

func uniform(k int) []float64 { return slices.Repeat([]float64{1 / float64(k)}, k) }

func (s *set) leftOut() leftOut {
	x := leftOut{set: s.name, majority: measure(s.score(byPosterior(majority)(s, s.known(0, 1)), nil), false).Accuracy}
	all := s.structured(s.learnt(s.known(0, 1)))
	for _, w := range combinations {
		answers := make([]answer, len(all))
		for t, a := range all {
			answers[t] = w.answer(a, s.k())
		}
		x.of = append(x.of, measure(s.score(answers, nil), s.k() == 2))
	}
	x.shipped = x.of[shipped]
	return x
}

// leftOutRow is what was chosen on all other sets, and what it does on this one.
type leftOutRow struct {
	Set    string  `json:"set"`
	Chosen weights `json:"chosen"`
	measures
	Shipped  measures `json:"shipped"` // with the weights that the package has
	Majority float64  `json:"majority"`
}

// chooseLeftOut chooses for each set the combination that is best on the others: by accuracy less the Brier score, so
// that what is claimed counts.
func chooseLeftOut(all []leftOut) (rows []leftOutRow) {
	for i, x := range all {
		top, best := math.Inf(-1), 0
		for c := range combinations {
			sum := 0.0
			for o, other := range all {
				if o != i {
					sum += other.of[c].Accuracy - other.of[c].Brier
				}
			}
			if sum > top {
				top, best = sum, c
			}
		}
		rows = append(rows, leftOutRow{x.set, combinations[best], x.of[best], x.shipped, x.majority})
	}
	return rows
}

func (r *results) leftOutTable(b io.Writer) {
	if len(r.LeftOut) < 2 {
		return
	}
	fmt.Fprintf(b, "\n## Left out\n\nNo known outcome. How much each structure counts, of %d combinations, is chosen for each set on the others.\n\n", len(combinations))
	fmt.Fprintf(b, "| set | chosen: %s | accuracy %% | Brier | ECE %% | sure of (≥ 0.95) %% | right there %% | majority %% | as it is %% | Brier |\n", strings.Join(structures, ", "))
	fmt.Fprint(b, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	all := leftOutRow{Set: "mean"}
	var ms, shipped []measures
	worst := math.Inf(1)
	for _, x := range r.LeftOut {
		ms, shipped = append(ms, x.measures), append(shipped, x.Shipped)
		all.Majority += x.Majority / float64(len(r.LeftOut))
		worst = min(worst, x.Accuracy-x.Majority)
		x.line(b)
	}
	all.measures, all.Shipped = mean(ms), mean(shipped)
	all.line(b)
	fmt.Fprintf(b, "\nWorst against majority: %+.1f points.\n", 100*worst)
}

func (x *leftOutRow) line(b io.Writer) {
	fmt.Fprintf(
		b, "| %s | %s | %s | %.3f | %s | %s | %s | %s | %s | %.3f |\n", x.Set, strings.Trim(fmt.Sprint([]float64(x.Chosen)), "[]"),
		percent(x.Accuracy), x.Brier, percent(x.ECE), percent(x.Sure), percent(x.RightThere), percent(x.Majority),
		percent(x.Shipped.Accuracy), x.Shipped.Brier,
	)
}
