package rooms_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// everybody are agents in two rooms that answer every message to all agents: those of the
// other room get mail.
func everybody(n int) (all []rooms.Standing) {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("A", i)
	}
	for i, name := range names {
		loud := react(name, func(_ context.Context, _ *agents.Turn) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "And you?", To: names})}, nil
		})
		all = append(all, rooms.Standing{Agent: loud, Rooms: []string{[]string{"ops", "design"}[i%2]}})
	}
	return all
}

// turnsIn counts the turns that a log has.
func turnsIn(t *testing.T, store journal.Reader) (n int) {
	t.Helper()
	state, err := rooms.Load(store)
	if err != nil {
		t.Fatal(err)
	}
	for a := range state.Agents() {
		n += a.Turns
	}
	return n
}

func TestAgentsThatAnswerEverythingToEveryoneAreStopped(t *testing.T) {
	t.Parallel()
	const budget, members, messages = 43, 3, 2
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Budget: budget, Hops: 1000, Queue: 1000, Mail: 1000, Agents: everybody(2 * members)})
	for range messages {
		h.say("ops", "What do you think?")
		h.idle()
	}
	// Mail that arrives together is heard in one turn, so there may be fewer.
	if n := turnsIn(t, store); n > messages*(members+budget) || n < messages*members+budget/2 {
		t.Errorf("%d turns for %d messages to %d members with a budget of %d", n, messages, members, budget)
	}
	if n := asked(logged(t, store, "")); n != messages*budget {
		t.Errorf("agents ask for %d turns, want %d", n, messages*budget)
	}
}

func TestStoppedAgentsAreNamedWithTheRemainingTurns(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	ask := func(name string, to ...string) *agents.Agent {
		return react(name, func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: name + " asks", To: to})}, nil
		})
	}
	o := rooms.Options{Store: store, Keys: k, Budget: 3, Agents: []rooms.Standing{
		{Agent: ask("Reed", "Veda", "Otto"), Rooms: []string{"ops"}},
		{Agent: ask("Veda", "Reed", "Via"), Rooms: []string{"ops"}},
		{Agent: says("Otto", "<PASS>"), Rooms: []string{"ops"}},
		{Agent: ask("Via", "Reed"), Rooms: []string{"front"}},
	}}
	h := open(t, o)
	h.tell("ops", rooms.Message{Content: "Go", To: []string{"Reed"}})
	h.idle()
	diff(t, []string{
		"dialogue Reed normal 1 to Veda,Otto: Reed asks",
		"dialogue Veda normal 1 to Reed: Veda asks",
		`system router background 0 stopped: stopped: not queued for Via: "Go" has led to 3 further turns, the most that one message may; still to come of them: 2. Write again to go on.`,
		"dialogue Reed normal 2 to : Reed asks",
		`system router background 0 stopped: stopped: not queued for Otto, Veda: "Go" has led to 3 further turns, the most that one message may; still to come of them: 0. Write again to go on.`,
	}, lines(behindUser(logged(t, store, ""))))
}

// TestBudgetIsThatOfTheMessageAndNotOfTheProcess ends the process twice on the way.
func TestBudgetIsThatOfTheMessageAndNotOfTheProcess(t *testing.T) {
	t.Parallel()
	const budget = 10
	store, k := new(journal.Memory), keys(t)
	for life := range 3 {
		h := build(t, rooms.Options{Store: store, Keys: k, Budget: budget, Hops: 1000, Agents: everybody(4)})
		if life == 0 {
			h.say("ops", "What do you think?")
		}
		feed := h.follow(rooms.From{})
		h.run()
		if life == 2 {
			h.idle()
			break
		}
		said := 0
		feed.until(t, func(e events.Event) bool {
			if e.Body.Type() == "dialogue" {
				said++
			}
			return said > 2*life
		})
		h.close()
	}
	if n := asked(logged(t, store, "")); n != budget {
		t.Errorf("agents ask for %d turns, want %d", n, budget)
	}
}

// asked counts the turns that messages of agents ask for.
func asked(all []events.Event) (n int) {
	for _, e := range all {
		switch b := e.Body.(type) {
		case events.Dialogue:
			n += len(b.To)
		case events.Mailbox:
			n++
		}
	}
	return n
}
