package swarm_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func TestDurationsPrintAsDurations(t *testing.T) {
	_, err := swarm.New(swarm.Options{Agents: []*agents.Agent{talker("a")}, Deadline: -90 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "-1m30s") {
		t.Errorf("got %v, want the duration as one", err)
	}
}

func TestUnsetEnumsReadAsUnset(t *testing.T) {
	for what, text := range map[string]string{
		"stop": swarm.StopReason(0).String(), "stance": signals.Stance(0).String(), "severity": signals.Severity(0).String(),
		"outcome": consensus.Outcome(0).String(), "a voter's stance": consensus.Stance(0).String(), "effort": agents.Effort(0).String(),
	} {
		if text != "unset" {
			t.Errorf("%s: got %q", what, text)
		}
	}
	var field *signals.FieldError
	err := signals.Validate(signals.New(signals.Header{}, signals.Vote{ProposalID: "a"}))
	if !errors.As(err, &field) || field.Field != "stance" || field.Value != "unset" {
		t.Errorf("got %v", err)
	}
}

func TestNilResultHasAMessageOfItsOwn(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{talker("a")}})
	if err := s.Resolve(nil, "a"); !errors.Is(err, swarm.ErrNotObserved) || !strings.Contains(err.Error(), "no result") {
		t.Errorf("got %v", err)
	}
}
