package rooms_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// snapshots are all rooms of a router.
func (h *house) snapshots() []rooms.Snapshot {
	h.t.Helper()
	all, err := h.Rooms(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

func TestRestartHasTheSameQueuesCreditsHeadsAndUnread(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	roster := []rooms.Standing{{Agent: says("Reed", "@Veda stop"), Rooms: []string{"ops", "design"}}, {Agent: says("Veda", "FYI"), Rooms: []string{"ops"}}}
	first := open(t, rooms.Options{Store: store, Keys: k, Agents: roster})
	for _, text := range []string{"One", "FYI two", "@Reed three?", "four"} {
		first.say("ops", text)
	}
	first.idle()
	if err := first.Read(t.Context(), "ops", 12); err != nil {
		t.Fatal(err)
	}
	first.stop()
	for _, text := range []string{"@Veda five?", "FYI six", "seven"} {
		first.say("ops", text)
	}
	want := first.snapshots()
	first.close()
	second := build(t, rooms.Options{Store: store, Keys: k, Agents: roster})
	if diff := cmp.Diff(want, second.snapshots()); diff != "" {
		t.Errorf("after the restart (-want +got):\n%s", diff)
	}
	second.run()
	second.idle()
	verified(t, store)
}

func TestTurnThatWasRunningIsTakenAgainAndDoesNothingTwice(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	var calls, turns atomic.Int32
	reached := make(chan struct{}, 2)
	reed := react("Reed", func(ctx context.Context, turn *agents.Turn) ([]signals.Any, error) {
		first := turns.Add(1) == 1
		if turn.Round != 1 {
			t.Errorf("it is turn %d", turn.Round)
		}
		room := rooms.Of(ctx)
		got, err := room.Call(ctx, rooms.Call{Tool: "Bash", Args: map[string]any{"n": 1.0}}, func(context.Context) (string, error) {
			calls.Add(1)
			return "done", nil
		})
		if err != nil || got.Stub != "done" || got.Ix != 1 {
			t.Errorf("the first call: %+v, %v", got, err)
		}
		got, err = room.Call(ctx, rooms.Call{Tool: "Read", Repeats: true}, func(ctx context.Context) (string, error) {
			if first {
				reached <- struct{}{}
				<-ctx.Done()
			}
			return "read", nil
		})
		if err == nil && got.Ix != 2 {
			t.Errorf("the second call is §%d", got.Ix)
		}
		return []signals.Any{rooms.Words("Ready.")}, err
	})
	o := rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}}
	first := open(t, o)
	first.say("ops", "Go")
	<-reached
	first.close()
	second := open(t, o)
	second.idle()
	if calls.Load() != 1 || turns.Load() != 2 {
		t.Errorf("%d calls in %d tries", calls.Load(), turns.Load())
	}
	diff(t, []string{
		`tool Reed normal 1 §1 Bash "Bash call" pending: null`, `tool Reed normal 1 §1 Bash "Bash call" running: null`, `tool Reed normal 1 §1 Bash "Bash call" done: done`,
		`tool Reed normal 1 §2 Read "Read call" pending: null`, `tool Reed normal 1 §2 Read "Read call" running: null`,
		`tool Reed normal 1 §2 Read "Read call" running: null`, `tool Reed normal 1 §2 Read "Read call" done: read`,
		"dialogue Reed normal 1 to : Ready.",
	}, lines(of(logged(t, store, "ops"), "tool", "dialogue")))
	verified(t, store)
}

// TestCrashBetweenWordsAndEndOfATurn cuts the journal after each record of a turn: from any of
// them, the turn ends as it would have, and no message is repeated.
func TestCrashBetweenWordsAndEndOfATurn(t *testing.T) {
	t.Parallel()
	k := keys(t)
	reed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return []signals.Any{
			rooms.Words("One."), signals.New(signals.Header{}, rooms.Say{Content: "Mail.", To: []string{"Veda"}}), rooms.Words("Two."),
		}, nil
	})
	// A full mailbox does not refuse mail that it already holds.
	o := rooms.Options{Keys: k, Mail: 1, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "<PASS>"), Rooms: []string{"design"}}}}
	whole := new(journal.Memory)
	o.Store = whole
	h := open(t, o)
	h.say("ops", "Go")
	h.idle()
	h.close()
	want := lines(of(logged(t, whole, ""), "dialogue", "mailbox"))
	for cut := uint64(9); cut <= whole.Last(); cut++ {
		part := new(journal.Memory)
		for record, err := range whole.Read(0) {
			if err != nil {
				t.Fatal(err)
			}
			if record.Seq <= cut {
				if _, err := part.Append(record); err != nil {
					t.Fatal(err)
				}
			}
		}
		o.Store = part
		again := open(t, o)
		if len(of(logged(t, part, "ops"), "user")) == 0 {
			again.say("ops", "Go")
		}
		again.idle()
		again.close()
		diff(t, want, lines(of(logged(t, part, ""), "dialogue", "mailbox")))
		verified(t, part)
	}
}

