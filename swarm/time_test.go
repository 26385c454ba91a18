package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func reacts(id string, f agents.Func) *agents.Agent { return &agents.Agent{ID: id, Reactor: f} }

// hangs until its context ends.
func hangs(id string) *agents.Agent {
	return reacts(id, func(ctx context.Context, _ *agents.Turn) seq {
		<-ctx.Done()
		return agents.Fail(ctx.Err())
	})
}

// deaf does not listen to its context, for so long.
func deaf(id string, d time.Duration) *agents.Agent {
	return reacts(id, func(context.Context, *agents.Turn) seq {
		time.Sleep(d)
		return agents.Emit(vote("a", no, 1))
	})
}

// crowd is five good agents and one of each sort that gives trouble.
func crowd() []*agents.Agent {
	nonsense := reacts("nonsense", func(context.Context, *agents.Turn) seq {
		return agents.Emit(
			nil, vote("no such thing", yes, 1), vote("a", yes, 7), vote("a", yes, 0), propose("", "x"),
			signals.New(signals.Header{Source: "v1"}, signals.Vote{ProposalID: "a", Stance: no, Weight: 1}),
			signals.New(signals.Header{}, signals.Consensus{ProposalID: "b", Decision: "mine"}),
		)
	})
	once := reacts("once", func(_ context.Context, t *agents.Turn) seq {
		if t.Try == 0 {
			return agents.Fail(agents.Retryable(errors.New("429"), 0))
		}
		if p, ok := t.Standing("a"); ok && p.VoteOf("once") == nil {
			return agents.Emit(vote("a", yes, 1))
		}
		return agents.Emit()
	})
	panics := reacts("panics", func(context.Context, *agents.Turn) seq { panic("boom") })
	team := []*agents.Agent{hangs("hung"), deaf("deaf", time.Hour), panics, nonsense, once, proposer("p", "a", "do a")}
	for i := range 4 {
		team = append(team, voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": yes}))
	}
	return team
}

func TestTroublesomeAgentsDoNotKeepOthersFromDecidingInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		team := rapid.Permutation(crowd()).Draw(rt, "order")
		strict := rapid.Bool().Draw(rt, "with turn timeouts")
		synctest.Test(t, func(t *testing.T) {
			for _, a := range team {
				if strict {
					a.TurnTimeout = 10 * time.Second
				}
			}
			s := newSwarm(t, swarm.Options{Agents: team})
			begin := time.Now()
			r := solve(t, s)
			if r.Stop != runlog.StopConsensus || r.Answer != "do a" {
				rt.Fatalf("%v %q: %s", r.Stop, r.Answer, r.Detail)
			}
			if took := time.Since(begin); took >= 2*time.Minute || r.Elapsed != took {
				rt.Fatalf("it took %v, or %v", took, r.Elapsed)
			}
			if strict && !slices.Equal(r.LeftBehind, []string{"deaf"}) {
				rt.Fatalf("left behind: %v, want the deaf one", r.LeftBehind)
			}
			if strings.Contains(r.Detail, "late") && r.Turns.Late == 0 {
				rt.Fatalf("%s, and %+v", r.Detail, r.Turns)
			}
			again, err := s.Replay(r.Log)
			if err != nil || again.Choice != r.Decision.Choice || again.Support != r.Decision.Support || again.Voters != r.Decision.Voters {
				rt.Fatalf("replayed it is %v, %v, and was %v", again, err, r.Decision)
			}
		})
	})
}

