package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// writes is an agent whose answer comes in fragments.
func writes(name string, fragments ...string) *agents.Agent {
	return react(name, func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		whole := ""
		for _, f := range fragments {
			rooms.Of(ctx).Write(f)
			whole += f
		}
		return []signals.Any{rooms.Words(whole)}, nil
	})
}

func TestFragmentsAndPassesAreShownAndNotKept(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: writes("Reed", "<PA", "ST> is", " over"), Rooms: []string{"ops"}}, {Agent: writes("Veda", "<PA", "SS>"), Rooms: []string{"ops"}},
	}})
	feed := h.follow(rooms.From{Room: "ops", Live: true})
	feed.until(t, func(e events.Event) bool { return e.Body.Type() == "system" }) // from now on it is there
	h.say("ops", "Go")
	got := feed.until(t, func(e events.Event) bool { return e.Body.Type() == "pass" })
	diff(t, []string{
		"dialogue Reed normal 1 part 1: <PAST> is", "dialogue Reed normal 1 part 2:  over", "pass Veda normal 1",
	}, lines(func() (live []events.Event) {
		for _, e := range got {
			if e.Live() {
				live = append(live, e)
			}
		}
		return live
	}()))
	h.idle()
	whole := of(logged(t, store, "ops"), "dialogue", "pass")
	diff(t, []string{"dialogue Reed normal 1 to : <PAST> is over"}, lines(whole))
	stream := whole[0].Body.(events.Dialogue).Stream
	ids := map[string]bool{}
	for _, e := range of(got, "dialogue") {
		if d := e.Body.(events.Dialogue); d.Stream != stream || ids[e.ID] || e.ID == "" || d.Sig == "" {
			t.Errorf("%s has stream %q, id %q", line(e), d.Stream, e.ID)
		}
		ids[e.ID] = true
	}
}

func TestFeedContinuesFromAnyPositionWithoutGapOrRepetition(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: says("Reed", "x"), Rooms: []string{"ops"}}, {Agent: says("Veda", "x"), Rooms: []string{"b"}}}})
	for range 30 {
		h.say("ops", "Go")
	}
	h.idle()
	late, err := h.Snapshot(t.Context(), "ops")
	if err != nil {
		t.Fatal(err)
	}
	from := []uint64{0, 1, 17, late.Seq}
	var feeds []*follower
	for _, after := range from {
		feeds = append(feeds, h.follow(rooms.From{Room: "ops", After: after}))
	}
	for range 30 {
		h.say("ops", "Go")
		h.say("b", "Go")
	}
	h.idle()
	whole := logged(t, store, "ops")
	last := whole[len(whole)-1].ID
	for i, f := range feeds {
		var want []events.Event
		for _, e := range whole {
			if e.Seq > from[i] {
				want = append(want, e)
			}
		}
		if d := cmp.Diff(want, f.until(t, func(e events.Event) bool { return e.ID == last })); d != "" {
			t.Errorf("after %d (-want +got):\n%s", from[i], d)
		}
	}
}

func TestFeedOfAReaderThatDoesNotReadEndsAndLosesNothingInSilence(t *testing.T) {
	t.Parallel()
	h := build(t, rooms.Options{Queue: 10_000, Agents: []rooms.Standing{{Agent: says("Reed", "x"), Rooms: []string{"ops"}}}})
	var seen uint64
	var last error
	for e, err := range h.Events(t.Context(), rooms.From{Room: "ops"}) {
		if last = err; err != nil {
			break
		}
		if e.Seq <= seen {
			t.Fatalf("position %d after %d", e.Seq, seen)
		}
		if seen == 0 {
			for i := range 5000 {
				h.say("ops", fmt.Sprint(i))
			}
		}
		seen = e.Seq
	}
	if !errors.Is(last, rooms.ErrLagged) {
		t.Errorf("got %v, want %v", last, rooms.ErrLagged)
	}
}
