package swarm_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// agreeing are nine agents that all know the answer.
func agreeing() (team []*agents.Agent) {
	for i := range 9 {
		id := fmt.Sprint("a", i)
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
			if len(t.Said) > 0 {
				return agents.Emit(agents.Pass("said"))
			}
			return agents.Emit(agents.Propose(id, "do it", 1, ""), agents.Agree(id, 1, ""))
		})})
	}
	return team
}

// With three speakers a round, a quorum of three decides the same after a third of the
// turns, and one of more than half after two thirds.
func TestFewerSpeakersTakeFewerTurnsToTheSameDecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ speakers, quorum, turns, rounds int }{
		{0, 3, 9, 1}, {3, 3, 3, 1}, {0, 0, 9, 1}, {3, 0, 6, 2}, {3, 9, 9, 3},
	} {
		j := new(journal.Memory)
		s := newSwarm(t, swarm.Options{
			Agents: agreeing(), Journal: j, Seed: 1, Strategy: consensus.Voting{}, Quorum: c.quorum, Limits: swarm.Limits{Speakers: c.speakers},
		})
		r, err := s.Solve(t.Context(), signals.Task{Task: "what?"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stop != runlog.StopConsensus || r.Answer != "do it" || r.Turns.Taken != c.turns || r.Rounds != c.rounds {
			t.Errorf("%d speakers, quorum %d: %v %q after %d turns in %d rounds", c.speakers, c.quorum, r.Stop, r.Answer, r.Turns.Taken, r.Rounds)
		}
		explains(t, r, c.speakers)
		if _, err := replayed(t, j); err != nil {
			t.Error(err)
		}
	}
}

// Of those that have heard the same, those speak first that are known to be right.
func TestTheBestByRecordSpeakFirst(t *testing.T) {
	t.Parallel()
	j, team := new(journal.Memory), experts()
	slices.Reverse(team) // the best is the last
	open := func(speakers int) *swarm.Swarm {
		return newSwarm(t, swarm.Options{
			Agents: team, Journal: j, Seed: 1, Strategy: consensus.Voting{}, Ledger: new(reliability.Ledger), Threshold: 1,
			Limits: swarm.Limits{Rounds: 1, Speakers: speakers},
		})
	}
	past := open(0)
	for i := range 20 {
		r, err := past.Solve(t.Context(), signals.Task{Task: []string{"hard", "easy"}[i%2]})
		if err == nil {
			err = past.RecordOutcome(r, "a0-1")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := past.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := open(1).Solve(t.Context(), signals.Task{Task: "hard"})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range r.Log {
		if began, ok := signals.As[runlog.Began](said); ok {
			for _, c := range began.Payload.Selected() {
				if c.Speaks != (c.Agent == "a0") {
					t.Error(c)
				}
			}
		}
	}
	explains(t, r, 1)
}

// explains checks that the log says who was selected, if anybody was.
func explains(t *testing.T, r *solves.Result, speakers int) {
	t.Helper()
	for _, said := range r.Log {
		began, ok := signals.As[runlog.Began](said)
		if !ok {
			continue
		}
		all := began.Payload.Selected()
		spoke := 0
		for _, c := range all {
			if c.Speaks {
				spoke++
			}
		}
		if spoke != speakers || (speakers > 0) != (len(all) > 0) {
			t.Errorf("round %d: %d of %v speak, want %d", began.Round, spoke, all, speakers)
		}
	}
}
