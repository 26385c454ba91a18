package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// What a standing agent listens to and may emit holds in rooms.
func TestAStandingAgentObeysItsListensAndCanEmit(t *testing.T) {
	turns := map[string]int{}
	speaks := func(name string, set func(*agents.Agent)) rooms.Standing {
		a := react(name, func(context.Context, *agents.Turn) ([]signals.Any, error) {
			turns[name]++
			return []signals.Any{rooms.Words("I am " + name)}, nil
		})
		set(a)
		return rooms.Standing{Agent: a, Rooms: []string{"ops"}}
	}
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Tries: 1, Agents: []rooms.Standing{
		speaks("Reed", func(*agents.Agent) {}),
		speaks("Deaf", func(a *agents.Agent) { a.Listens = []signals.Kind{"room.mailbox"} }),
		speaks("Mute", func(a *agents.Agent) { a.CanEmit = []signals.Kind{} }),
	}})
	h.say("ops", "hello everybody")
	h.idle()
	h.close()
	var spoke []string
	for e, err := range rooms.Log(store, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Body.Type() == "dialogue" {
			spoke = append(spoke, e.From)
		}
	}
	if !slices.Equal(spoke, []string{"Reed"}) || turns["Deaf"] != 0 || turns["Mute"] == 0 {
		t.Errorf("%v spoke in %v turns, want Reed alone, and no turn of Deaf", spoke, turns)
	}
}

// The strategy of a standing agent decides before the agent does: it withholds what people say in the
// middle of a transaction, whatever the agent's own routes say, also after a restart of the process;
// an agent that a route stopped passes until it is restarted.
func TestTheStrategyOfAStandingAgentDecidesBeforeIt(t *testing.T) {
	about := func(word string) routing.Predicate {
		return func(v routing.View) bool {
			said, ok := signals.As[events.User](v.Signal)
			return ok && strings.Contains(said.Payload.Content, word)
		}
	}
	const said signals.Kind = "room.user"
	router, err := routing.New(routing.Config{
		Strategy: routing.Strategy{
			States: []routing.State{"idle", "transaction"},
			Routes: []routing.Route{
				{Kind: said, When: about("done"), In: []routing.State{"transaction"}, Action: routing.Transition("idle"), Priority: 1},
				{Kind: said, In: []routing.State{"transaction"}, Action: routing.Reject},
				{Kind: said, When: about("transfer"), Action: routing.Transition("transaction")},
			},
		},
		Agent: []routing.Route{
			{Kind: said, When: about("enough"), Action: routing.GracefulStop, Priority: 1000},
			{Kind: said, Action: routing.Continue, Priority: -1},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	store, secret := new(journal.Memory), keys(t)
	opening := func() *house {
		teller := react("Teller", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
			for _, s := range turn.New {
				if u, ok := signals.As[events.User](s); ok {
					heard = append(heard, fmt.Sprintf("%s: %s", turn.State, u.Payload.Content))
				}
			}
			return []signals.Any{rooms.Words("yes")}, nil
		})
		teller.Router = router
		return open(t, rooms.Options{Store: store, Keys: secret, Agents: []rooms.Standing{{Agent: teller, Rooms: []string{"ops"}}}})
	}
	h := opening()
	for _, text := range []string{"hello", "transfer 5", "are you there?"} {
		h.say("ops", text)
		h.idle()
	}
	h.close()
	h = opening()
	for _, text := range []string{"and now?", "done", "thanks", "enough", "anybody?"} {
		h.say("ops", text)
		h.idle()
	}
	if err := h.Restart(t.Context(), "Teller"); err != nil {
		t.Fatal(err)
	}
	h.say("ops", "good morning")
	h.idle()
	h.close()
	want := []string{"idle: hello", "transaction: transfer 5", "idle: done", "idle: thanks", "idle: good morning"}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	timed, err := routing.New(routing.Config{Timers: []routing.Schedule{{Name: "tick", After: time.Second}}})
	if err != nil {
		t.Fatal(err)
	}
	clock := react("Clock", func(context.Context, *agents.Turn) ([]signals.Any, error) { return nil, nil })
	clock.Router = timed
	var wrong *signals.FieldError
	if _, err := rooms.New(t.Context(), &rooms.Options{Keys: keys(t), Agents: []rooms.Standing{{Agent: clock, Rooms: []string{"ops"}}}}); !errors.As(err, &wrong) || wrong.Field != "agent.router" {
		t.Errorf("an agent with timers: got %v", err)
	}
}
