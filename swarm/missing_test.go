package swarm_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestEveryStopSaysWhatWasMissingInNumbers(t *testing.T) {
	says := func(id string, s signals.Stance) *agents.Agent {
		return voter(id, map[string]signals.Stance{"a": s, "b": s})
	}
	a, b := proposer("p", "a", "do a"), proposer("q", "b", "do b")
	asks := reacts("asks", func(context.Context, *agents.Turn) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "too dear"}))
	})
	voting, err := consensus.Lookup("voting")
	if err != nil {
		t.Fatal(err)
	}
	broke := reacts("broke", func(context.Context, *agents.Turn) seq { return agents.Fail(agents.ErrBudget) })
	for want, o := range map[string]swarm.Options{
		`consensus: . of . agree, 100 % of the weight; 70 % is needed`:                   {Agents: []*agents.Agent{a, says("v", yes), says("w", yes)}},
		`rejected: more is against every proposal than for it: 2 of 2 disagree with "a"`: {Agents: []*agents.Agent{a, says("v", no), says("w", no)}},
		`deadlock: 2 of 3 agree, 66\.7 % of the .*; 70 % is needed`: {
			Agents: []*agents.Agent{a, says("v", yes), says("w", yes), says("x", no)}, Strategy: voting,
		},
		`deadlock: "a" and "b" are tied, 50 % of the weight each`: {Agents: []*agents.Agent{
			a, b, voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes}),
		}},
		`deadlock: none of 2 voters agrees with any proposal`:                                                          {Agents: []*agents.Agent{a, says("v", pass), says("w", pass)}},
		`max-rounds: no decision in 3 rounds: no one has voted; the quorum is 2`:                                       {Agents: []*agents.Agent{talker("t"), talker("u")}, Limits: swarm.Limits{Rounds: 3}},
		`budget: the limit of 7 signals in a solve is reached: no one has voted; the quorum is 2`:                      {Agents: []*agents.Agent{talker("t"), talker("u")}, Limits: swarm.Limits{Signals: 7}},
		`budget: the budget of every agent is used up: no one has voted; the quorum is 1; broke failed in round 1: .*`: {Agents: []*agents.Agent{broke}},
		`deadline: no decision within 40s: 1 has voted; the quorum is 2; no vote of hung: if the others are enough, set the quorum to 1, .*; hung failed in round 1: .*; hung was late in round 1`: {
			Agents: []*agents.Agent{a, says("v", yes), hangs("hung")}, Limits: swarm.Limits{Deadline: 40 * time.Second}, Quorum: 2,
		},
		`escalated: too dear: no one has voted; the quorum is 1`: {Agents: []*agents.Agent{asks}},
		`escalated: proposals a and b cannot both stand: "a" and "b" are tied, 50 % of the weight each`: {
			Agents: []*agents.Agent{a, b, says("v", yes), says("w", no)}, Conflicts: settle.ByEscalation,
		},
		`no-progress: none of 2 agents said anything`: {Agents: []*agents.Agent{says("v", yes), says("w", yes)}},
		`no-progress: 1 proposal and no votes that count \(2 agents may vote\)`: {
			Agents: []*agents.Agent{a, voter("v", nil), voter("w", nil)},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := solve(t, newSwarm(t, o))
			if got := r.Stop.String() + ": " + r.Detail; !regexp.MustCompile("^" + want + "$").MatchString(got) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestACancelledSolveSaysHowTheVotesStood(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stops := reacts("stops", func(context.Context, *agents.Turn) seq {
		cancel()
		return agents.Emit()
	})
	r, err := newSwarm(t, swarm.Options{Agents: []*agents.Agent{stops, talker("t")}}).Solve(ctx, signals.Task{Task: "?"})
	if want := "context canceled: no one has voted; the quorum is 2"; err != nil || r.Stop != runlog.StopCancelled || r.Detail != want {
		t.Errorf("got %v, %v %q, want %q", err, r.Stop, r.Detail, want)
	}
}

// troubled is a swarm of which three cannot take their turn in the first round.
func troubled(o swarm.Options) swarm.Options {
	panics := reacts("panics", func(context.Context, *agents.Turn) seq { panic("boom") })
	fails := reacts("fails", func(context.Context, *agents.Turn) seq { return agents.Fail(errors.New("no model")) })
	o.Agents = []*agents.Agent{panics, fails, hangs("hung"), proposer("p", "a", "do a")}
	for _, a := range o.Agents[:3] {
		a.CanEmit = []signals.Kind{signals.KindDiscovery} // so that the quorum does not need them
	}
	for _, id := range []string{"v", "w"} {
		o.Agents = append(o.Agents, voter(id, map[string]signals.Stance{"a": yes}))
	}
	o.Limits.Deadline = 40 * time.Second
	return o
}

func TestTheResultNamesWhoFailedAndWhoWasLateWithRoundAndReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journal.Memory)
		r := solve(t, newSwarm(t, troubled(swarm.Options{Journal: j})))
		var failed []string
		for _, f := range r.Failed {
			failed = append(failed, f.Agent)
			if p := (*agents.PanicError)(nil); f.Round != len(failed)/3+1 || f.Agent == "panics" && !errors.As(f.Err, &p) {
				t.Errorf("%+v", f)
			}
		}
		if diff := cmp.Diff([]string{"panics", "fails", "panics", "fails"}, failed); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]runlog.Late{{Agent: "hung", Round: 1}}, r.Late); diff != "" {
			t.Error(diff)
		}
		for _, want := range []string{"panics failed in round 1: panic: boom", "fails failed in round 1: no model", "hung was late in round 1"} {
			if !strings.Contains(r.Detail, want) {
				t.Errorf("%q does not say %q", r.Detail, want)
			}
		}
		past := stopsOf(t, j, r.Thread)
		if diff := cmp.Diff(r.Detail, past.Detail) + cmp.Diff(r.Late, past.Late) + cmp.Diff(len(r.Failed), len(past.Failed)); diff != "" {
			t.Errorf("by the journal: %s", diff)
		}
	})
}

