package machines_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// decided is the log of a solve in which one agent proposes and both agree.
func decided(t *testing.T) (log []signals.Any) {
	t.Helper()
	var team []*agents.Agent
	for _, id := range []string{"ann", "bob"} {
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			if len(t.Proposals) == 0 && id == "ann" {
				return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Proposal{ProposalID: "p", Content: "jitter"}))
			}
			for _, s := range t.Proposals {
				if s.VoteOf(id) == nil {
					return agents.Emit(agents.Agree(s.ID(), 0.9, "it fits"))
				}
			}
			return agents.Emit()
		})})
	}
	j := new(journal.Memory)
	s, err := swarm.New(swarm.Options{Agents: team, Journal: j, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Solve(t.Context(), signals.Task{Task: "Which retry policy?"}); err != nil || r.Stop != runlog.StopConsensus {
		t.Fatal(r, err)
	}
	codec, err := machines.Codec()
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range journal.Signals(j, codec, 0) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, s)
	}
	return log
}

// digests returns what is derived from each signal.
func digests(log []signals.Any) (all []string) {
	of := machines.Digest()
	for _, s := range log {
		all = append(all, string(of(s)))
	}
	return all
}

// Processes tell each other these digests: a decision has one, and a process whose log has
// another vote, so that it decides otherwise, has another.
func TestDigestIsOfWhatTheLogDecides(t *testing.T) {
	t.Parallel()
	log := decided(t)
	got := digests(log)
	if n := len(got) - len(slices.DeleteFunc(slices.Clone(got), func(d string) bool { return d != "" })); n == 0 {
		t.Fatal("nothing is derived from a log with a decision")
	}
	if !slices.Equal(got, digests(log)) {
		t.Error("one log has two digests")
	}
	changed := slices.Clone(log)
	for i, s := range changed {
		if v, ok := signals.As[signals.Vote](s); ok {
			other := *v
			other.Payload.Weight /= 2
			changed[i] = &other
		}
	}
	if slices.Equal(got, digests(changed)) {
		t.Error("other votes have the same digests")
	}
}