// The position of a slow agent in the list, and how slow it is, do not change the answer.
func TestSlowFirstAndSlowLastGiveTheSameAnswer(t *testing.T) {
	for _, slow := range []time.Duration{time.Second, 31 * time.Second, time.Hour} {
		for _, stance := range []signals.Stance{yes, no, pass} {
			var stops []runlog.StopReason
			for _, first := range []bool{true, false} {
				synctest.Test(t, func(t *testing.T) {
					v := voter("slow", map[string]signals.Stance{"a": stance})
					v.Reactor = after(slow, v.Reactor)
					team := []*agents.Agent{
						proposer("p", "a", "do a"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
						voter("v3", map[string]signals.Stance{"a": yes}), voter("v4", map[string]signals.Stance{"a": no}),
					}
					if first {
						team = slices.Insert(team, 0, v)
					} else {
						team = append(team, v)
					}
					stops = append(stops, solve(t, newSwarm(t, swarm.Options{Agents: team})).Stop)
				})
			}
			if stops[0] != stops[1] {
				t.Errorf("%v after %v: %v when first, %v when last", stance, slow, stops[0], stops[1])
			}
		}
	}
}

// after makes a reactor think for so long, or until its context ends.
func after(d time.Duration, r agents.Reactor) agents.Reactor {
	return agents.Func(func(ctx context.Context, t *agents.Turn) seq {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return r.React(ctx, t)
	})
}

func TestLateTurnDelaysNoOtherAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		r := solve(t, newSwarm(t, swarm.Options{Limits: swarm.Limits{Deadline: 40 * time.Second}, Agents: []*agents.Agent{
			hangs("hung"), proposer("p", "a", "do a"),
			voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
		}}))
		// A quarter of the deadline for the first round; the second does not wait.
		if took := time.Since(begin); r.Stop != runlog.StopConsensus || took != 10*time.Second {
			t.Errorf("%v after %v, want consensus after 10s", r.Stop, took)
		}
		if !strings.Contains(r.Detail, "hung was late in round 1") || r.Turns.Late != 1 || r.LeftBehind != nil {
			t.Errorf("%q, %+v, left behind %v", r.Detail, r.Turns, r.LeftBehind)
		}
	})
}

// A vote that comes after its round counts as long as the solve goes on, and a
// solve with nothing else to do waits for it.
func TestALateTurnIsTakenWhenItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := voter("slow", map[string]signals.Stance{"a": yes})
		slow.Reactor = after(50*time.Second, slow.Reactor)
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
			slow, proposer("p", "a", "do a"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": no}),
		}, Threshold: 0.6})
		begin := time.Now()
		r := solve(t, s)
		if took := time.Since(begin); r.Stop != runlog.StopConsensus || took != 50*time.Second || r.Rounds != 2 {
			t.Errorf("%v after %v and %d rounds, want consensus after 50s and 2", r.Stop, took, r.Rounds)
		}
		want := []string{"system task:new", "p proposal", "system turn:late", "v1 vote", "v2 vote", "slow vote", "system consensus:reached"}
		if diff := cmp.Diff(want, sources(r.Log)); diff != "" {
			t.Error(diff)
		}
		if again, err := s.Replay(r.Log); err != nil || again.Choice != "a" || again.Support != r.Decision.Support {
			t.Errorf("replayed: %v, %v", again, err)
		}
	})
}

func TestTurnsFinishedAtTheDeadlineCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		slow := voter("slow", map[string]signals.Stance{"a": no})
		slow.Reactor = after(time.Hour, slow.Reactor)
		r := solve(t, newSwarm(t, swarm.Options{Limits: swarm.Limits{Deadline: time.Minute}, Agents: []*agents.Agent{
			slow, proposer("p", "a", "do a"),
			voter("v1", map[string]signals.Stance{"a": no}), voter("v2", map[string]signals.Stance{"a": no}), voter("v3", map[string]signals.Stance{"a": yes}),
		}}))
		if took := time.Since(begin); r.Stop != runlog.StopRejected || took > time.Minute {
			t.Errorf("%v after %v, want rejected by 2 of 3 when time is over", r.Stop, took)
		}
	})
	synctest.Test(t, func(t *testing.T) { // in the middle of the round that decides
		deafFirst := deaf("deaf", time.Hour)
		deafFirst.Listens, deafFirst.TurnTimeout = []signals.Kind{signals.KindProposal}, time.Hour
		begin := time.Now()
		r := solve(t, newSwarm(t, swarm.Options{Limits: swarm.Limits{Deadline: time.Minute}, Agents: []*agents.Agent{
			deafFirst, proposer("p", "a", "do a"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
		}}))
		if took := time.Since(begin); r.Stop != runlog.StopConsensus || took != time.Minute || !slices.Equal(r.LeftBehind, []string{"deaf"}) {
			t.Errorf("%v after %v, left behind %v", r.Stop, took, r.LeftBehind)
		}
	})
}

