package routing

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Schedule declares a timer of a strategy or of an agent. When it fires, the agent gets
// a [Timer] with its name, which routes decide about like any other signal.
type Schedule struct {
	Name  string        // required; no two timers of a router have the same
	After time.Duration // from the beginning, or since the strategy entered one of In; more than 0
	Every time.Duration // and then again after each of these; 0: once
	// Jitter is the maximum of a random delay of each firing, which depends only on the
	// seed, the agent, the timer and the number of the firing.
	Jitter time.Duration
	In     []State // states in which it runs; leaving them stops it; none: always
}

// Timers is the state of the timers of one agent in one solve: a fold of its transitions
// and of the timers that fired, with no clock. It is not safe for concurrent use. Make one
// with [Router.Timers].
type Timers struct {
	running []running
	seed    uint64
	agent   string
	state   State
}

// running is a timer with its place in its schedule.
type running struct {
	Schedule
	on    bool
	since time.Time // the time from which it counts
	from  uint64    // number of the firing that is next after since
	fired uint64    // number of firings so far
	past  time.Time // time of the last firing
}

// A Firing is a timer that is due.
type Firing struct {
	Timer Timer
	Due   time.Time
}

// Timers returns the timers of an agent, which begin to run at a time. The seed
// determines the jitter.
func (r *Router) Timers(agent string, seed uint64, began time.Time) *Timers {
	t := &Timers{seed: seed, agent: agent, state: r.Initial()}
	for _, s := range r.timers {
		t.running = append(t.running, running{Schedule: s})
	}
	t.Enter(t.state, began)
	return t
}

// Timed reports whether the router has timers.
func (r *Router) Timed() bool { return len(r.timers) > 0 }

// Enter takes a change of the strategy's state at a time. Timers of the old state that do
// not run in the new one stop; those that did not run begin anew.
func (t *Timers) Enter(s State, at time.Time) {
	t.state = s
	for i := range t.running {
		r := &t.running[i]
		on := len(r.In) == 0 || slices.Contains(r.In, s)
		if on && !r.on {
			r.since, r.from, r.past = at, r.fired, time.Time{}
		}
		r.on = on
	}
}

// Fired takes a timer that fired at a time. Firings that were due until then are over: a
// timer that is late fires once.
func (t *Timers) Fired(name string, at time.Time) {
	for i := range t.running {
		if r := &t.running[i]; r.Name == name {
			r.fired++
			r.past = at
		}
	}
}

// Due returns the timers that are due at a time, the one that is due first at first, and
// among equals in the order of their declaration. It changes nothing: see [Timers.Fired].
func (t *Timers) Due(now time.Time) (all []Firing) {
	for _, f := range t.next() {
		if !f.Due.After(now) {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Firing) int { return a.Due.Compare(b.Due) })
	return all
}

// Next returns the time at which the next timer is due, and whether one is running.
func (t *Timers) Next() (at time.Time, running bool) {
	all := t.next()
	if len(all) == 0 {
		return time.Time{}, false
	}
	return slices.MinFunc(all, func(a, b Firing) int { return a.Due.Compare(b.Due) }).Due, true
}

func (t *Timers) next() (all []Firing) {
	for i := range t.running {
		if due, ok := t.due(&t.running[i]); ok {
			all = append(all, Firing{Timer{t.running[i].Name}, due})
		}
	}
	return all
}

// due returns when a timer fires next, and whether it does.
func (t *Timers) due(r *running) (at time.Time, ok bool) {
	if !r.on || r.Every == 0 && r.fired > r.from {
		return at, false
	}
	at = r.since.Add(r.After)
	if !r.past.IsZero() && r.fired > r.from { // the first multiple after the last firing
		steps := max(0, r.past.Sub(at)/r.Every) + 1
		at = at.Add(steps * r.Every)
	}
	return at.Add(t.jitter(r)), true
}

func (t *Timers) jitter(r *running) time.Duration {
	if r.Jitter == 0 {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %d", t.agent, r.Name, r.fired)
	return time.Duration(rand.New(rand.NewPCG(t.seed, h.Sum64())).Int64N(int64(r.Jitter) + 1))
}

// problems returns what is wrong with a schedule.
func (s *Schedule) problems(field string, of *Strategy, others []Schedule) (all []error) {
	if err := (signals.Limits{}).Name(field+".name", s.Name); err != nil {
		all = append(all, err)
	}
	if slices.ContainsFunc(others, func(o Schedule) bool { return o.Name == s.Name }) {
		all = append(all, &signals.FieldError{Field: field + ".name", Value: s.Name, Problem: "taken"})
	}
	bad := func(name string, d time.Duration, problem string) {
		all = append(all, &signals.FieldError{Field: field + "." + name, Value: d.String(), Problem: problem})
	}
	if s.After <= 0 {
		bad("after", s.After, "not more than 0")
	}
	if s.Every < 0 {
		bad("every", s.Every, "negative")
	}
	if s.Jitter < 0 || s.Every > 0 && s.Jitter >= s.Every {
		bad("jitter", s.Jitter, "negative, or not less than every")
	}
	for _, state := range s.In {
		if !of.declared(state) || state == "" {
			all = append(all, &signals.FieldError{Field: field + ".in", Value: string(state), Problem: undeclared})
		}
	}
	return all
}
