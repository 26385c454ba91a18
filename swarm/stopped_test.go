package swarm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// stoppedAt returns the result of a solve that its caller cancels after n signals.
func stoppedAt(t *testing.T, s *swarm.Swarm, n int) *solves.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for e, err := range s.Stream(ctx, signals.Task{Task: "1"}) {
		switch e := e.(type) {
		case solves.Spoke:
			if n--; n == 0 {
				cancel()
			}
		case solves.Stopped:
			return e.Result
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("a stream without an end")
	return nil
}

// A solve that was cancelled after any of its signals goes on as if it had not been, in the swarm
// that it was cancelled in and in one that begins on its journal.
func TestACancelledSolveGoesOnWithItsConflicts(t *testing.T) {
	for _, policy := range []settle.Policy{settle.ByDebate, settle.ByMajority, settle.ByEscalation} {
		whole, err := startOn(t, swarm.Options{Agents: torn(), Conflicts: policy, Quorum: 1, Journal: new(journal.Memory)}).Solve(t.Context(), signals.Task{Task: "1"})
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range []string{"without a journal", "same swarm", "another swarm"} {
			for n := 1; n < len(whole.Log); n++ {
				o := swarm.Options{Agents: torn(), Conflicts: policy, Quorum: 1}
				if place != "without a journal" {
					o.Journal = new(journal.Memory)
				}
				s := startOn(t, o)
				r := stoppedAt(t, s, n)
				if r.Stop != runlog.StopCancelled {
					continue // it was about to end
				}
				if place == "another swarm" {
					s = startAgain(t, s, o)
				}
				again, err := s.Resume(t.Context(), r.Log, nil)
				if err != nil || again.Stop != whole.Stop || again.Answer != whole.Answer {
					t.Fatalf("%v, %s, cancelled after %d signals: %v %q (%s), %v, want %v %q", policy, place, n, again.Stop, again.Answer, again.Detail, err, whole.Stop, whole.Answer)
				}
			}
		}
	}
}

// Closing a swarm at any signal ends its solve as cancelled.
func TestASwarmClosedAtAnySignalEndsItsSolve(t *testing.T) {
	for n := 1; ; n++ {
		s, seen := startOn(t, swarm.Options{Agents: torn(), Quorum: 1}), 0
		s.Bus().Observe(func(e bus.Event) {
			if _, ok := e.(bus.Published); ok {
				if seen++; seen == n {
					s.Close()
				}
			}
		})
		r, err := s.Solve(t.Context(), signals.Task{Task: "1"})
		if seen < n {
			return
		}
		if r.Stop != runlog.StopCancelled && !r.Stop.Chose() {
			t.Errorf("closed at signal %d: %v (%s), %v", n, r.Stop, r.Detail, err)
		}
	}
}

// A downError is the error of a server that is down, after the last retry.
type downError struct{}

func (downError) Error() string { return "connection refused" }
func (downError) Outage() bool  { return true }

// An outage before anybody has voted is an error that names it, although one agent had nothing to
// say, and a solve that goes on when the models answer again decides.
func TestAnOutageBesideASilentAgentIsNamedAndGoesOn(t *testing.T) {
	down := true
	during := func(inner *agents.Agent) *agents.Agent {
		react := inner.Reactor
		inner.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
			if down {
				return agents.Fail(downError{})
			}
			return react.React(ctx, turn)
		})
		return inner
	}
	yesToA := map[string]signals.Stance{"a": yes}
	o := swarm.Options{Quorum: 2, Journal: new(journal.Memory), Agents: []*agents.Agent{
		during(proposer("p", "a", "do a")), during(says("v", vote("a", yes, 1))), during(voter("w", yesToA)), quiet("silent"),
	}}
	s := startOn(t, o)
	r, err := s.Solve(t.Context(), signals.Task{Task: "1"})
	if r.Stop != runlog.StopError || !strings.Contains(r.Detail, "connection refused") || err == nil {
		t.Fatalf("%v %q, %v", r.Stop, r.Detail, err)
	}
	down = false
	s = startAgain(t, s, o)
	if r, err = s.Resume(t.Context(), r.Log, nil); err != nil || r.Answer != "do a" {
		t.Errorf("%v %q, %v", r.Stop, r.Detail, err)
	}
}
