package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrStopped is the cause with which the context of a turn ends that a route
// stopped ([routing.ForceStop]).
var ErrStopped = errors.New("swarm: the agent was stopped by a route")

// overhear wakes the solve if a signal is published in its thread while it
// waits for turns, so that signals from outside are routed at once. Without
// routers it is not needed.
func (r *solve) overhear() {
	if slices.ContainsFunc(r.seats, func(s *seat) bool { return s.machine != nil }) {
		r.wake.on(r.swarm.bus, r.result.Thread)
	}
}

// route lets the routers decide about a signal of the log, and carries out
// their decisions. So decisions are ordered by position in the log: a turn that
// is stopped before it is committed is dropped, even if it has returned.
func (r *solve) route(ctx context.Context, s signals.Any) {
	for _, seat := range r.seats {
		if seat.machine != nil && !seat.stopped && seat.routes(s) {
			r.carryOut(ctx, seat, s, seat.machine.Route(s))
		}
	}
}

// routes reports whether a signal is for the agent's router: one addressed to
// the agent, or a result of its tools.
func (s *seat) routes(said signals.Any) bool {
	h := said.Head()
	if h.Source == s.agent.ID {
		return said.Kind() == signals.KindToolResult
	}
	return h.Recipients.Include(s.agent.ID)
}

func (r *solve) carryOut(ctx context.Context, s *seat, said signals.Any, d routing.Decision) {
	switch d.Action.Verb {
	case routing.VerbReject:
		s.withhold(said)
	case routing.VerbCustom:
		s.withhold(said)
		s.routed = append(s.routed, agents.Routed{Action: d.Action.Name, Signal: said})
	case routing.VerbGracefulStop:
		s.stop()
		r.resized = true
	case routing.VerbForceStop:
		s.stop()
		r.resized = true
		r.interrupt(ctx, s.turn)
	case routing.VerbContinue, routing.VerbTransition: // the agent gets it
	}
	if d.Err != nil || d.Action != routing.Unrouted && d.Action != routing.Continue {
		routed := Routed{s.agent.ID, said, d}
		r.yield(routed)
		agents.Note(ctx, routed)
	}
}

// withhold removes a signal from what the agent will hear.
func (s *seat) withhold(said signals.Any) {
	if s.wants(said) {
		s.withheld[said.Head().Seq] = true
	}
}

// stop prevents further turns of the agent.
func (s *seat) stop() {
	s.stopped, s.gone = true, true
	s.routed, s.before = nil, nil
}

// interrupt ends a turn at once and drops its result.
func (r *solve) interrupt(ctx context.Context, t *turn) {
	if t == nil || t.state == stateOver {
		return
	}
	t.state = stateStopped
	if t.stop != nil {
		t.stop(ErrStopped)
		t.ends = time.Now()
		agents.Note(ctx, agents.TurnDropped{Agent: t.Agent, Round: t.Round})
	}
}

// toCome returns the turns that may still have a result.
func toCome(turns []*turn) []*turn {
	return slices.DeleteFunc(slices.Clone(turns), func(t *turn) bool { return t.state == stateStopped })
}

// remembered returns what an agent heard in a turn, in log order.
func remembered(t *agents.Turn) []signals.Any {
	if len(t.Routed) == 0 {
		return t.New
	}
	all := slices.Clone(t.New)
	for _, r := range t.Routed {
		all = append(all, r.Signal)
	}
	inOrder(all)
	return all
}

func inOrder(all []signals.Any) {
	bySeq := func(a, b signals.Any) int { return cmp.Compare(signals.HeadOf(a).Seq, signals.HeadOf(b).Seq) }
	if !slices.IsSortedFunc(all, bySeq) { // as inboxes are
		slices.SortStableFunc(all, bySeq)
	}
}

// stopped says which agents were stopped.
func (r *solve) stopped() []string {
	var names []string
	for _, s := range r.seats {
		if s.stopped {
			names = append(names, s.agent.ID)
		}
	}
	if names == nil {
		return nil
	}
	return []string{fmt.Sprintf("stopped: %s", strings.Join(names, ", "))}
}
