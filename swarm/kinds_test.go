package swarm_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// lag is a kind of a program's own.
type lag struct {
	Minutes int `json:"minutes"`
}

func (lag) Kind() signals.Kind { return "acme.example/lag" }

// lagging are one that measures, one that proposes, and two that vote once they have heard what was
// measured.
func lagging() []*agents.Agent {
	votes := func(id string) *agents.Agent {
		return reacts(id, func(_ context.Context, t *agents.Turn) seq {
			for _, s := range t.New {
				if measured, ok := signals.As[lag](s); ok && measured.Payload.Minutes == 40 {
					return agents.Emit(agents.Agree("a", 0.9, "it lags"))
				}
			}
			return agents.Emit()
		})
	}
	meter := reacts("meter", func(_ context.Context, t *agents.Turn) seq {
		if t.Round > 1 {
			return agents.Emit()
		}
		return agents.Emit(signals.New(signals.Header{Confidence: 1}, lag{40}))
	})
	return []*agents.Agent{meter, proposer("p", "a", "do a"), votes("v"), votes("w")}
}

func TestASolveWithAProgramsOwnKindGoesOnToTheSameAnswer(t *testing.T) {
	t.Parallel()
	on := func(j journal.Store) swarm.Options {
		return swarm.Options{Agents: lagging(), Journal: j, Quorum: 2, Kinds: []signals.Registration{signals.For[lag]()}}
	}
	whole := new(journal.Memory)
	s := startOn(t, on(whole))
	want := ask(t, s, 1)
	if want.Stop != runlog.StopConsensus {
		t.Fatalf("%v: %s", want.Stop, want.Detail)
	}
	for n := uint64(4); n < whole.Last(); n++ {
		s := startOn(t, on(cut(t, whole, n)))
		past, err := s.Results()
		if err != nil || len(past) != 1 {
			t.Fatalf("%d results, %v", len(past), err)
		}
		r, err := s.Resume(t.Context(), past[0].Log, nil)
		if err != nil || r.Stop != want.Stop || r.Answer != want.Answer {
			t.Errorf("cut after %d: %v %q, %v: %s", n, r.Stop, r.Answer, err, r.Detail)
		}
	}
}
