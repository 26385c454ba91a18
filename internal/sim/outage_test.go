package sim_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A downtime is that of a team whose agents ask their model, call a tool and ask again with the result, in each turn; from a call on
// the model does not answer.
type downtime struct {
	from int
	in   time.Duration // that the server says to come back

	mu    sync.Mutex // protects the fields below
	up    bool
	asked int
	calls map[string]int // of the tool, by turn
}

func (o *downtime) asks() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asked++; !o.up && o.asked >= o.from {
		return agents.Retryable(errors.New("connection refused"), o.in)
	}
	return nil
}

func (o *downtime) team(by journal.Caller) (all []*agents.Agent) {
	look := tools.Func("look", "Looks.", tools.Hints{ReadsOnly: true}, func(ctx context.Context, _ struct{}) (string, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		turn := agents.TurnOf(ctx)
		o.calls[fmt.Sprintf("%s in round %d", turn.Agent, turn.Round)]++
		return "seen", nil
	})
	for _, id := range []string{"a", "b", "c"} {
		set := tools.Of(look)
		set.Record, set.May = cassette.Tools(by), []tools.Rule{{Tools: "look", Policy: tools.Allow}}
		all = append(all, &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) said {
			if err := o.asks(); err != nil {
				return agents.Fail(err)
			}
			c, err := set.Begin(ctx)
			if err == nil {
				_, err = c.Make(ctx, models.Call{ID: "1", Name: "look", Args: []byte(`{}`)})
			}
			if err == nil {
				err = o.asks()
			}
			if err != nil {
				return agents.Fail(err)
			}
			var all []signals.Any
			if len(turn.Said) == 0 {
				all = append(all, agents.Propose("x"+id, "do "+id, 1, ""), agents.Agree("x"+id, .5, "mine"))
			}
			for _, p := range turn.Proposals {
				if p.ID() == "xa" && p.VoteOf(id) == nil {
					all = append(all, agents.Agree("xa", 1, "seen"))
				}
			}
			return agents.Emit(all...)
		})})
	}
	return all
}

// Whenever the model goes down, behind a tool's result too, the tool is called once a turn, and the solve is
// either decided or names the outage and can be resumed, which calls no tool of those turns again.
func TestOutageAfterAToolCallIsTheCauseAndCallsNoToolAgain(t *testing.T) {
	for _, m := range []mode.Mode{mode.Deliberate, mode.Vote, mode.FactsFirst, mode.Check} {
		for _, in := range []time.Duration{0, time.Minute} {
			for from := 1; from <= 16; from++ {
				synctest.Test(t, func(t *testing.T) {
					store := new(journal.Memory)
					by, err := journal.NewRecorder(store)
					if err != nil {
						t.Fatal(err)
					}
					o := &downtime{from: from, in: in, calls: map[string]int{}}
					s, err := swarm.New(swarm.Options{Agents: o.team(by), Mode: m, Journal: store, Limits: swarm.Limits{Deadline: 2 * time.Minute}})
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					r, _ := s.Solve(t.Context(), signals.Task{Task: "which one?"})
					o.mu.Lock()
					o.up = true
					fell := o.asked >= from
					o.mu.Unlock()
					if fell && !r.Stop.Chose() && !r.Stop.GoesOn() {
						t.Errorf("%v, down for %v from call %d: %v in round %d: %s", m, in, from, r.Stop, r.Rounds, r.Detail)
					}
					if r.Stop.GoesOn() {
						if r, err = s.Resume(t.Context(), r.Log, nil); err != nil || r.Stop.GoesOn() {
							t.Errorf("%v, down for %v from call %d, resumed: %v, %v", m, in, from, r.Stop, err)
						}
					}
					o.mu.Lock()
					defer o.mu.Unlock()
					for turn, n := range o.calls {
						if n > 1 {
							t.Errorf("%v, down for %v from call %d: the tool is called %d times by %s", m, in, from, n, turn)
						}
					}
				})
			}
		}
	}
}