// Agents that return when their context ends are never listed in LeftBehind.
func TestAgentsThatEndWithTheirContextAreNotLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := []*agents.Agent{proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), hangs("h1"), hangs("h2"), hangs("h3")}
		r := solve(t, newSwarm(t, swarm.Options{Agents: team, Limits: swarm.Limits{Deadline: time.Second}, Quorum: 4}))
		if r.Stop != runlog.StopDeadline || r.LeftBehind != nil || r.Turns.Failed != 3 || r.Turns.Dropped != 0 {
			t.Errorf("%v (%s), %+v, left behind %v", r.Stop, r.Detail, r.Turns, r.LeftBehind)
		}
	})
}

// An agent that is left behind could still vote, so the solve stops for its deadline.
func TestMissingVotesOfAnAgentLeftBehindAreNoDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := []*agents.Agent{proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), deaf("d", 3*time.Second)}
		team[2].CanEmit = []signals.Kind{signals.KindVote}
		r := solve(t, newSwarm(t, swarm.Options{Agents: team, Limits: swarm.Limits{Deadline: time.Second}, Quorum: 2}))
		if r.Stop != runlog.StopDeadline || !slices.Equal(r.LeftBehind, []string{"d"}) || !strings.Contains(r.Detail, "1 has voted; the quorum is 2") {
			t.Errorf("%v (%s), left behind %v", r.Stop, r.Detail, r.LeftBehind)
		}
	})
}

func TestTurnIsTakenAgainWhereItsErrorPasses(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		fails int
		tries int
		stop  runlog.StopReason
		least time.Duration
	}{
		"passes":             {agents.Retryable(errors.New("429"), 0), 2, 3, runlog.StopConsensus, 250 * time.Millisecond},
		"asks to wait":       {agents.Retryable(errors.New("429"), 7*time.Second), 1, 2, runlog.StopConsensus, 7 * time.Second},
		"passes never":       {agents.Retryable(errors.New("429"), 0), 99, 4, runlog.StopError, time.Second},
		"does not pass":      {errors.New("401"), 99, 1, runlog.StopError, 0},
		"longer than a turn": {agents.Retryable(errors.New("429"), time.Hour), 1, 1, runlog.StopError, 0}, // longer than the solve waits
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				alone := reacts("alone", func(_ context.Context, turn *agents.Turn) seq {
					tries++
					if len(turn.New) != 1 || turn.Try != tries-1 || turn.NewID() != (&agents.Turn{
						Agent: "alone", Thread: turn.Thread, Round: 1, Seed: turn.Seed, Time: turn.Time,
					}).NewID() {
						t.Errorf("try %d: %+v", tries, turn)
					}
					if tries <= c.fails {
						return agents.Fail(c.err)
					}
					return agents.Emit(propose("a", "do a"), vote("a", yes, 1))
				})
				alone.TurnTimeout = 20 * time.Second
				begin := time.Now()
				r, err := newSwarm(t, swarm.Options{Agents: []*agents.Agent{alone}}).Solve(t.Context(), signals.Task{Task: "x"})
				took := time.Since(begin)
				if r.Stop != c.stop || tries != c.tries || took < c.least || c.least == 0 && took > 0 || r.Turns.Retried != max(0, tries-1) {
					t.Errorf("%v, %v after %d tries and %v: %+v", r.Stop, err, tries, took, r.Turns)
				}
			})
		})
	}
}

