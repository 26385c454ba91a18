package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// results are all figures.
type results struct {
	Command string      `json:"command"`
	Sets    []setRow    `json:"sets"`
	Batch   []batchRow  `json:"batch"`
	Streams []streamRow `json:"streams"`
	Attacks []attackRow `json:"attacks"`
}

type setRow struct {
	Name   string `json:"name"`
	Tasks  int    `json:"tasks"`
	Voters int    `json:"voters"`
	Votes  int    `json:"votes"`
	Labels int    `json:"labels"`
	Own    bool   `json:"own"` // labels only number each task's own answers
}

type batchRow struct {
	Set    string  `json:"set"`
	Method string  `json:"method"`
	Known  float64 `json:"known"`
	measures
}

type streamRow struct {
	Set    string  `json:"set"`
	Engine string  `json:"engine"`
	Known  float64 `json:"known"`
	streamed
}

type attackRow struct {
	Set    string `json:"set"`
	Attack string `json:"attack"`
	Method string `json:"method"`
	attacked
}

// plan lists the jobs to measure, one after the other or several at once.
type plan struct {
	o    *options
	jobs []job
	r    results
}

// job measures something; done is called in the order of the jobs.
type job struct {
	what string
	run  func() (done func())
}

// knownShares are the shares of known outcomes.
var knownShares = []float64{0, 0.1, 0.5}

// streamLeast is how many votes a task a set must have to be streamed.
const streamLeast = 5

func newPlan(o *options, sets []*set) *plan {
	p := &plan{o: o}
	for _, s := range sets {
		p.r.Sets = append(p.r.Sets, setRow{s.name, s.tasks(), s.voters(), len(s.voter), s.k(), s.own})
		for _, known := range knownShares {
			if known == 0 && p.has("batch") || known > 0 && p.has("known") {
				p.batch(s, known)
			}
			if known < 0.5 && p.has("stream") && len(s.voter) >= streamLeast*s.tasks() {
				p.stream(s, known)
			}
		}
		if p.has("attack") {
			p.attack(s)
		}
	}
	return p
}

func (p *plan) has(part string) bool { return slices.Contains(strings.Split(p.o.parts, ","), part) }

func (p *plan) add(what string, run func() func()) { p.jobs = append(p.jobs, job{what, run}) }

func (p *plan) batch(s *set, known float64) {
	for _, m := range methods() {
		if !chosen(p.o.methods, m.name) {
			continue
		}
		p.add(fmt.Sprintf("%s: %s, %v known", s.name, m.name, known), func() func() {
			row := batchRow{s.name, m.name, known, p.drawn(s, m, known)}
			return func() { p.r.Batch = append(p.r.Batch, row) }
		})
	}
}

func (p *plan) drawn(s *set, m method, known float64) measures {
	n := p.o.draws
	if known == 0 {
		n = 1
	}
	ms := make([]measures, n)
	for i := range ms {
		seed := p.o.seed + uint64(i)
		gold := s.known(known, seed)
		all := s.score(m.run(s, gold), gold)
		ms[i] = measure(all, s.k() == 2)
		ms[i].intervals(all, p.o.resamples, seed)
	}
	return meanOfDraws(ms)
}

func (p *plan) stream(s *set, known float64) {
	for _, name := range slices.Sorted(maps.Keys(s.streams())) {
		p.add(fmt.Sprintf("%s: stream %s, %v known", s.name, name, known), func() func() {
			orders := make([]streamed, p.o.draws)
			for i := range orders {
				seed := p.o.seed + uint64(i)
				orders[i] = s.stream(s.streams()[name], s.known(known, seed), seed)
			}
			row := streamRow{s.name, name, known, meanOfOrders(orders)}
			return func() { p.r.Streams = append(p.r.Streams, row) }
		})
	}
}

func (p *plan) attack(s *set) {
	for _, a := range attacks {
		p.add(s.name+": "+a.name, func() func() {
			found := a.resist(s, p.o.seed)
			return func() {
				for _, name := range slices.Sorted(maps.Keys(found)) {
					p.r.Attacks = append(p.r.Attacks, attackRow{s.name, a.name, name, found[name]})
				}
			}
		})
	}
}

// run does the jobs and reports its progress.
func (p *plan) run(progress io.Writer) *results {
	start := time.Now()
	done := make([]func(), len(p.jobs))
	var mu sync.Mutex // protects the fields below
	at, finished := 0, 0
	var workers sync.WaitGroup
	for range min(p.o.workers, len(p.jobs)) {
		workers.Go(func() {
			for {
				mu.Lock()
				i := at
				at++
				mu.Unlock()
				if i >= len(p.jobs) {
					return
				}
				done[i] = p.jobs[i].run()
				mu.Lock()
				finished++
				fmt.Fprintf(progress, "%v %d of %d: %s\n", time.Since(start).Round(time.Second), finished, len(p.jobs), p.jobs[i].what)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	for _, f := range done {
		f()
	}
	return &p.r
}
