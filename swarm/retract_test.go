package swarm_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// doubters are a team of which ann finds something and takes it back, after bob has voted
// because of it. dan tries to take it back, too.
func doubters() []*agents.Agent {
	found := func(t *agents.Turn) signals.ID {
		for _, all := range [][]signals.Any{t.Heard, t.New, t.Said} {
			for _, s := range all {
				if s.Kind() == signals.KindDiscovery {
					return s.Head().ID
				}
			}
		}
		return signals.ID{}
	}
	agent := func(id string, turns map[int]func(t *agents.Turn) []signals.Any) *agents.Agent {
		return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
			if say := turns[t.Round]; say != nil {
				return agents.Emit(say(t)...)
			}
			return agents.Emit(agents.Pass("nothing"))
		})}
	}
	agree := func(id string, because func(*agents.Turn) signals.ID) func(*agents.Turn) []signals.Any {
		return func(t *agents.Turn) []signals.Any {
			h := signals.Header{Confidence: 1}
			if because != nil {
				h.ReplyTo = because(t)
			}
			return []signals.Any{signals.New(h, signals.Vote{ProposalID: id, Stance: signals.Agree, Weight: 1})}
		}
	}
	takes := func(t *agents.Turn) []signals.Any { return []signals.Any{signals.Retract(found(t), "wrong week")} }
	return []*agents.Agent{
		agent("ann", map[int]func(*agents.Turn) []signals.Any{
			1: func(*agents.Turn) []signals.Any {
				return []signals.Any{
					signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: "the table is scanned", Relevance: 1}),
					propose("a", "add an index"), propose("b", "wait"),
				}
			},
			3: takes,
		}),
		agent("bob", map[int]func(*agents.Turn) []signals.Any{2: agree("a", found)}),
		agent("cid", map[int]func(*agents.Turn) []signals.Any{4: agree("b", nil)}),
		agent("dan", map[int]func(*agents.Turn) []signals.Any{2: takes, 4: agree("b", nil)}),
	}
}

func TestARetractionDecidesAnew(t *testing.T) {
	t.Parallel()
	j := new(journal.Memory)
	s := newSwarm(t, swarm.Options{Agents: doubters(), Journal: j, Seed: 1, Strategy: consensus.Voting{}, Threshold: 1, Quorum: 2})
	r, err := s.Solve(t.Context(), signals.Task{Task: "faster?"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stop != runlog.StopConsensus || r.Decision.Choice != "b" || len(r.Fallen) != 1 || r.Fallen[0].Source != "bob" || len(r.Retracted) != 1 {
		t.Errorf("%v %q, fallen %d, retracted %d: %s", r.Stop, r.Decision.Choice, len(r.Fallen), len(r.Retracted), r.Detail)
	}
	if len(r.Refused) != 1 || r.Refused[0].Agent != "dan" || r.Refused[0].Kind != signals.KindRetraction {
		t.Errorf("refused %v, want what dan took back", r.Refused)
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

func TestSignalTakenBackAfterADecisionSaysWhetherItChanges(t *testing.T) {
	t.Parallel()
	for _, back := range []struct {
		source  string
		changed bool
	}{{"cid", true}, {"bob", false}} {
		j := new(journal.Memory)
		s, err := swarm.New(swarm.Options{Agents: doubters(), Journal: j, Seed: 1, Strategy: consensus.Voting{}, Threshold: 1, Quorum: 2})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), signals.Task{Task: "faster?"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		var id signals.ID
		for _, said := range r.Log {
			if said.Kind() == signals.KindVote && said.Head().Source == back.source {
				id = said.Head().ID
			}
		}
		after, err := solves.Retract(t.Context(), j, r.Thread, id, "ceo", "a mistake")
		if err != nil {
			t.Fatal(err)
		}
		if after.Revision == nil || after.Revision.Changed != back.changed || after.Stop != runlog.StopConsensus || after.Decision.Choice != "b" {
			t.Errorf("%s: %+v", back.source, after.Revision)
		}
		if _, err := replayed(t, j); err != nil {
			t.Error(err)
		}
		// A swarm that is opened again has the result that it had.
		again := newSwarm(t, swarm.Options{Agents: doubters(), Journal: j, Seed: 1, Strategy: consensus.Voting{}, Threshold: 1, Quorum: 2})
		same, err := again.Resume(t.Context(), after.Log, nil)
		if err != nil || same.Stop != runlog.StopConsensus || same.Answer != "wait" {
			t.Errorf("%s: %+v, %v", back.source, same, err)
		}
		if got := same.Revision; got == nil || got.Changed != back.changed || same.Decision.Reason() != after.Decision.Reason() || got.Decision.Reason() != after.Revision.Decision.Reason() {
			t.Errorf("%s: resumed to %q, revised %+v; want %q", back.source, same.Decision.Reason(), got, after.Decision.Reason())
		}
	}
}
