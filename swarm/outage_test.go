package swarm_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// planner proposes and agrees with itself; it may emit anything.
func planner() *agents.Agent {
	a := says("planner", propose("a", "do a"), vote("a", yes, 0.3))
	a.CanEmit = nil
	return a
}

// team returns a planner and nine critics, which may emit anything.
func team(critic func(id string) *agents.Agent) []*agents.Agent {
	all := []*agents.Agent{planner()}
	for i := range 9 {
		all = append(all, critic(fmt.Sprint("critic", i)))
	}
	return all
}

func failing(err error) func(id string) *agents.Agent {
	return func(id string) *agents.Agent {
		return reacts(id, func(context.Context, *agents.Turn) seq { return agents.Fail(err) })
	}
}

func quiet(id string) *agents.Agent {
	return reacts(id, func(context.Context, *agents.Turn) seq { return agents.Emit() })
}

func passing(id string) *agents.Agent {
	return reacts(id, func(context.Context, *agents.Turn) seq { return agents.Emit(agents.Pass("too vague")) })
}

func TestAnOutageIsNoConsensus(t *testing.T) {
	down := errors.New("connection refused")
	for name, c := range map[string]struct {
		critic func(id string) *agents.Agent
		want   runlog.StopReason
		says   string
	}{
		"failing": {failing(down), runlog.StopError, "connection refused"},
		"broke":   {failing(agents.ErrBudget), runlog.StopBudget, "the budget is used up"},
		"silent":  {quiet, runlog.StopDeadlock, "no vote of critic0, critic1, critic2, and 6 more: if the others are enough, set the quorum to 1"},
		"passing": {passing, runlog.StopDeadlock, "critic0 passed in round 1: too vague"},
		"late":    {hangs, runlog.StopDeadline, "no vote of critic0, critic1, critic2, and 6 more"},
		"abstaining": {func(id string) *agents.Agent {
			a := voter(id, map[string]signals.Stance{"a": pass})
			a.CanEmit = nil
			return a
		}, runlog.StopDeadlock, `only planner, who proposed "a", agrees with it: if that is enough, set the quorum to 1`},
		"dissenting weakly": {func(id string) *agents.Agent {
			if id == "critic0" {
				return says(id, vote("a", no, 0.05))
			}
			a := voter(id, map[string]signals.Stance{"a": pass})
			a.CanEmit = nil
			return a
		}, runlog.StopDeadlock, `only planner, who proposed "a", agrees with it`},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := swarm.New(swarm.Options{Agents: team(c.critic)})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
			if r.Stop != c.want || (err != nil) != (c.want == runlog.StopError) || !strings.Contains(r.Detail, c.says) {
				t.Errorf("%s: %v %q, %v; want %v with %q", name, r.Stop, r.Detail, err, c.want, c.says)
			}
			if c.says[:2] != "on" && len(r.Missing) != 9 {
				t.Errorf("%s: missing %q", name, r.Missing)
			}
		})
	}
}

func TestOneAgentDecidesWhereThatIsMeant(t *testing.T) {
	if r := solve(t, newSwarm(t, swarm.Options{Agents: team(quiet), Quorum: 1})); r.Stop != runlog.StopConsensus {
		t.Errorf("with a quorum of 1: %v: %s", r.Stop, r.Detail)
	}
	observers := team(quiet)
	for _, a := range observers[1:] {
		a.CanEmit = []signals.Kind{signals.KindDiscovery}
	}
	if r := solve(t, newSwarm(t, swarm.Options{Agents: observers})); r.Stop != runlog.StopConsensus {
		t.Errorf("among observers: %v: %s", r.Stop, r.Detail)
	}
}

