package rooms_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Key files and mentions do not distinguish cases.
func TestNamesThatDifferInCaseAreRefused(t *testing.T) {
	t.Parallel()
	_, err := rooms.New(t.Context(), &rooms.Options{Keys: keys(t), Agents: []rooms.Standing{{Agent: says("Reed", "x")}, {Agent: says("REED", "x")}}})
	if field := (*signals.FieldError)(nil); !errors.As(err, &field) || field.Value != "REED" {
		t.Errorf("got %v", err)
	}
}

// All members that are no longer in a file leave, the last one too.
func TestMembersThatTheOptionsDoNotHaveLeave(t *testing.T) {
	t.Parallel()
	o := rooms.Options{Store: new(journal.Memory), Keys: keys(t)}
	for _, name := range []string{"Reed", "Veda", "Via"} {
		o.Agents = append(o.Agents, rooms.Standing{Agent: says(name, "x"), Rooms: []string{"ops"}})
	}
	open(t, o).close()
	for i := range o.Agents {
		o.Agents[i].Rooms = nil
	}
	h := open(t, o)
	if s, err := h.Snapshot(t.Context(), "ops"); err != nil || len(s.Members) != 0 {
		t.Errorf("the room has %+v, %v", s.Members, err)
	}
	if _, err := h.Say(t.Context(), "ops", rooms.Message{Content: "Anybody?"}); err != nil {
		t.Error(err)
	}
}

func TestMailToAnAgentWithoutARoomIsRefused(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "look", To: []string{"Via"}})}, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Via", "x"), Rooms: []string{"front"}}}})
	if err := h.Leave(t.Context(), "Via", "front"); err != nil {
		t.Fatal(err)
	}
	h.say("ops", "hi")
	h.idle()
	got := lines(of(logged(t, store, "ops"), "system"))
	if last := got[len(got)-1]; !strings.Contains(last, "not queued for Via: no such agent") {
		t.Errorf("got %q", got)
	}
}

func TestReadPositionNeverGoesBack(t *testing.T) {
	t.Parallel()
	h := open(t, rooms.Options{Agents: []rooms.Standing{{Agent: says("Reed", "hello"), Rooms: []string{"ops"}}}})
	h.say("ops", "hi")
	h.idle()
	s, err := h.Snapshot(t.Context(), "ops")
	if err != nil {
		t.Fatal(err)
	}
	for _, through := range []uint64{s.Seq, 1} {
		if err := h.Read(t.Context(), "ops", through); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := h.Snapshot(t.Context(), "ops"); err != nil || now.ReadTo != s.Seq {
		t.Errorf("read to %d, want %d, %v", now.ReadTo, s.Seq, err)
	}
}

// The fragments of an answer are cut where an event is full, but not within a character.
func TestFragmentsAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	whole := "x" + strings.Repeat("\u20ac", events.MessageBytes)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		rooms.Of(ctx).Write(whole)
		return nil, nil
	})
	h := open(t, rooms.Options{Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	var shown strings.Builder
	began := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range h.Events(t.Context(), rooms.From{Room: "ops", Live: true}) {
			if err != nil {
				return
			}
			switch b := e.Body.(type) {
			case events.System:
				if b.What == events.Joined {
					close(began)
				}
			case events.Dialogue:
				if !utf8.ValidString(b.Chunk) || len(b.Chunk) > events.MessageBytes {
					t.Errorf("a fragment has %d bytes: %.10q … %q", len(b.Chunk), b.Chunk, b.Chunk[len(b.Chunk)-4:])
				}
				shown.WriteString(b.Chunk)
			}
			if shown.Len() >= len(whole) {
				return
			}
		}
	}()
	<-began
	h.say("ops", "hi")
	<-done
	if shown.String() != whole {
		t.Errorf("%d of %d bytes are shown", shown.Len(), len(whole))
	}
}
