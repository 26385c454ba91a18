package roomlog_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

var start = time.Date(2026, 3, 17, 9, 0, 0, 0, time.UTC)

// A tester is a test, or a draw of one.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// A writer writes a log.
type writer struct {
	t     tester
	state *roomlog.State
	log   []signals.Any
	heads map[string]string
}

func (w *writer) add(s signals.Any) error {
	h := s.Head()
	h.Seq, h.Time = uint64(len(w.log))+1, start.Add(time.Duration(len(w.log))*time.Second)
	s = signals.With(s, h)
	w.log = append(w.log, s)
	return w.state.Apply(s)
}

// event adds an event of a room, which has the position as its id.
func (w *writer) event(room, from string, body events.Body) error {
	w.t.Helper()
	return w.reply(room, from, "", body)
}

// reply adds an event that answers another one.
func (w *writer) reply(room, from, to string, body events.Body) error {
	w.t.Helper()
	key := make([]byte, 64)
	e, err := events.Seal(events.Event{Room: room, From: from, Time: start.Add(time.Duration(len(w.log)) * time.Second), ReplyTo: to, Body: body}, w.heads[room], key)
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := e.Signal()
	if err != nil {
		w.t.Fatal(err)
	}
	w.heads[room] = e.ID
	return w.add(s)
}

func record[P signals.Payload](agent, room string, p P) signals.Any {
	return signals.New(signals.Header{Source: agent, Thread: room}, p)
}

var common = events.Common{Priority: schedule.Normal}

// aRoom is a log with one room, one member and one message.
func aRoom(t *testing.T) *writer {
	t.Helper()
	w := &writer{t: t, state: roomlog.New(), heads: map[string]string{}}
	for _, body := range []events.Body{
		events.System{Common: common, What: events.Created, Content: "created"},
		events.System{Common: common, What: events.Joined, Agent: "Reed", Content: "joined"},
	} {
		w.must(w.event("ops", events.FromRouter, body))
	}
	w.must(w.event("ops", events.FromUser, events.User{Common: common, Content: "Go", To: []string{"Reed"}}))
	return w
}

func (w *writer) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// begin begins the next turn.
func (w *writer) begin() roomlog.Choice {
	w.t.Helper()
	choice, ok := w.state.Choose(start)
	if !ok {
		w.t.Fatal("no turn can begin")
	}
	w.must(w.add(record(choice.Agent, choice.Room, choice.Record(w.state))))
	return choice
}

func TestTurnBeginsAndEndsAsRecorded(t *testing.T) {
	t.Parallel()
	w := aRoom(t)
	choice, ok := w.state.Choose(start)
	if !ok || choice.Agent != "Reed" || choice.Room != "ops" || choice.Pick.Message.ID != 3 {
		t.Fatalf("got %+v, %v", choice, ok)
	}
	if err := w.add(record("Reed", "ops", choice.Record(w.state))); err != nil {
		t.Fatal(err)
	}
	if all := w.state.Unfinished(); len(all) != 1 || all[0].Running.Message.Seq != 3 || w.state.Idle() {
		t.Errorf("unfinished: %+v", all)
	}
	if err := w.add(record("Reed", "ops", roomlog.Ended{Turn: 1, Outcome: roomlog.Failed, Pause: time.Minute})); err != nil {
		t.Fatal(err)
	}
	paused := w.state.Agent("Reed").Paused
	if _, ok := w.state.Choose(paused.Add(-1)); ok || w.state.Agent("Reed").Queues.Total() != 1 {
		t.Error("an agent that failed has a turn at once, or lost its message")
	}
	if at, some := w.state.Resume(paused.Add(-1)); !some || !at.Equal(paused) {
		t.Errorf("it goes on at %v, %v, want %v", at, some, paused)
	}
	choice, ok = w.state.Choose(paused)
	if !ok || choice.Record(w.state).Turn != 2 {
		t.Fatalf("after the pause: %+v, %v", choice, ok)
	}
}

