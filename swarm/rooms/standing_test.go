package rooms_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
)

// What a standing agent listens to and may emit holds in rooms, and routes are refused there, which
// would have no effect.
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
	routed := speaks("Rhea", func(a *agents.Agent) {
		a.Router, _ = routing.New(routing.Config{Agent: []routing.Route{{Kind: "room.user", Action: routing.Reject}}})
	})
	var wrong *signals.FieldError
	if _, err := rooms.New(t.Context(), &rooms.Options{Keys: keys(t), Agents: []rooms.Standing{routed}}); !errors.As(err, &wrong) || wrong.Field != "agent.router" {
		t.Errorf("an agent with routes: got %v", err)
	}
}
