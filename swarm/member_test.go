package swarm_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var agree = map[string]signals.Stance{"a": signals.Agree}

func benched(a *agents.Agent) *agents.Agent {
	a.Bench = true
	return a
}

func members(log []signals.Any) (all []string) {
	for _, s := range log {
		if m, ok := runlog.MemberOf(s); ok {
			all = append(all, m.String())
		}
	}
	return all
}

// An agent that joins a running solve hears what was said, and its vote counts; the quorum is that of
// the team that there is then. The log replays, and a second run is the same log.
func TestOfAgentsOfOneNameThatJoinAtOnceOneDoes(t *testing.T) {
	for range 20 {
		var s *swarm.Swarm
		var joined atomic.Int32
		s = newSwarm(t, swarm.Options{
			Agents: []*agents.Agent{proposer("ann", "a", "do a"), voter("ben", agree), voter("silent", nil)},
			Hook: &afterRound{func(thread string) {
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() {
						if s.Join(t.Context(), thread, voter("newcomer", agree)) == nil {
							joined.Add(1)
						}
					})
				}
				all.Wait()
			}},
		})
		if r := solve(t, s); joined.Load() != 1 || len(members(r.Log)) != 1 {
			t.Fatalf("%d joined, and the log says %v", joined.Load(), members(r.Log))
		}
	}
}

func TestAnAgentJoinsARunningSolve(t *testing.T) {
	run := func() (*solves.Result, []signals.Any) {
		store := new(journal.Memory)
		var s *swarm.Swarm
		newcomer := voter("newcomer", agree)
		s = newSwarm(t, swarm.Options{
			Agents: []*agents.Agent{proposer("ann", "a", "do a"), voter("ben", agree), voter("silent", nil)},
			Seed:   7, Clock: swarm.StepClock(time.Unix(1700000000, 0), time.Millisecond), Journal: store,
			Hook: &afterRound{func(thread string) {
				if err := s.Join(t.Context(), thread, newcomer); err != nil {
					t.Error(err)
				}
			}},
		})
		r := solve(t, s)
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		return r, r.Log
	}
	r, log := run()
	if r.Stop != runlog.StopConsensus || r.Answer != "do a" {
		t.Errorf("it stopped for %s: %s, want that ben and the newcomer decide", r.Stop, r.Detail)
	}
	if !slices.ContainsFunc(r.Log, func(s signals.Any) bool { return s.Kind() == signals.KindVote && s.Head().Source == "newcomer" }) {
		t.Errorf("the newcomer did not vote; stop %s: %s", r.Stop, r.Detail)
	}
	if got, want := members(log), []string{"newcomer joins"}; !slices.Equal(got, want) {
		t.Errorf("the log says %v, want %v", got, want)
	}
	past, err := replay.New(journal.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	defer past.Close()
	for _, s := range log {
		if err := past.Next(s); err != nil {
			t.Fatalf("replay: %v", err)
		}
	}
	_, again := run()
	if !slices.EqualFunc(log, again, func(a, b signals.Any) bool { return textOf(t, a) == textOf(t, b) }) {
		t.Error("the same solve has another log the second time")
	}
}

func textOf(t *testing.T, s signals.Any) string {
	t.Helper()
	text, err := runlog.TextOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// One that leaves takes no more turns and is not counted for the quorum, though its turn never ends by
// itself.
func TestAnAgentThatHangsIsTakenOut(t *testing.T) {
	began := make(chan struct{})
	hangs := reacts("hangs", func(ctx context.Context, _ *agents.Turn) seq {
		close(began)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), swarm.ErrStopped) {
			t.Errorf("the turn ended because of %v", context.Cause(ctx))
		}
		return agents.Emit()
	})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{proposer("ann", "a", "do a"), voter("ben", agree), voter("silent", nil), hangs}, Limits: swarm.Limits{Deadline: time.Hour}})
	var thread string
	go func() {
		<-began
		for range 2 { // the second time it has left
			err := s.Leave(t.Context(), thread, "hangs")
			if wrong := (*signals.FieldError)(nil); err != nil && (!errors.As(err, &wrong) || wrong.Field != "agent") && !errors.Is(err, runlog.ErrLog) {
				t.Error(err)
			}
		}
	}()
	var r *solves.Result
	for event, err := range s.Stream(t.Context(), signals.Task{Task: "which one?"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case solves.Started:
			thread = e.Thread
		case solves.Stopped:
			r = e.Result
		}
	}
	if got, want := members(r.Log), []string{"hangs leaves"}; !slices.Equal(got, want) {
		t.Errorf("the log says %v, want %v; stop %s: %s", got, want, r.Stop, r.Detail)
	}
}

