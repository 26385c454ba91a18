package rooms_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// sends is an agent that posts the same messages in each turn.
func sends(name string, all ...rooms.Say) *agents.Agent {
	return react(name, func(context.Context, *agents.Turn) (said []signals.Any, err error) {
		for _, s := range all {
			said = append(said, signals.New(signals.Header{Confidence: 1}, s))
		}
		return said, nil
	})
}

// TestAllMailIsHeardInOneTurn sends three letters and a message to an agent.
func TestAllMailIsHeardInOneTurn(t *testing.T) {
	t.Parallel()
	var turns [][]string
	veda := react("Veda", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
		var heard []string
		for _, s := range turn.New {
			switch b := s.Body().(type) {
			case events.Mailbox:
				heard = append(heard, b.Subject)
			case events.User:
				heard = append(heard, b.Content)
			}
		}
		turns = append(turns, heard)
		return nil, nil
	})
	to := []string{"Veda"}
	reed := sends("Reed",
		rooms.Say{Content: "One.", To: to, Priority: schedule.Background},
		rooms.Say{Content: "Two.", To: to, Priority: schedule.Normal},
		rooms.Say{Content: "Three.", To: to, Priority: schedule.Urgent},
		rooms.Say{Content: "Four.", To: to, Priority: schedule.Normal})
	h := build(t, rooms.Options{Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: veda, Rooms: []string{"design"}}}})
	h.say("ops", "Go") // before what waits for Veda, so that her turn is after Reed's
	h.tell("design", rooms.Message{Content: "FYI: a note", Priority: schedule.Background})
	h.run()
	h.idle()
	if want := fmt.Sprint([][]string{{"Three.", "Two.", "Four.", "One.", "FYI: a note"}}); fmt.Sprint(turns) != want {
		t.Errorf("the turns heard %v, want %v", turns, want)
	}
}

// TestEquallyUrgentMembersSpeakInTurn asks three members twice: at first they speak in the
// order in which they joined, and then the one that has waited longest is the first.
func TestEquallyUrgentMembersSpeakInTurn(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: says("Zoe", "Z"), Rooms: []string{"ops"}}, {Agent: says("Abe", "A"), Rooms: []string{"ops"}}, {Agent: says("Max", "M"), Rooms: []string{"ops"}},
	}})
	h.say("ops", "All of you")
	h.idle()
	h.tell("ops", rooms.Message{Content: "Zoe again", To: []string{"Zoe"}})
	h.idle()
	h.say("ops", "All of you again")
	h.idle()
	var order []string
	for _, e := range of(logged(t, store, "ops"), "dialogue") {
		order = append(order, e.From)
	}
	if want := []string{"Zoe", "Abe", "Max", "Zoe", "Abe", "Max", "Zoe"}; !slices.Equal(order, want) {
		t.Errorf("they spoke as %v, want %v", order, want)
	}
}

// TestAgedMessageKeepsItsPriorityAndTheTurnRecordsWhy has a message wait in the background for
// eleven turns.
func TestAgedMessageKeepsItsPriorityAndTheTurnRecordsWhy(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := build(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: says("Reed", "x"), Rooms: []string{"ops"}}}})
	aged := h.tell("ops", rooms.Message{Content: "Some time", Priority: schedule.Background})
	for range 12 {
		h.tell("ops", rooms.Message{Content: "Now", Priority: schedule.Urgent})
	}
	h.run()
	h.idle()
	e := of(logged(t, store, "ops"), "user")[0]
	if e.Seq != aged.Seq || e.Common().Priority != schedule.Background {
		t.Errorf("the event is %s", line(e))
	}
	codec, err := signals.NewCodec(roomlog.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range journal.Signals(store, codec, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := s.Body().(roomlog.Began); ok && b.Message == aged.Seq {
			want := roomlog.Began{Turn: 13, Message: aged.Seq, Why: schedule.CreditLeft, Level: schedule.Normal, Waited: 1}
			if b.Longest = false; b != want {
				t.Errorf("the record is %+v, want %+v", b, want)
			}
			return
		}
	}
	t.Error("no turn began for it")
}