// A withheld decision is derived from the log like any other.
func TestAWithheldDecisionIsReplayed(t *testing.T) {
	j := new(journal.Memory)
	all := []*agents.Agent{planner(), voter("v", map[string]signals.Stance{"a": pass}), voter("w", map[string]signals.Stance{"a": pass})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: all, Journal: j}))
	if r.Stop != runlog.StopDeadlock || r.Decision.Outcome != consensus.Reached {
		t.Fatalf("%v, %v", r.Stop, r.Decision)
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

// The agents run out of budget after the first vote: that is no decision, and with
// more budget the solve goes on.
func TestASolveWithoutBudgetGoesOnWhenResumedWithMore(t *testing.T) {
	for name, err := range map[string]error{"budget": agents.ErrBudget, "provider": errors.New("connection refused")} {
		want := map[string]runlog.StopReason{"budget": runlog.StopBudget, "provider": runlog.StopError}[name]
		gone := true
		critic := func(id string) *agents.Agent {
			a := voter(id, map[string]signals.Stance{"a": yes})
			votes := a.Reactor
			a.CanEmit = nil
			a.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
				if gone {
					return agents.Fail(err)
				}
				return votes.React(ctx, turn)
			})
			return a
		}
		// The last round is that of an agent that needs no budget.
		late := reacts("late", func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round < 4 {
				return agents.Emit(discover(fmt.Sprint(turn.Round)))
			}
			return agents.Emit()
		})
		late.CanEmit = []signals.Kind{signals.KindDiscovery}
		early := reacts("early", func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round < 4 {
				return agents.Emit(discover(fmt.Sprint("early", turn.Round)))
			}
			return agents.Emit()
		})
		early.CanEmit = late.CanEmit
		j := new(journal.Memory)
		o := swarm.Options{Agents: append(team(critic), late, early), Journal: j, Seed: 3}
		s := newSwarm(t, o)
		r, _ := s.Solve(t.Context(), signals.Task{Task: "which one?"})
		if r.Stop != want || r.Observed != "" || s.Ledger().Len() != 0 {
			t.Errorf("%s: %v %q, observed %q", name, r.Stop, r.Detail, r.Observed)
		}
		gone = false
		shutdown(t, s)
		s = newSwarm(t, o)
		past, problem := s.Results()
		if problem != nil {
			t.Fatal(problem)
		}
		r, problem = s.Resume(t.Context(), past[0].Log, nil)
		if problem != nil || r.Stop != runlog.StopConsensus || r.Decision.Voters < 6 {
			t.Errorf("%s: resumed: %v, %v", name, r, problem)
		}
		if _, err := replayed(t, j); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func discover(finding string) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: finding, Relevance: 1})
}

func TestADeadlineInTheFirstRoundIsADeadline(t *testing.T) {
	for _, by := range []string{"options", "caller"} {
		synctest.Test(t, func(t *testing.T) {
			o := swarm.Options{Limits: swarm.Limits{Deadline: time.Minute}, Agents: []*agents.Agent{hangs("a"), hangs("b"), hangs("c")}}
			ctx := t.Context()
			if by == "caller" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			s, err := swarm.New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r, err := s.Solve(ctx, signals.Task{Task: "which one?"})
			if err != nil || r.Stop != runlog.StopDeadline {
				t.Errorf("%s: %v %q, %v; want a deadline", by, r.Stop, r.Detail, err)
			}
		})
	}
}

// A deadline may have a cause of its own, and agents may not heed it.
func TestTheDeadlineOfACallerIsADeadlineWhateverItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		defer close(leave)
		s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{reacts("deaf", func(context.Context, *agents.Turn) seq {
			<-leave
			return agents.Emit()
		})}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too slow"))
		defer cancel()
		r, err := s.Solve(ctx, signals.Task{Task: "which one?"})
		if err != nil || r.Stop != runlog.StopDeadline {
			t.Errorf("%v %q, %v; want the deadline", r.Stop, r.Detail, err)
		}
	})
}

func TestRepeatedVotesAreNoProgress(t *testing.T) {
	repeats := func(id, own string) *agents.Agent {
		a := reacts(id, func(_ context.Context, turn *agents.Turn) seq {
			v := signals.New(signals.Header{Confidence: 0.8}, signals.Vote{
				ProposalID: own, Stance: yes, Weight: 0.8, Reasoning: fmt.Sprint("for the ", turn.Round, ". time"),
			})
			return agents.Emit(propose(own, "do "+own), v, discover("water is wet"))
		})
		a.CanEmit = []signals.Kind{signals.KindProposal, signals.KindVote, signals.KindDiscovery} // so there is no debate
		return a
	}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{repeats("p", "a"), repeats("q", "b")}}))
	if r.Stop != runlog.StopDeadlock || r.Rounds != 2 || r.Turns.Taken != 4 {
		t.Errorf("%v after %d rounds and %+v", r.Stop, r.Rounds, r.Turns)
	}
}

// A vote that leaves its voter's ballot as it is wakes nobody: neither with another weight nor with
// another stance, where nothing was checked.
func TestAVoteThatCountsForNothingWakesNobody(t *testing.T) {
	for _, then := range []signals.Any{vote("a", yes, 0.9), vote("a", no, 0.5)} {
		turns := 0
		wavers := reacts("wavers", func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round == 1 {
				return agents.Emit(vote("a", yes, 0.5))
			}
			return agents.Emit(then)
		})
		hears := reacts("hears", func(_ context.Context, turn *agents.Turn) seq {
			turns++
			return agents.Emit(discover(fmt.Sprint(turn.Round)))
		})
		solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{wavers, hears, proposer("p", "a", "do a")}, Limits: swarm.Limits{Rounds: 5}, Quorum: 2}))
		if turns != 2 {
			t.Errorf("%v: it took %d turns, want one for the task and one for the first vote", then, turns)
		}
	}
}

