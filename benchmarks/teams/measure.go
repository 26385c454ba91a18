package main

import (
	"math/rand/v2"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

// phases are how much a team has done before.
var phases = []struct {
	name string
	to   int
}{{"first 20", 20}, {"to 100", 100}, {"later", 1 << 30}}

func phase(done int) int {
	for i, p := range phases {
		if done < p.to {
			return i
		}
	}
	return len(phases) - 1
}

type mean struct{ sum, n float64 }

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

func (m mean) value() float64 { return m.sum / m.n }

// join adds the mean of another, where it has one.
func (m *mean) join(other mean) {
	if other.n > 0 {
		m.add(other.value())
	}
}

type figures struct{ leads, decided, right, worth mean }

type row struct {
	strategy string
	phases   []figures
}

func newRows() (rows []row) {
	for _, e := range engines() {
		rows = append(rows, row{e.name, make([]figures, len(phases))})
	}
	return rows
}

// measure averages over the sets that suit.
func measure(o *options, f form, size int, sets []*votes.Set) []row {
	all := newRows()
	for _, set := range sets {
		if !f.suits(set) {
			continue
		}
		for order := range o.orders {
			one := newRows()
			o.play(f, size, set, rand.New(rand.NewPCG(o.seed, uint64(order))), one)
			join(all, one)
		}
	}
	return all
}

// join adds the means of some rows to others.
func join(to, rows []row) {
	for i := range rows {
		for p, s := range rows[i].phases {
			sum := &to[i].phases[p]
			sum.leads.join(s.leads)
			sum.decided.join(s.decided)
			sum.right.join(s.right)
			sum.worth.join(s.worth)
		}
	}
}

// play lets a team decide the tasks of a set in random order.
func (o *options) play(f form, size int, set *votes.Set, r *rand.Rand, rows []row) {
	team, all := newTeam(r, set, size), engines()
	done := 0
	for _, at := range r.Perm(len(set.Tasks)) {
		task := set.Tasks[at]
		cast := team.votes(task)
		if task.Truth == "" || cast == nil || done == o.tasks {
			continue
		}
		b := f.ballots(cast)
		for i, e := range all {
			rows[i].phases[phase(done)].add(f, e.strategy().Decide(b), task.Truth)
			if e.learn != nil {
				o.tell(e, task, b, done)
			}
		}
		done++
	}
}

func (o *options) tell(e engine, task *votes.Task, b consensus.Ballots, done int) {
	if err := e.learn.Observe(task.ID, b); err != nil {
		panic(err)
	}
	if o.resolve == 0 || done%o.resolve != 0 {
		return
	}
	if err := e.learn.Resolve(task.ID, task.Truth); err != nil {
		panic(err)
	}
}

// add counts a decision: with several proposals those that are reached, with one those that are rejected too.
func (s *figures) add(f form, d consensus.Decision, truth string) {
	leads, decided, right := 0.0, d.Outcome == consensus.Reached, d.Choice == truth
	switch {
	case f.approval:
		leads = approves(d, truth)
		if d.Outcome == consensus.Rejected {
			decided, right = true, truth != "1"
		}
	case slices.Contains(d.Leaders, truth):
		leads = 1 / float64(len(d.Leaders))
	}
	s.leads.add(leads)
	s.decided.add(number(decided))
	switch {
	case !decided:
		s.worth.add(0)
		return
	case right:
		s.worth.add(1)
	default:
		s.worth.add(-7.0 / 3)
	}
	s.right.add(number(right))
}

// approves is 1 where more supports what is true of the only proposal, one half where it is even.
func approves(d consensus.Decision, truth string) float64 {
	if d.Support == d.None {
		return 0.5
	}
	return number((d.Support > d.None) == (truth == "1"))
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