// stopsOf returns the result that a journal shows.
func stopsOf(t *testing.T, j journal.Reader, thread string) *solves.Result {
	t.Helper()
	for e, err := range solves.Watch(t.Context(), j, thread) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			return stopped.Result
		}
	}
	t.Fatal("it did not stop")
	return nil
}

func TestALongReasonOfAFailureIsCutInTheLog(t *testing.T) {
	const most = 1024
	for n := most - 1; n < most+5; n++ {
		j, why := new(journal.Memory), strings.Repeat("x", n)
		fails := reacts("fails", func(context.Context, *agents.Turn) seq { return agents.Fail(errors.New(why)) })
		r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{fails, talker("t")}, Limits: swarm.Limits{Rounds: 1}, Journal: j}))
		want := why
		if n > most {
			want = why[:most-len("…")] + "…"
		}
		if past := stopsOf(t, j, r.Thread); len(past.Failed) == 0 || past.Failed[0].Err.Error() != want {
			t.Errorf("of %d bytes: %v", n, past.Failed)
		}
	}
}

func TestTheLogNamesWhoFailedWhileTheSolveGoesOnAndAgentsDoNotHearIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []signals.Kind
		listens := reacts("listens", func(_ context.Context, turn *agents.Turn) seq {
			for _, s := range turn.New {
				heard = append(heard, s.Kind())
			}
			return agents.Emit()
		})
		o := troubled(swarm.Options{})
		o.Agents = append(o.Agents, listens)
		r := solve(t, newSwarm(t, o))
		said := signals.KindTask
		for _, s := range r.Log {
			if f, ok := signals.As[runlog.Failed](s); ok && f.Payload.Agent == "panics" && f.Payload.Round == 1 {
				said = s.Kind()
				if f.Source != "system" || f.Payload.Reason != "panic: boom" {
					t.Errorf("%+v", f)
				}
			}
		}
		if said != runlog.KindFailed {
			t.Errorf("the log does not say it: %v", sources(r.Log))
		}
		for _, k := range heard {
			if k == runlog.KindFailed {
				t.Error("an agent heard it")
			}
		}
	})
}

func TestAnErrorOfAnyTextIsSaidInTheLog(t *testing.T) {
	long := reacts("long", func(context.Context, *agents.Turn) seq {
		return agents.Fail(errors.New(strings.Repeat("\xff€", 1<<16)))
	})
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{long, talker("t")}, Limits: swarm.Limits{Rounds: 1}}))
	if r.Stop == runlog.StopError || len(r.Failed) != 1 || !strings.Contains(r.Detail, "long failed in round 1: \ufffd€") {
		t.Errorf("%v: %.200s", r.Stop, r.Detail)
	}
}

func TestEachAgentIsNamedWithItsRoundIfNoneCanTakeATurn(t *testing.T) {
	team := []*agents.Agent{
		reacts("a", func(context.Context, *agents.Turn) seq { panic("boom") }),
		reacts("b", func(context.Context, *agents.Turn) seq { return agents.Fail(errors.New("no model")) }),
	}
	r, err := newSwarm(t, swarm.Options{Agents: team}).Solve(t.Context(), signals.Task{Task: "?"})
	want := "no agent could take its turn; a failed in round 1: panic: boom; b failed in round 1: no model"
	if r.Stop != runlog.StopError || r.Detail != want || err == nil {
		t.Errorf("got %v, %v %q\nwant %q", err, r.Stop, r.Detail, want)
	}
}

func TestAFailedAgentBesideASilentOneIsNoProgress(t *testing.T) {
	silent := reacts("silent", func(context.Context, *agents.Turn) seq { return agents.Emit() })
	fails := reacts("fails", func(context.Context, *agents.Turn) seq { return agents.Fail(errors.New("no model")) })
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{silent, fails}}))
	if want := "none of 2 agents said anything; fails failed in round 1: no model"; r.Stop != runlog.StopNoProgress || r.Detail != want {
		t.Errorf("got %v %q, want %q", r.Stop, r.Detail, want)
	}
}

func TestAgentsThatFailedBeforeAnAnswerAreInTheResultAfterIt(t *testing.T) {
	asks := reacts("asks", func(_ context.Context, turn *agents.Turn) seq {
		if len(turn.Said) > 0 {
			return agents.Emit()
		}
		return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "too dear"}))
	})
	fails := reacts("fails", func(_ context.Context, turn *agents.Turn) seq {
		if turn.Round == 1 {
			return agents.Fail(errors.New("no model"))
		}
		return agents.Emit()
	})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{asks, fails, proposer("p", "a", "do a")}, Quorum: 1})
	r, err := s.Resume(t.Context(), solve(t, s).Log, vote("a", yes, 1))
	if err != nil || r.Stop != runlog.StopConsensus || len(r.Failed) != 1 || !strings.HasSuffix(r.Detail, "fails failed in round 1: no model") {
		t.Errorf("got %v, %v %q, %v", err, r.Stop, r.Detail, r.Failed)
	}
}
