package seat

import (
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// A router is an agent's router in a solve. A nil router routes nothing.
type router struct {
	of       *routing.Router
	machine  *routing.Machine
	withheld map[uint64]bool // by sequence number: not passed to the agent as new
	routed   []agents.Routed // for its next turn
	timers   *routing.Timers // nil: it has none, or the solve has not begun
}

func newRouter(a *agents.Agent) *router {
	if a.Router == nil {
		return nil
	}
	return &router{of: a.Router, machine: a.Router.Machine(), withheld: map[uint64]bool{}}
}

// hand gives a turn what was routed, and takes from it what was withheld.
func (r *router) hand(t *agents.Turn) {
	if r == nil {
		return
	}
	t.New = slices.DeleteFunc(t.New, r.takeBack)
	t.Routed, t.State = r.routed, r.machine.State()
	r.routed = nil
}

// handAgain is hand for a turn of an earlier log, which had heard what was routed through
// a sequence number.
func (r *router) handAgain(t *agents.Turn, through uint64) {
	if r == nil {
		return
	}
	var later []agents.Routed
	for _, routed := range r.routed {
		if routed.Signal.Head().Seq <= through {
			t.Routed = append(t.Routed, routed)
		} else {
			later = append(later, routed)
		}
	}
	r.routed, t.State = later, r.machine.State()
}

// takeBack reports whether a signal was withheld, and forgets it.
func (r *router) takeBack(heard signals.Any) bool {
	if r == nil {
		return false
	}
	seq := heard.Head().Seq
	defer delete(r.withheld, seq)
	return r.withheld[seq]
}

// giveBack makes what was routed for a turn to be routed for the next one.
func (r *router) giveBack(t *Turn) {
	if r != nil {
		r.routed = slices.Concat(t.Routed, r.routed)
	}
}

// Route lets the agent's router decide about a signal of the log, if it is for that:
// one addressed to the agent, or a result of its tools. A decision to stop the agent is
// carried out as far as its seat is concerned.
func (s *Seat) Route(said signals.Any) (d routing.Decision, routed bool) {
	if s.router == nil || s.Out || !s.routes(said) {
		return d, false
	}
	r := s.router
	d = r.machine.Route(said)
	if verb := d.Action.Verb; (verb == routing.VerbReject || verb == routing.VerbCustom) && s.Wants(said) {
		r.withheld[said.Head().Seq] = true
	}
	switch d.Action.Verb {
	case routing.VerbCustom:
		r.routed = append(r.routed, agents.Routed{Action: d.Action.Name, Signal: said})
	case routing.VerbGracefulStop, routing.VerbForceStop:
		r.routed = nil
		s.Leave()
	case routing.VerbReject, routing.VerbContinue, routing.VerbTransition:
	}
	return d, true
}

func (s *Seat) routes(said signals.Any) bool {
	h := said.Head()
	if h.Source == s.Agent.ID {
		return said.Kind() == signals.KindToolResult
	}
	return h.Recipients.Include(s.Agent.ID)
}

// Time folds what a signal of the log says about the agent's timers: they begin with the
// task, follow the state of the strategy, and fire.
func (s *Seat) Time(said signals.Any, seed uint64) {
	r := s.router
	if r == nil {
		return
	}
	h := said.Head()
	if said.Kind() == signals.KindTask {
		s.begin(h.Time, seed)
	}
	if r.timers == nil {
		return
	}
	r.timers.Enter(r.machine.State(), h.Time)
	if fired, ok := signals.As[routing.Timer](said); ok && h.Recipients.Equal(signals.To(s.Agent.ID)) {
		r.timers.Fired(fired.Payload.Name, h.Time)
	}
}

// begin lets the agent's timers begin, unless they run.
func (s *Seat) begin(at time.Time, seed uint64) {
	if r := s.router; r != nil && r.timers == nil {
		r.timers = r.of.Timers(s.Agent.ID, seed, at)
	}
}

// timers returns the agent's timers while it takes turns; nil if there are none.
func (s *Seat) timers() *routing.Timers {
	if s.router == nil || s.Out {
		return nil
	}
	return s.router.timers
}

// Due returns the agent's timers that are due.
func (s *Seat) Due(now time.Time) (due []routing.Timer) {
	if s.timers() == nil {
		return nil
	}
	for _, d := range s.timers().Due(now) {
		due = append(due, d.Timer)
	}
	return due
}