func TestATurnWhoseTimeEndedSaysWhatItWasRetriedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("429")
		alone := reacts("alone", func(ctx context.Context, turn *agents.Turn) seq {
			if turn.Try == 0 {
				return agents.Fail(agents.Retryable(why, 0))
			}
			<-ctx.Done()
			return agents.Fail(context.Cause(ctx))
		})
		alone.TurnTimeout = 20 * time.Second
		r, _ := newSwarm(t, swarm.Options{Agents: []*agents.Agent{alone}}).Solve(t.Context(), signals.Task{Task: "x"})
		if len(r.Failed) != 1 || !errors.Is(r.Failed[0].Err, why) || r.Turns.Retried != 1 {
			t.Errorf("got %v: %+v", r.Failed, r.Turns)
		}
	})
}

func TestPanicsAndBadSignalsAreNotTriedAgain(t *testing.T) {
	calls := map[string]int{}
	for name, say := range map[string]func() seq{
		"panic":      func() seq { panic(agents.Retryable(errors.New("x"), 0)) },
		"bad signal": func() seq { return agents.Emit(vote("a", yes, 9)) },
		"nil":        func() seq { return agents.Emit(nil) },
	} {
		a := reacts("a", func(context.Context, *agents.Turn) seq { calls[name]++; return say() })
		_, _ = newSwarm(t, swarm.Options{Agents: []*agents.Agent{a}}).Solve(t.Context(), signals.Task{Task: "x"})
		if calls[name] != 1 {
			t.Errorf("%s: %d calls, want 1", name, calls[name])
		}
	}
}

func TestListenerThatBreaksChangesNoOutcomeThatDoesNotNeedIt(t *testing.T) {
	for want, stances := range map[runlog.StopReason][3]signals.Stance{
		runlog.StopRejected: {no, no, yes}, runlog.StopDeadlock: {yes, no, pass}, runlog.StopConsensus: {yes, yes, yes},
	} {
		listener := reacts("listener", func(_ context.Context, t *agents.Turn) seq { return agents.Fail(errors.New("no model")) })
		listener.Listens = []signals.Kind{signals.KindVote}
		team := []*agents.Agent{listener, proposer("p", "a", "do a")}
		for i, s := range stances {
			team = append(team, voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": s}))
		}
		r, err := newSwarm(t, swarm.Options{Agents: team}).Solve(t.Context(), signals.Task{Task: "x"})
		if err != nil || r.Stop != want {
			t.Errorf("%v, %v beside a listener that breaks, want %v", r.Stop, err, want)
		}
	}
}

func TestClosingDuringCommitsIsCancelled(t *testing.T) {
	var s *swarm.Swarm
	closes := &agents.Agent{ID: "closes", Reactor: agents.Each(func(context.Context, signals.Any) seq {
		return func(yield func(signals.Any, error) bool) {
			for i := range 5 {
				yield(signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint(i)}), nil)
			}
		}
	})}
	s = newSwarm(t, swarm.Options{Agents: []*agents.Agent{closes}})
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "x"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case solves.Spoke:
			if e.Signal.Kind() == signals.KindDiscovery {
				s.Close()
			}
		case solves.Stopped:
			if r := e.Result; r.Stop != runlog.StopCancelled || !errors.Is(r.Err, swarm.ErrClosed) || r.Turns.Refused != 0 {
				t.Errorf("%v, %v, %+v", r.Stop, r.Err, r.Turns)
			}
		}
	}
}

// Signals of a running solve do not expire.
func TestPaceOfTheClockDoesNotDecide(t *testing.T) {
	for _, step := range []time.Duration{0, time.Millisecond, time.Minute, 24 * time.Hour} {
		r := solve(t, newSwarm(t, swarm.Options{
			Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), step),
			Agents: []*agents.Agent{
				proposer("p", "a", "do a"), talker("t"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
			},
		}))
		if r.Stop != runlog.StopConsensus {
			t.Errorf("a clock that steps by %v: %v", step, r.Stop)
		}
	}
}
