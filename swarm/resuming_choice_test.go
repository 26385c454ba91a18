package swarm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// advocate proposes, votes for its proposal, and can argue for it.
func advocate(id string) *agents.Agent {
	return &agents.Agent{
		ID: id + "-agent", Listens: []signals.Kind{signals.KindTask},
		CanEmit: []signals.Kind{signals.KindProposal, signals.KindVote, signals.KindChallenge},
		Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) seq {
			return agents.Emit(agents.Propose(id, "do "+id, 0.8, id+" is simple"), agents.Agree(id, 1, id+" is quick"))
		}),
	}
}

// Nobody can argue for the oldest proposal, so that its conflicts are not debated. When the one
// with the choice is ended, the other one goes on with the choice, as one that could be.
func TestASolveThatIsCutAnywhereReachesTheDecisionThatItHad(t *testing.T) {
	t.Parallel()
	options := func(j journal.Store) swarm.Options {
		yes := map[string]signals.Stance{"y": signals.Agree}
		return swarm.Options{
			Agents:  []*agents.Agent{proposer("a", "x", "do x"), advocate("y"), advocate("z"), voter("v", yes)},
			Journal: j, Strategy: consensus.Voting{}, Threshold: 0.6, Quorum: 3,
		}
	}
	whole := new(journal.Memory)
	s := startOn(t, options(whole))
	want, err := s.Solve(t.Context(), signals.Task{Task: "what?"})
	if err != nil {
		t.Fatal(err)
	}
	shutdown(t, s)
	ended := 0
	for _, log := range want.Log {
		if log.Kind() == "conflict:resolved" {
			ended++
		}
	}
	if ended < 2 || want.Answer != "do y" {
		t.Fatalf("%d conflicts ended, the answer is %q", ended, want.Answer)
	}
	records := recordsOf(t, whole)
	told := func(r *solves.Result) string {
		return fmt.Sprint(r.Stop, r.Answer, r.Rounds, r.Decision.Choice, r.Decision.Support, r.Decision.Confidence, len(r.Log))
	}
	for cut := 1; cut <= len(records); cut++ {
		j := new(journal.Memory)
		if _, err := j.Append(records[:cut]...); err != nil {
			t.Fatal(err)
		}
		s := startOn(t, options(j))
		all, err := s.Results()
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			shutdown(t, s)
			continue
		}
		got, err := s.Resume(t.Context(), all[0].Log, nil)
		if err != nil {
			t.Fatal(err)
		}
		shutdown(t, s)
		if told(got) != told(want) {
			t.Errorf("cut at %d of %d: %s, want %s", cut, len(records), told(got), told(want))
		}
		if _, err := replayed(t, j); err != nil {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}