func TestRosterDeterminesTheMembers(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	first := build(t, rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{
		{Agent: says("Reed", "Hi."), Rooms: []string{"ops"}}, {Agent: says("Veda", "Hi."), Rooms: []string{"ops"}},
	}})
	first.say("ops", "Go")
	first.close()
	second := open(t, rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{
		{Agent: says("Veda", "Hi."), Rooms: []string{"ops"}}, {Agent: says("Rune", "Hi."), Rooms: []string{"ops"}},
	}})
	second.idle()
	diff(t, []string{
		"system router background 0 joined: Rune joined the room", "system router background 0 left: Reed left the room",
		"dialogue Veda normal 1 to : Hi.",
	}, lines(of(logged(t, store, "ops"), "system", "dialogue"))[3:])
}

func TestAgentsSessionRestartsItsTurnsAndNotTheSections(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read"}, func(context.Context) (string, error) { return "x", nil })
		return nil, err
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	for range 2 {
		h.say("ops", "Go")
		h.idle()
	}
	if err := h.Restart(t.Context(), "Reed"); err != nil {
		t.Fatal(err)
	}
	h.say("ops", "Go")
	h.idle()
	var got []string
	for _, e := range of(logged(t, store, "ops"), "tool", "system") {
		if tool, ok := e.Body.(events.Tool); !ok || tool.Status == events.Done {
			got = append(got, line(e))
		}
	}
	diff(t, []string{
		`tool Reed normal 1 §1 Read "Read call" done: x`, `tool Reed normal 2 §2 Read "Read call" done: x`,
		"system router background 0 restarted: Reed restarted", `tool Reed normal 1 §3 Read "Read call" done: x`,
	}, got[2:])
}

func TestKeyIsRotatedAndTheLogVerifiesWithBoth(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	o := rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{{Agent: says("Reed", "Hi."), Rooms: []string{"ops"}}}}
	h := open(t, o)
	h.say("ops", "One")
	h.idle()
	for _, name := range []string{"Reed", events.FromRouter} {
		if err := h.Rotate(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	h.say("ops", "Two")
	h.idle()
	h.close()
	again := open(t, o)
	again.say("ops", "Three")
	again.idle()
	if n := len(of(logged(t, store, ""), "key")); n != 4 {
		t.Errorf("%d keys in the log, want 4", n)
	}
	verified(t, store)
}

func TestUnreadEventsAreTheUsers(t *testing.T) {
	t.Parallel()
	h := open(t, rooms.Options{Agents: []rooms.Standing{
		{Agent: says("Reed", "We are blocked."), Rooms: []string{"a"}},
		{Agent: says("Veda", "FYI: done"), Rooms: []string{"b"}},
		{Agent: says("Rune", "Well."), Rooms: []string{"c"}},
		{Agent: says("Via", "<PASS>"), Rooms: []string{"d"}},
	}})
	for _, room := range []string{"d", "c", "b", "a"} {
		h.tell(room, rooms.Message{Content: "Go", Priority: schedule.Normal})
	}
	h.idle()
	summary := func() (got []string) {
		for _, s := range h.snapshots() {
			got = append(got, s.Room+s.Mark+string(rune('0'+s.Unread.Total())))
		}
		return got
	}
	diff(t, []string{"a1", "c1", "b1", "d0"}, summary()) // nothing is pending: the most urgent unread one first
	if err := h.Read(t.Context(), "a", h.snapshots()[0].Seq); err != nil {
		t.Fatal(err)
	}
	diff(t, []string{"c1", "b1", "a0", "d0"}, summary())
}

// The marks and the order of rooms go by what waits for an answer, whatever is unread.
func TestRoomsAreMarkedByWhatIsPending(t *testing.T) {
	t.Parallel()
	h := open(t, rooms.Options{Agents: []rooms.Standing{
		{Agent: says("Reed", "We are blocked."), Rooms: []string{"a"}},
		{Agent: says("Veda", "FYI: done"), Rooms: []string{"b", "c"}},
		{Agent: says("Via", "<PASS>"), Rooms: []string{"d"}},
	}})
	h.tell("a", rooms.Message{Content: "Go", Priority: schedule.Normal})
	h.idle() // its answer is urgent, and unread
	h.stop()
	for room, p := range map[string]schedule.Priority{"b": schedule.Background, "c": schedule.Normal, "d": schedule.Urgent} {
		h.tell(room, rooms.Message{Content: "Go", Priority: p})
	}
	h.tell("b", rooms.Message{Content: "And", Priority: schedule.Background})
	summary := func() (got []string) {
		for _, s := range h.snapshots() {
			got = append(got, s.Mark+s.Room)
		}
		return got
	}
	diff(t, []string{"!d", "c", "·b", "a"}, summary())
	h.tell("b", rooms.Message{Content: "Now", Priority: schedule.Urgent})
	diff(t, []string{"!b", "!d", "c", "a"}, summary())
	h.run()
	h.idle()
	diff(t, []string{"a", "b", "c", "d"}, summary())
}

func TestJournalFromWhichRecordsWereDroppedIsRefused(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	roster := []rooms.Standing{{Agent: says("Reed", "x"), Rooms: []string{"ops"}}}
	h := build(t, rooms.Options{Store: store, Keys: k, Agents: roster})
	h.say("ops", "Go")
	h.close()
	if err := store.Drop(2, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := rooms.New(t.Context(), &rooms.Options{Store: store, Keys: k, Agents: roster}); !errors.Is(err, rooms.ErrDropped) || !strings.Contains(err.Error(), "the first 2 records") {
		t.Errorf("got %v", err)
	}
}
