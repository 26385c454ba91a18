package swarm_test

import (
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// An answer in the name of an agent, or in one that reads like it, is refused. A refused
// answer changes neither the question nor the log.
func TestAnAnswerIsInNoAgentsName(t *testing.T) {
	team := rivals()
	team[4].ID = runlog.Person
	s := newSwarm(t, swarm.Options{Agents: team, Conflicts: settle.ByEscalation})
	asked := escalated(t, s)
	last := s.Bus().Last()
	for _, source := range []string{"", runlog.Person, "Person", "person ", "v1", "V1", " v1"} {
		r, err := s.Resume(t.Context(), asked.Log, from(source, vote("b", yes, 1)))
		if wrong := (*signals.FieldError)(nil); !errors.As(err, &wrong) || wrong.Field != "source" {
			t.Errorf("by %q: %v, %v", source, r, err)
		}
	}
	if s.Bus().Last() != last {
		t.Error("a refused answer is in the log")
	}
	if r, err := s.Resume(t.Context(), asked.Log, from("ceo", answer("b"))); err != nil || r.Answer != "do b" {
		t.Error(r, err)
	}
}

func TestVoteForAnUnknownProposalIsNoAnswer(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation})
	asked := escalated(t, s)
	last := s.Bus().Last()
	r, err := s.Resume(t.Context(), asked.Log, vote("c", yes, 1))
	if wrong := (*signals.FieldError)(nil); !errors.As(err, &wrong) || wrong.Field != "proposalId" || s.Bus().Last() != last {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := s.Resume(t.Context(), asked.Log, answer("b")); err != nil || r.Answer != "do b" {
		t.Error(r, err)
	}
}