func TestLogThatNoRouterWritesIsRefused(t *testing.T) {
	t.Parallel()
	good := func(w *writer) roomlog.Began {
		choice, _ := w.state.Choose(start)
		return choice.Record(w.state)
	}
	for name, do := range map[string]func(w *writer) error{
		"a turn for another message": func(w *writer) error { b := good(w); b.Message = 2; return w.add(record("Reed", "ops", b)) },
		"a turn with another number": func(w *writer) error { b := good(w); b.Turn = 2; return w.add(record("Reed", "ops", b)) },
		"a turn at another level":    func(w *writer) error { b := good(w); b.Level = schedule.Urgent; return w.add(record("Reed", "ops", b)) },
		"a turn in another room":     func(w *writer) error { return w.add(record("Reed", "else", good(w))) },
		"a turn of nobody":           func(w *writer) error { return w.add(record("Veda", "ops", good(w))) },
		"two turns at once": func(w *writer) error {
			b := good(w)
			if err := w.add(record("Reed", "ops", b)); err != nil {
				w.t.Fatal(err)
			}
			return w.add(record("Reed", "ops", b))
		},
		"an end without a beginning": func(w *writer) error {
			return w.add(record("Reed", "ops", roomlog.Ended{Turn: 1, Outcome: roomlog.Spoke}))
		},
		"a message of the user from an agent": func(w *writer) error {
			w.begin()
			return w.event("ops", "Reed", events.User{Common: common, Content: "Go"})
		},
		"a change of a room from an agent": func(w *writer) error {
			return w.event("ops", "Reed", events.System{Common: common, What: events.Left, Agent: "Reed", Content: "left"})
		},
		"a key from an agent": func(w *writer) error {
			return w.event("", "Reed", events.Key{Common: common, Agent: "Reed", Public: base64.StdEncoding.EncodeToString(make([]byte, 32))})
		},
		"a key off the chain": func(w *writer) error {
			w.heads[""] = strings.Repeat("0", 64)
			return w.event("", events.FromRouter, events.Key{Common: common, Agent: "Reed", Public: base64.StdEncoding.EncodeToString(make([]byte, 32))})
		},
		"an answer outside of a turn": func(w *writer) error {
			return w.event("ops", "Reed", events.Dialogue{Common: common, Stream: "s", Done: true, Content: "Done."})
		},
		"an answer outside of the room of the turn": func(w *writer) error {
			w.must(w.event("design", events.FromRouter, events.System{Common: common, What: events.Created, Content: "created"}))
			w.begin()
			return w.event("design", "Reed", events.Dialogue{Common: common, Stream: "s", Done: true, Content: "Done."})
		},
		"mail outside of a turn": func(w *writer) error {
			return w.event("ops", "Reed", events.Mailbox{Common: common, Ix: 1, Subject: "s", MailboxID: 1, To: "Reed"})
		},
		"a section out of order": func(w *writer) error {
			w.begin()
			return w.event("ops", "Reed", events.Tool{Common: common, Ix: 2, ToolName: "Read", Label: "read file", Status: events.Pending})
		},
		"mail out of order": func(w *writer) error {
			w.begin()
			return w.event("ops", "Reed", events.Mailbox{Common: common, Ix: 1, Subject: "s", MailboxID: 2, To: "Reed"})
		},
		"mail for nobody": func(w *writer) error {
			w.begin()
			return w.event("ops", "Reed", events.Mailbox{Common: common, Ix: 1, Subject: "s", MailboxID: 1, To: "Veda"})
		},
		"a message for nobody": func(w *writer) error {
			return w.event("ops", "user", events.User{Common: common, Content: "Go", To: []string{"Veda"}})
		},
		"an event of no room": func(w *writer) error { return w.event("else", "user", events.User{Common: common, Content: "Go"}) },
		"an event off the chain": func(w *writer) error {
			w.heads["ops"] = ""
			return w.event("ops", "user", events.User{Common: common, Content: "Go"})
		},
		"a member that joins twice": func(w *writer) error {
			return w.event("ops", "router", events.System{Common: common, What: events.Joined, Agent: "Reed", Content: "joined"})
		},
		"a question about no call": func(w *writer) error {
			w.begin()
			return w.reply("ops", events.FromRouter, w.heads["ops"], events.System{Common: common, What: events.Asked, Agent: "Reed", Content: "asks"})
		},
		"an answer to no question": func(w *writer) error {
			w.begin()
			w.must(w.event("ops", "Reed", events.Tool{Common: common, Ix: 1, ToolName: "Read", Label: "read file", Status: events.Pending}))
			return w.reply("ops", events.FromUser, w.heads["ops"], events.User{Common: common, Content: "repeat §1"})
		},
		"an answer while no turn runs": func(w *writer) error {
			return w.reply("ops", events.FromUser, w.heads["ops"], events.User{Common: common, Content: "repeat §1"})
		},
		"a position twice": func(w *writer) error { return w.state.Apply(w.log[len(w.log)-1]) },
	} {
		if err := do(aRoom(t)); !errors.Is(err, roomlog.ErrLog) {
			t.Errorf("%s: got %v, want %v", name, err, roomlog.ErrLog)
		}
	}
}