// A repetition causes no turn: the agent hears it in its next one, also after a restart.
func TestARepetitionIsHeardWithTheNextNews(t *testing.T) {
	var heard []string
	repeats := reacts("repeats", func(_ context.Context, turn *agents.Turn) seq {
		return agents.Emit(discover("same"))
	})
	other := reacts("other", func(_ context.Context, turn *agents.Turn) seq {
		if turn.Round == 3 {
			return agents.Emit(discover("new"))
		}
		return agents.Emit(discover("known"))
	})
	hears := reacts("hears", func(_ context.Context, turn *agents.Turn) seq {
		line := fmt.Sprint(turn.Round, ":")
		for _, s := range turn.New {
			if d, ok := signals.As[signals.Discovery](s); ok {
				line += " " + d.Payload.Finding
			}
		}
		heard = append(heard, line)
		if turn.Round < 3 {
			return agents.Emit(discover(fmt.Sprint("hears", turn.Round)))
		}
		return agents.Emit()
	})
	solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{repeats, other, hears}}))
	want := []string{"1:", "2: same known", "4: same known same new"}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
}

func TestPassesAreInLogAndResult(t *testing.T) {
	j := new(journal.Memory)
	all := []*agents.Agent{passing("a"), passing("b")}
	all[0].CanEmit = []signals.Kind{signals.KindVote}
	s := newSwarm(t, swarm.Options{Agents: all, Journal: j, Limits: swarm.Limits{Signals: 1}})
	r := solve(t, s)
	want := []runlog.TurnPassed{{Agent: "a", Round: 1, Reason: "too vague"}, {Agent: "b", Round: 1, Reason: "too vague"}}
	if diff := cmp.Diff(want, r.Passed); diff != "" {
		t.Error(diff)
	}
	if r.Stop != runlog.StopNoProgress || !strings.Contains(r.Detail, "a passed in round 1: too vague") || r.Rounds != 1 {
		t.Errorf("%v after %d rounds: %q", r.Stop, r.Rounds, r.Detail)
	}
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, past[0].Passed); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownConflictPolicyIsRefused(t *testing.T) {
	_, err := swarm.New(swarm.Options{Agents: []*agents.Agent{quiet("a")}, Conflicts: 9})
	var why *signals.FieldError
	if !errors.As(err, &why) || why.Field != "conflicts" || why.Value != "9" {
		t.Errorf("got %v", err)
	}
}

// A turn that exceeds its TurnTimeout and does not return is not awaited, however long
// the solve.
func TestATurnThatExceedsItsTimeoutIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := deaf("slow", 30*time.Minute)
		slow.TurnTimeout = time.Minute
		begin := time.Now()
		r := solve(t, newSwarm(t, swarm.Options{Limits: swarm.Limits{Deadline: time.Hour}, Quorum: 1, Agents: []*agents.Agent{slow, quiet("q")}}))
		if took := time.Since(begin); r.Stop != runlog.StopNoProgress || took > 2*time.Minute || !cmp.Equal(r.LeftBehind, []string{"slow"}) {
			t.Errorf("%v after %v, left behind %v", r.Stop, took, r.LeftBehind)
		}
	})
}

// A server that is down for longer than a round: the turns of a vote are late, and their end is the
// solve's, which can be resumed.
func TestAVoteWaitsForLateTurnsAndNamesWhyTheyFailed(t *testing.T) {
	down := errors.New("connection refused")
	for name, c := range map[string]struct {
		err  error
		want runlog.StopReason
		says string
	}{
		"down":  {agents.Retryable(down, time.Minute), runlog.StopError, "connection refused"},
		"hangs": {nil, runlog.StopDeadline, "was late in round 1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var team []*agents.Agent
			for _, id := range []string{"a", "b", "c"} {
				team = append(team, reacts(id, func(ctx context.Context, _ *agents.Turn) seq {
					for took := time.After(time.Minute); ; {
						select {
						case <-ctx.Done():
							return agents.Fail(context.Cause(ctx))
						case <-took:
							if c.err != nil {
								return agents.Fail(c.err)
							}
						}
					}
				}))
			}
			s, err := swarm.New(swarm.Options{Agents: team, Mode: mode.Vote, Limits: swarm.Limits{Deadline: 2 * time.Minute}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r, _ := s.Solve(t.Context(), signals.Task{Task: "which one?"})
			if r.Stop != c.want || !strings.Contains(r.Detail, c.says) || !r.Stop.GoesOn() {
				t.Errorf("%s: %v %q", name, r.Stop, r.Detail)
			}
		})
	}
}
