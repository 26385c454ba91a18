package swarm_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A decision is the one on record, also for a team that would decide by other terms now.
func TestDecidedSolveStaysDecidedUnderOtherTerms(t *testing.T) {
	one := signals.Agree
	team := []*agents.Agent{proposer("p", "a", "do a")}
	for id, stance := range map[string]signals.Stance{"v1": one, "v2": one, "v3": signals.Disagree} {
		team = append(team, voter(id, map[string]signals.Stance{"a": stance}))
	}
	o := swarm.Options{Agents: team, Journal: new(journal.Memory), Strategy: consensus.Voting{}, Threshold: 0.6}
	s := startOn(t, o)
	want := ask(t, s, 1)
	if want.Stop != runlog.StopConsensus || want.Answer != "do a" {
		t.Fatalf("%v: %s", want.Stop, want.Detail)
	}
	shutdown(t, s)
	o.Threshold = 0.9
	got, err := startOn(t, o).Resume(t.Context(), want.Log, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Stop != want.Stop || got.Answer != want.Answer || got.Detail != want.Detail || got.Decision.Outcome != want.Decision.Outcome || got.Decision.Support != want.Decision.Support {
		t.Errorf("got %v %q: %s (%v)\nwant %v %q: %s (%v)", got.Stop, got.Answer, got.Detail, got.Decision, want.Stop, want.Answer, want.Detail, want.Decision)
	}
	if len(got.Log) != len(want.Log) || got.Turns.Taken != 0 {
		t.Errorf("%d signals and %d turns, want %d and none", len(got.Log), got.Turns.Taken, len(want.Log))
	}
}
