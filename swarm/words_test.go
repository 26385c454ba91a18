package swarm_test

import (
	"encoding"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

func TestDurationsPrintAsDurations(t *testing.T) {
	_, err := swarm.New(swarm.Options{Agents: []*agents.Agent{talker("a")}, Limits: swarm.Limits{Deadline: -90 * time.Second}})
	if err == nil || !strings.Contains(err.Error(), "-1m30s") {
		t.Errorf("got %v, want the duration as one", err)
	}
}

func TestUnsetEnumsReadAsUnset(t *testing.T) {
	for what, text := range map[string]string{
		"stop": runlog.StopReason(0).String(), "stance": signals.Stance(0).String(), "severity": signals.Severity(0).String(),
		"outcome": consensus.Outcome(0).String(), "a voter's stance": consensus.Stance(0).String(), "effort": signals.Effort(0).String(),
	} {
		if text != "unset" {
			t.Errorf("%s: got %q", what, text)
		}
	}
	for n := range 100 { // known or not
		if runlog.StopReason(n).String() == "" {
			t.Errorf("stop %d has no name", n)
		}
	}
	var field *signals.FieldError
	err := signals.Validate(signals.New(signals.Header{}, signals.Vote{ProposalID: "a"}))
	if !errors.As(err, &field) || field.Field != "stance" || field.Value != "unset" {
		t.Errorf("got %v", err)
	}
}

// TestVotesSayTheSameInSignalsAndInConsensus holds the two vocabularies
// together, which have no package in common.
func TestVotesSayTheSameInSignalsAndInConsensus(t *testing.T) {
	for n := range 5 {
		if said, counted := signals.Stance(n).String(), consensus.Stance(n).String(); said != counted && n <= 3 {
			t.Errorf("stance %d: %q in a signal, %q as it is counted", n, said, counted)
		}
		if said, counted := signals.CausalLevel(n).String(), consensus.CausalLevel(n).String(); said != counted && n <= 3 {
			t.Errorf("causal level %d: %q in a signal, %q as it is counted", n, said, counted)
		}
		if known := valid(consensus.Stance(n)); known != valid(signals.Stance(n)) || valid(consensus.CausalLevel(n)) != (n == 0 || valid(signals.CausalLevel(n))) {
			t.Errorf("%d is known on one side alone", n)
		}
	}
	said, counted := reflect.TypeFor[signals.Vote](), reflect.TypeFor[consensus.Vote]()
	for f := range said.Fields() {
		if g, ok := counted.FieldByName(f.Name); !ok || g.Tag.Get("json") != f.Tag.Get("json") {
			t.Errorf("%s is %q in a signal, %q as it is counted", f.Name, f.Tag.Get("json"), g.Tag.Get("json"))
		}
	}
}

func valid(v encoding.TextMarshaler) bool {
	_, err := v.MarshalText()
	return err == nil
}

func TestNilResultHasAMessageOfItsOwn(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{talker("a")}})
	if err := s.RecordOutcome(nil, "a"); !errors.Is(err, swarm.ErrNotObserved) || !strings.Contains(err.Error(), "no result") {
		t.Errorf("got %v", err)
	}
}
