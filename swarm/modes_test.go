package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// experts returns nine agents of which the first knows every answer. The others know those
// of tasks that they call easy, and else most of them err together.
func experts() (team []*agents.Agent) {
	for i := range 9 {
		answer := "right"
		if i > 0 {
			answer = fmt.Sprint("wrong ", max(1, i-5))
		}
		id := fmt.Sprint("a", i)
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
			made, says := fmt.Sprint(id, "-", t.Round), answer
			if t.Task.Task == "easy" {
				says = "right"
			}
			return agents.Emit(agents.Propose(made, says, 0.8, ""), agents.Agree(made, 0.8, ""))
		})})
	}
	return team
}

func TestAutoGoesByOutcomesThatAJournalHas(t *testing.T) {
	t.Parallel()
	j := new(journal.Memory)
	open := func(m mode.Mode) *swarm.Swarm {
		return newSwarm(t, swarm.Options{
			Agents: experts(), Journal: j, Seed: 1, Mode: m, Strategy: consensus.Voting{}, Ledger: new(reliability.Ledger), Threshold: 1, Limits: swarm.Limits{Rounds: 1},
		})
	}
	past := open(mode.Deliberate)
	solve := func(s *swarm.Swarm, task string) *solves.Result {
		r, err := s.Solve(t.Context(), signals.Task{Task: task})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for i := range 20 {
		if err := past.RecordOutcome(solve(past, []string{"hard", "easy", "hard"}[i%3]), "a0-1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := past.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := solve(open(mode.Auto), "hard")
	if r.Planned == nil || r.Planned.Mode != mode.Single || r.Planned.Members[0].ID != "a0" || r.Answer != "right" || r.Calls != 1 {
		t.Errorf("%v: %q after %d calls", r.Planned, r.Answer, r.Calls)
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

// One agent of five makes proposals with the ids that the others will use, and with those that
// they get then.
func TestAnAgentThatTakesTheIDsOfOthersGetsNoneOfTheirVotes(t *testing.T) {
	t.Parallel()
	for _, m := range []mode.Mode{mode.Vote, mode.Check} {
		var team []*agents.Agent
		for i := range 5 {
			id := fmt.Sprint("a", i)
			team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
				var all []signals.Any
				switch made := fmt.Sprint(id, "-", t.Round); {
				case t.Ask != agents.AskAnswer:
					return agents.Emit()
				case i > 0:
					all = append(all, agents.Propose(made, "right", 0.8, ""), agents.Agree(made, 0.8, ""))
				default:
					for k := range 4 {
						all = append(all, agents.Propose(fmt.Sprint("a", k+1, "-", t.Round), "wrong", 0.9, ""), agents.Propose(fmt.Sprint("a", k+1, "/1.1"), "wrong", 0.9, ""))
					}
					all = append(all, agents.Agree(fmt.Sprint("a1-", t.Round), 1, ""))
				}
				return agents.Emit(all...)
			})})
		}
		store := new(journal.Memory)
		s := newSwarm(t, swarm.Options{Agents: team, Mode: m, Journal: store})
		if r := solve(t, s); r.Answer != "right" {
			t.Errorf("%v: %q (%s), want the answer of the four", m, r.Answer, r.Detail)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := replayed(t, store); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// Agents that do not return cost a vote the rest of its time, but not the answer of the others, if these are more
// than half of those who were asked.
func TestAVoteInWhichSomeNeverAnswerHasTheAnswerOfTheOthers(t *testing.T) {
	t.Parallel()
	for answering, want := range map[int]string{0: "", 1: "y", 2: "", 3: "y"} {
		synctest.Test(t, func(t *testing.T) {
			var team []*agents.Agent
			for i := range 5 {
				id := fmt.Sprint("a", i)
				team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) seq {
					if i >= answering {
						<-ctx.Done()
						return agents.Emit()
					}
					return agents.Emit(agents.Propose(fmt.Sprint(id, "-", t.Round), "y", 0.8, ""))
				})})
			}
			store := new(journal.Memory)
			s := newSwarm(t, swarm.Options{Agents: team, Mode: mode.Vote, Journal: store, Seed: 3, Limits: swarm.Limits{Deadline: 2 * time.Second}})
			began := time.Now()
			r := solve(t, s)
			stop := map[int]runlog.StopReason{0: runlog.StopDeadline, 1: runlog.StopAnswered, 2: runlog.StopDeadline, 3: runlog.StopConsensus}[answering]
			if took := time.Since(began); r.Answer != want || r.Stop != stop || took > 2*time.Second {
				t.Errorf("%d answer: %q by %v after %v (%s), want %q", answering, r.Answer, r.Stop, took, r.Detail, want)
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := replayed(t, store); err != nil {
				t.Errorf("%d answer: %v", answering, err)
			}
		})
	}
}

// By confidence the second answer would lead, and by the plan the first.
func TestCreditCountsByThePlanOfTheMode(t *testing.T) {
	t.Parallel()
	var team []*agents.Agent
	for i, says := range []string{"x", "x", "y"} {
		id := fmt.Sprint("a", i)
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
			return agents.Emit(agents.Propose(fmt.Sprint(id, "-", t.Round), says, []float64{0.3, 0.3, 0.95}[i], ""))
		})})
	}
	r := solve(t, newSwarm(t, swarm.Options{Agents: team, Mode: mode.Vote, Seed: 1, Limits: swarm.Limits{Calls: 3}}))
	a, err := r.Credit(nil)
	if err != nil || r.Answer != "x" || a.Strategy != "vote" || len(a.Shares) != 3 {
		t.Fatalf("%q: %+v, %v", r.Answer, a, err)
	}
	for _, s := range a.Shares { // the third makes a tie of a coalition with one of the others
		want := 7. / 12
		if s.Agent == "a2" {
			want = -1. / 6
		}
		if math.Abs(s.Credit-want) > 1e-9 {
			t.Errorf("%+v, want %v", s, want)
		}
	}
	if a, err = r.Credit(&solves.CreditOptions{Strategy: consensus.ConfidenceWeighted{}}); err != nil || a.Strategy == "vote" {
		t.Errorf("%+v, %v, want the strategy that was asked for", a, err)
	}
}

func TestAModeThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	mute := []*agents.Agent{{ID: "a", CanEmit: []signals.Kind{signals.KindVote}, Reactor: experts()[0].Reactor}}
	for field, o := range map[string]swarm.Options{
		"mode":         {Agents: experts(), Mode: 99},
		"limits.calls": {Agents: experts(), Limits: swarm.Limits{Calls: -1}},
		"":             {Agents: mute, Mode: mode.Vote},
	} {
		_, err := swarm.New(o)
		var wrong *signals.FieldError
		if !errors.As(err, &wrong) || field != "" && wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestAWatcherOfAVoteIsToldWhoLeads(t *testing.T) {
	t.Parallel()
	s := newSwarm(t, swarm.Options{Agents: experts()[:3], Seed: 1, Mode: mode.Vote, Limits: swarm.Limits{Calls: 3}})
	var told []string
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "hard"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case solves.Spoke:
			if p, ok := signals.As[signals.Proposal](e.Signal); ok {
				told = append(told, p.Payload.Content)
			}
		case solves.Weighed:
			if leads := fmt.Sprintf("%s %.2f", e.Decision.Leader(), e.Decision.Support); told == nil || told[len(told)-1] != leads {
				told = append(told, leads)
			}
		default: // the rest is the same in all modes
		}
	}
	if want := []string{" 0.00", "right", "a0-1 1.00", "wrong 1", " 0.50", "wrong 1", "a1-1 0.67"}; !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
}