// Wherever a solve was broken off after an agent joined it, it goes on with that agent where the swarm
// has it on its bench, and says so where it has not.
func TestASolveThatAnAgentJoinedGoesOnWithIt(t *testing.T) {
	team := func() []*agents.Agent {
		return []*agents.Agent{proposer("ann", "a", "do a"), voter("ben", agree), voter("silent", nil)}
	}
	var s *swarm.Swarm
	s = newSwarm(t, swarm.Options{Agents: team(), Seed: 7, Hook: &afterRound{func(thread string) {
		if err := s.Join(t.Context(), thread, voter("newcomer", agree)); err != nil {
			t.Error(err)
		}
	}}})
	whole := solve(t, s).Log
	at := slices.IndexFunc(whole, func(s signals.Any) bool { return s.Kind() == runlog.KindMember })
	for n := at + 1; n < len(whole); n++ {
		log := slices.Clone(whole[:n])
		with := newSwarm(t, swarm.Options{Agents: append(team(), benched(voter("newcomer", agree)))})
		r, err := with.Resume(t.Context(), log, nil)
		if err != nil || r.Answer != "do a" {
			t.Errorf("after %d of %d signals: got %+v, %v; want the answer of the whole team", n, len(whole), r, err)
		}
		_, err = newSwarm(t, swarm.Options{Agents: team()}).Resume(t.Context(), log, nil)
		if wrong := (*signals.FieldError)(nil); n < len(whole)-1 && (!errors.As(err, &wrong) || wrong.Value != "newcomer") {
			t.Errorf("after %d of %d signals without a bench: got %v, want that newcomer is missing", n, len(whole), err)
		}
	}
}

func TestWhoMayJoinAndLeave(t *testing.T) {
	ann := proposer("ann", "a", "do a")
	var s *swarm.Swarm
	s = newSwarm(t, swarm.Options{Agents: []*agents.Agent{ann, voter("ben", agree), voter("carl", nil)}, Hook: &afterRound{func(thread string) {
		for name, err := range map[string]error{
			"an agent of the team":  s.Join(t.Context(), thread, ann),
			"another with its name": s.Join(t.Context(), thread, voter("ben", agree)),
			"nobody's name":         s.Join(t.Context(), thread, &agents.Agent{}),
			"a stranger":            s.Leave(t.Context(), thread, "stranger"),
		} {
			if wrong := (*signals.FieldError)(nil); !errors.As(err, &wrong) {
				t.Errorf("%s: got %v, want an error that names the agent", name, err)
			}
		}
		if err := s.Join(t.Context(), "another", voter("dora", agree)); !errors.Is(err, runlog.ErrLog) {
			t.Errorf("a thread without a solve: got %v", err)
		}
	}}})
	solve(t, s)
	planned := newSwarm(t, swarm.Options{Agents: []*agents.Agent{ann, proposer("ben", "b", "do b")}, Mode: mode.Vote})
	for event := range planned.Stream(t.Context(), signals.Task{Task: "which one?"}) {
		if began, ok := event.(solves.RoundStarted); ok && began.Round == 1 {
			continue
		}
		if turn, ok := event.(solves.Spoke); ok && turn.Signal.Kind() == runlog.KindBegan {
			err := planned.Join(t.Context(), turn.Signal.Head().Thread, voter("dora", agree))
			if wrong := (*signals.FieldError)(nil); !errors.As(err, &wrong) || wrong.Value != "dora" {
				t.Errorf("a solve with a plan: got %v, want a refusal", err)
			}
		}
	}
}
