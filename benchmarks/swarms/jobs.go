package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
)

// A part is the questions of a team from one to before another.
type part struct{ from, to int }

// together is how many questions a team is asked before other teams have their turn.
const together = 25

// parts returns the parts of all questions.
func (o *options) parts() (all []part) {
	for from := 0; from < o.questions; from += together {
		all = append(all, part{from, min(from+together, o.questions)})
	}
	return all
}

// A job is the work of a contender with a team.
type job struct {
	anew                    bool
	world, by, budget, team int
}

// jobs returns all jobs. Jobs that do not depend on the budget run only for the first one, and
// the goals, for which worlds are drawn anew, need the first two.
func (o *options) jobs() (all []job) {
	for w := range worlds {
		for by, c := range contenders {
			for b := range o.budgets {
				for team := range o.teams {
					if c.fixed && b > 0 {
						continue
					}
					all = append(all, job{false, w, by, b, team})
					if b < 2 {
						all = append(all, job{true, w, by, b, team})
					}
				}
			}
		}
	}
	return all
}

// measure lets all contenders play in all worlds, each on the same questions. It goes
// through the questions part by part; if ctx ends, the parts that were completed
// count.
func (o *options) measure(ctx context.Context) (rows, redrawn []row, questions int, err error) {
	scores := map[job]score{}
	for _, p := range o.parts() {
		more, err := o.play(ctx, p)
		if err != nil {
			return nil, nil, 0, err
		}
		if ctx.Err() != nil {
			break
		}
		for j, sc := range more {
			scores[j] = scores[j].plus(sc)
		}
		questions = p.to
	}
	if questions == 0 {
		return nil, nil, 0, context.Cause(ctx)
	}
	return o.rows(scores, false, len(o.budgets)), o.rows(scores, true, min(2, len(o.budgets))), questions, nil
}

// play does all jobs for a part of the questions, several at once.
func (o *options) play(ctx context.Context, p part) (map[job]score, error) {
	scores := map[job]score{}
	var mu sync.Mutex // protects scores and failed
	var failed error
	var wg sync.WaitGroup
	jobs := make(chan job)
	for range o.workers {
		wg.Go(func() {
			for j := range jobs {
				sc, err := j.do(o, p)
				mu.Lock()
				if scores[j] = sc; err != nil {
					failed = fmt.Errorf("%s in %s: %w", contenders[j.by].name, worlds[j.world].name, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range o.jobs() {
		if ctx.Err() != nil {
			break
		}
		jobs <- j
	}
	close(jobs)
	wg.Wait()
	return scores, failed
}

func (j job) do(o *options, p part) (score, error) {
	at := o.seed + uint64(j.team)*64 + uint64(j.world)
	if j.anew {
		at += anew
	}
	w := worlds[j.world].make(rand.New(rand.NewPCG(at, 7)))
	return contenders[j.by].play(w, at, o.budgets[j.budget], p)
}

// rows adds up scores, for the first budgets.
func (o *options) rows(scores map[job]score, anew bool, budgets int) (rows []row) {
	for w := range worlds {
		for b, budget := range o.budgets[:budgets] {
			for by, c := range contenders {
				var all []score
				for team := range o.teams {
					j := job{anew, w, by, b, team}
					if c.fixed {
						j.budget = 0
					}
					all = append(all, scores[j])
				}
				rows = append(rows, rowOf(worlds[w].name, c.name, budget, all))
			}
		}
	}
	return rows
}
