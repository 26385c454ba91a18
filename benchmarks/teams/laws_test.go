package main

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// These are the laws of small teams, for every planted team, on draws that have no part in any choice. "Beyond noise" is
// three standard errors over draws and decisions, since they are asked of dozens of teams.

const draws = 4

var all = flag.Bool("all", false, "all planted teams, of which the tests play one of three otherwise")

// some are one of three teams, or all where the flag asks for them.
func some[T any](teams []T) (of []T) {
	for i, x := range teams {
		if *all || i%3 == 0 {
			of = append(of, x)
		}
	}
	return of
}

// played has the answers of an engine in decisions 101 to 200, draw after draw.
type played []answer

// playAll plays every planted team with each share of known outcomes once for all tests: [team][share][engine].
var playAll = sync.OnceValue(func() map[string]map[float64]map[string]played {
	of := map[string]map[float64]map[string]played{}
	var mu sync.Mutex // protects of
	var wg sync.WaitGroup
	for _, s := range slices.Concat(some(specs), some(many)) {
		wg.Go(func() {
			plays := map[float64]map[string]played{}
			for _, share := range told {
				plays[share] = s.play(share)
			}
			mu.Lock()
			defer mu.Unlock()
			of[s.name] = plays
		})
	}
	wg.Wait()
	return of
})

func (s *spec) play(share float64) map[string]played {
	of := map[string]played{}
	for seed := range uint64(draws) {
		r := rand.New(rand.NewPCG(7000+seed, 1))
		w := s.draw(r)
		tell := make([]bool, len(w.tasks))
		for n := range tell {
			tell[n] = r.Float64() < share
		}
		for _, e := range engines(w) {
			for n, x := range w.tasks {
				if a := e.decide(w, forms[0], x); n >= decisions/2 {
					of[e.name] = append(of[e.name], a)
				}
				e.learn(w, forms[0], n, tell[n])
			}
		}
	}
	return of
}

// worthOf is what one answer adds to the worth.
func worthOf(a answer) float64 {
	switch {
	case !a.decided:
		return 0
	case a.right:
		return 1
	default:
		return -7.0 / 3
	}
}

func leadsOf(a answer) float64 { return a.leads }

// less is by how much more than noise a measure of one is below that of another, decision by decision.
func (p played) less(o played, measure func(answer) float64) (by, noise float64) {
	n, each := float64(len(p)), float64(len(p)/draws)
	var squares, between, draw float64
	for i := range p {
		d := measure(o[i]) - measure(p[i])
		by += d / n
		squares += d * d / n
		if draw += d / each; (i+1)%int(each) == 0 {
			between += draw * draw / draws
			draw = 0
		}
	}
	decisions, over := (squares-by*by)/n, (between-by*by)/(draws-1)
	return by, 3 * math.Sqrt(max(decisions, over))
}

func mean(p played, measure func(answer) float64) (m float64) {
	for _, a := range p {
		m += measure(a) / float64(len(p))
	}
	return m
}

func measures(t *testing.T) {
	t.Helper()
	if testing.Short() || racing {
		t.Skip("takes seconds, and minutes under the race detector")
	}
}

// Worth weighs right decisions against wrong ones: neither number suffices by itself, since an engine that knows all
// rates decides more tasks than one that knows none, and so more of them wrong.
func TestMoreTruthNeverHurts(t *testing.T) {
	measures(t)
	for team, of := range playAll() {
		for i, share := range told[1:] {
			for name, measure := range map[string]func(answer) float64{"worth": worthOf, "leaders right": leadsOf} {
				less, more := of[told[i]]["default"], of[share]["default"]
				if by, noise := more.less(less, measure); by > noise {
					t.Errorf("%s: %s of %.1f %% with %.0f %% of the outcomes told, and of %.1f %% with %.0f %%: noise is %.1f",
						team, name, 100*mean(more, measure), 100*share, 100*mean(less, measure), 100*told[i], 100*noise)
				}
			}
		}
	}
}

// bounds are by how much worth may fall behind a part, by the share of known outcomes, where votes cannot do better.
// Four copies of one model look exactly like a strong voter's company, and the votes on decisions without outcomes
// still do when half are known. A voter that got worse is judged by its past, and one that joins late by its few
// outcomes; only the window forgets.
// docs/quality.md has both.
var bounds = map[float64]map[string]float64{
	0:   {"four copies of five": 0.45, "the best gets worse": 0.2},
	0.5: {"four copies of five": 0.15, "the best gets worse": 0.2, "the best joins late": 0.26},
}

func TestNeverBehindTheParts(t *testing.T) {
	measures(t)
	for team, of := range playAll() {
		for _, share := range told {
			parts := []string{"majority", "best voter"}
			if share == 0 {
				parts = []string{"weight"}
			}
			for _, part := range parts {
				if by, noise := of[share]["default"].less(of[share][part], worthOf); by > noise && by > bounds[share][team] {
					t.Errorf("%s, %.0f %% told: worth %.1f, that of %s %.1f: noise is %.1f", team, 100*share,
						100*mean(of[share]["default"], worthOf), part, 100*mean(of[share][part], worthOf), 100*noise)
				}
			}
		}
	}
}

// Where there are many ways to be wrong, voters who agree are mostly right.
func TestWithManyWrongAnswersNeverBehindWeight(t *testing.T) {
	measures(t)
	for _, s := range many {
		plays, played := playAll()[s.name]
		if !played {
			continue
		}
		of := plays[0]
		for name, measure := range map[string]func(answer) float64{"worth": worthOf, "leaders right": leadsOf} {
			if by, noise := of["default"].less(of["weight"], measure); by > noise {
				t.Errorf("%s, nothing told: %s of %.1f %%, by weight %.1f %%: noise is %.1f", s.name, name,
					100*mean(of["default"], measure), 100*mean(of["weight"], measure), 100*noise)
			}
		}
	}
}
