package swarm_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

type measured struct{ Value float64 }

func (measured) Kind() signals.Kind { return "test/measured" }

type unmarshalable struct{ Text string }

func (unmarshalable) Kind() signals.Kind           { return "test/unmarshalable" }
func (unmarshalable) MarshalJSON() ([]byte, error) { panic("no") }

type exiting struct{ Text string }

func (exiting) Kind() signals.Kind           { return "test/exiting" }
func (exiting) MarshalJSON() ([]byte, error) { runtime.Goexit(); return nil, nil }

// A signal that cannot be written as JSON is refused, and counts against its agent, in this
// solve and later ones; the other agents continue.
func TestASignalThatAJournalCannotWriteIsRefusedAndEndsNoSolve(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]signals.Any{
		"not a number": signals.New(signals.Header{Confidence: 1}, measured{math.NaN()}),
		"panics":       signals.New(signals.Header{Confidence: 1}, unmarshalable{"x"}),
		"exits":        signals.New(signals.Header{Confidence: 1}, exiting{"x"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := new(journal.Memory)
			s := startOn(t, swarm.Options{Agents: append([]*agents.Agent{says("odd", said)}, panel()...), Journal: j, Seed: 1})
			for task := range 3 {
				refused := 0
				for e, err := range s.Stream(t.Context(), signals.Task{Task: "1"}) {
					if err != nil {
						t.Fatal(err)
					}
					switch e := e.(type) {
					case solves.Refused:
						refused++
					case solves.Stopped:
						if r := e.Result; r.Stop == runlog.StopError || r.Decision.Leader() == "" {
							t.Errorf("solve %d: %v: %s", task, r.Stop, r.Detail)
						}
					}
				}
				if refused != 1 {
					t.Errorf("solve %d: %d refusals", task, refused)
				}
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if past, err := solves.List(j); err != nil || len(past) != 3 {
				t.Errorf("%d solves are in the journal, %v", len(past), err)
			}
		})
	}
}
