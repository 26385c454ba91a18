package swarm_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// asking is the error of a turn that waits for a person.
type asking struct{ question string }

func (a *asking) Error() string { return "asks: " + a.question }
func (a *asking) Asks() string  { return a.question }

// askingTeam has a clerk that asks in its second turn before it votes, between one that
// proposes and one that votes. Turns are those of the clerk.
func askingTeam(turns *[]string, answered *bool) []*agents.Agent {
	votes := voter("clerk", map[string]signals.Stance{"a": yes}).Reactor
	clerk := reacts("clerk", func(ctx context.Context, t *agents.Turn) seq {
		*turns = append(*turns, fmt.Sprintf("round %d: %d new", t.Round, len(t.New)))
		if t.Round == 2 && !*answered {
			return agents.Fail(&asking{"may I write?"})
		}
		return votes.React(ctx, t)
	})
	return []*agents.Agent{planner(), clerk, voter("critic", map[string]signals.Stance{"a": yes})}
}

// TestATurnThatAsksStopsTheSolveAndIsTakenAgain goes on with the journal in another swarm,
// before the answer and after it.
func TestATurnThatAsksStopsTheSolveAndIsTakenAgain(t *testing.T) {
	var turns []string
	answered, store := false, &journal.Memory{}
	open := func() *swarm.Swarm {
		return startOn(t, swarm.Options{Agents: askingTeam(&turns, &answered), Journal: store, Quorum: 3})
	}
	s := open()
	result, err := s.Solve(t.Context(), signals.Task{Task: "t"})
	for range 2 {
		if err != nil || result.Stop != runlog.StopAsked || result.Detail != "may I write?" {
			t.Fatalf("%s: %s, %v", result.Stop, result.Detail, err)
		}
		shutdown(t, s)
		all, err := solves.List(store)
		if err != nil || len(all) != 1 || all[0].Stop != runlog.StopAsked || all[0].Detail != "may I write?" {
			t.Fatalf("in the journal: %+v, %v", all, err)
		}
		for where, q := range map[string]*solves.Question{"result": result.Question, "journal": all[0].Question} {
			if q == nil || q.Asks != "clerk" || q.Reason != "may I write?" || len(q.Options) > 0 {
				t.Errorf("the %s has the question %+v", where, q)
			}
		}
		failed := slices.IndexFunc(all[0].Log, func(s signals.Any) bool { return s.Kind() == runlog.KindFailed })
		if said := fmt.Sprint(all[0].Log[failed].Body()); said != "clerk asks a person in round 2: may I write?" {
			t.Errorf("the log says %q", said)
		}
		s, turns = open(), nil
		result, _ = s.Resume(t.Context(), all[0].Log, nil)
		answered = true
	}
	if result.Stop != runlog.StopConsensus || !slices.Equal(turns, []string{"round 2: 2 new"}) {
		t.Errorf("%s: %s after %q", result.Stop, result.Detail, turns)
	}
	shutdown(t, s)
	if _, err := replayed(t, store); err != nil {
		t.Error(err)
	}
}