func TestRecentEventsAreBoundedAndHoldNoResults(t *testing.T) {
	t.Parallel()
	w := aRoom(t)
	w.begin()
	result, stub, took := "SECRET", "a stub", int64(1)
	for _, tool := range []events.Tool{
		{Common: common, Ix: 1, ToolName: "Read", Label: "read file", Status: events.Pending},
		{Common: common, Ix: 1, ToolName: "Read", Label: "read file", Status: events.Done, Result: &result, Stub: &stub, DurationMS: &took},
	} {
		if err := w.event("ops", "Reed", tool); err != nil {
			t.Fatal(err)
		}
	}
	recent := w.state.Room("ops").Recent
	if tool, ok := recent[len(recent)-1].Body.(events.Tool); !ok || *tool.Result != "§1" || *tool.Stub != stub || len(recent) != 4 {
		t.Errorf("got %+v", recent)
	}
	for range 500 {
		if err := w.event("ops", "user", events.User{Common: common, Content: "Go"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.state.Room("ops").Recent); n > 128 || n < 64 {
		t.Errorf("%d recent events", n)
	}
	again := roomlog.New()
	for _, s := range w.log {
		if err := again.Apply(s); err != nil {
			t.Fatal(err)
		}
	}
	if again.Head("ops") != w.state.Head("ops") || !slices.Equal(again.Room("ops").Members, []string{"Reed"}) {
		t.Error("the same log has another state")
	}
}

// TestUnreadEventsOfAnUnreadRoomAreBounded compares the counts with those of a room that
// keeps all events.
func TestUnreadEventsOfAnUnreadRoomAreBounded(t *testing.T) {
	t.Parallel()
	w := aRoom(t)
	w.begin()
	levels := []schedule.Priority{schedule.Urgent, schedule.Normal, schedule.Background}
	const n = 4000
	for i := range n {
		if err := w.event("ops", "Reed", events.Dialogue{Common: events.Common{Priority: levels[i%3]}, Done: true, Content: "x", Stream: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	ops := w.state.Room("ops")
	if got, want := ops.Unread(), (roomlog.Unread{Urgent: 1334, Normal: 1333, Background: 1333}); got != want {
		t.Errorf("unread: %+v, want %+v", got, want)
	}
	last := uint64(len(w.log))
	read := func(through uint64) int {
		t.Helper()
		if err := w.add(record("user", "ops", roomlog.Read{Through: through})); err != nil {
			t.Fatal(err)
		}
		return ops.Unread().Total()
	}
	if got := read(10); got != n {
		t.Errorf("%d unread: of the oldest, some have not been read", got)
	}
	if got := read(last - 100); got != 100 {
		t.Errorf("%d unread, want 100", got)
	}
	if got := read(last); got != 0 {
		t.Errorf("%d unread, want 0", got)
	}
}
