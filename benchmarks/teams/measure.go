package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/swarmbus/swarmbus/internal/votes"
)

// told are the shares of outcomes that the engines learn.
var told = []float64{0, 0.1, 0.5, 1}

// row has the scores of one engine in one phase of one team, or of all teams of a kind together.
type row struct {
	Kind   string  `json:"kind"` // planted, or drawn
	Team   string  `json:"team"` // "" for all
	Told   float64 `json:"told"`
	Phase  string  `json:"phase"`
	Engine string  `json:"engine"`
	score
}

// job is a team that decides in every form, with every share of known outcomes.
type job struct {
	kind, team string
	mean       bool // counted in the mean of its kind
	draw       func(r *rand.Rand) *world
}

func (o *options) jobs(sets []*votes.Set) []job {
	var all []job
	for i := range specs {
		all = append(all, job{"planted", specs[i].name, i < shown, specs[i].draw})
	}
	for _, set := range sets {
		for _, size := range sizes {
			name := strconv.Itoa(size) + " of " + set.Name
			all = append(all, job{"drawn", name, true, func(r *rand.Rand) *world { return drawn(set, size, r) }})
		}
	}
	for i := range many { // last, so that all others are drawn as they always were
		all = append(all, job{"planted", many[i].name, false, many[i].draw})
	}
	return all
}

// measure plays all jobs, two at once; the rows do not depend on that.
func (o *options) measure(sets []*votes.Set) []row {
	jobs := o.jobs(sets)
	parts := make([][]row, len(jobs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				parts[i] = o.play(jobs[i], uint64(i))
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wg.Wait()
	var rows []row
	for i, part := range parts {
		if jobs[i].mean {
			for _, r := range part {
				r.Team = ""
				rows = add(rows, r)
			}
		}
	}
	return append(rows, slices.Concat(parts...)...)
}

func add(rows []row, r row) []row {
	for i := range rows {
		x := &rows[i]
		if x.Kind == r.Kind && x.Team == r.Team && x.Told == r.Told && x.Phase == r.Phase && x.Engine == r.Engine {
			x.join(&r.score)
			return rows
		}
	}
	return append(rows, r)
}

func (o *options) play(j job, number uint64) (rows []row) {
	for seed := range o.seeds {
		for _, f := range forms {
			for _, share := range told {
				r := rand.New(rand.NewPCG(o.seed+uint64(seed), number))
				w := j.draw(r)
				if !f.suits(w) || f.approval && j.kind == "planted" {
					continue
				}
				tell := make([]bool, len(w.tasks))
				for n := range tell {
					tell[n] = r.Float64() < share
				}
				for _, e := range engines(w) {
					for p, s := range decideAll(w, f, e.engine, tell) {
						rows = add(rows, row{j.kind, j.team, share, phases[p].name, e.name, s})
					}
				}
			}
		}
	}
	return rows
}

// decideAll lets an engine decide a world's tasks; a score for each phase.
func decideAll(w *world, f form, e engine, tell []bool) (s [3]score) {
	for n, t := range w.tasks {
		s[phase(n)].add(e.decide(w, f, t))
		e.learn(w, f, n, tell[n])
	}
	return s
}
