package rooms_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

func diff(t *testing.T, want, got []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestUsersMessageIsAnsweredByAllMembers(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: says("Reed", "Here."), Rooms: []string{"ops"}},
		{Agent: says("Veda", "<PASS>"), Rooms: []string{"ops"}},
		{Agent: says("Rune", "Not asked."), Rooms: []string{"design"}},
	}})
	h.say("ops", "Good morning")
	h.idle()
	diff(t, []string{
		"system router background 0 created: room ops created",
		"system router background 0 joined: Reed joined the room",
		"system router background 0 joined: Veda joined the room",
		"user user urgent 0 to Reed,Veda: Good morning (default: user)",
		"dialogue Reed normal 1 to : Here.",
	}, lines(logged(t, store, "ops")))
	verified(t, store)
}

func TestMostUrgentHeadAnswersFirst(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := build(t, rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: says("Reed", "I am Reed."), Rooms: []string{"ops"}}, {Agent: says("Veda", "I am Veda."), Rooms: []string{"ops"}},
	}})
	h.tell("ops", rooms.Message{Content: "Some time", Priority: schedule.Background, To: []string{"Reed"}})
	h.tell("ops", rooms.Message{Content: "Now", Priority: schedule.Urgent, To: []string{"Veda"}})
	h.run()
	h.idle()
	diff(t, []string{"dialogue Veda normal 1 to : I am Veda.", "dialogue Reed normal 1 to : I am Reed."}, lines(of(logged(t, store, "ops"), "dialogue")))
}

func TestQuestionByNameIsQueuedForThatMemberAndHeardByAll(t *testing.T) {
	t.Parallel()
	heard := ""
	veda := react("Veda", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
		for _, s := range append(turn.Heard, turn.New...) {
			if e, ok := events.Of(s); ok && e.Body.Type() != "system" {
				heard += line(e) + "\n"
			}
		}
		return nil, nil
	})
	h := open(t, rooms.Options{Agents: []rooms.Standing{{Agent: says("Reed", "Yes."), Rooms: []string{"ops"}}, {Agent: veda, Rooms: []string{"ops"}}}})
	if r := h.say("ops", "@Reed, is it whole?"); r.Priority != schedule.Normal || r.Why != "inferred: question to Reed" || len(r.Queued) != 1 {
		t.Errorf("got %+v", r)
	}
	h.idle()
	h.say("ops", "Veda: and you?")
	h.idle()
	want := "user user normal 0 to Reed: @Reed, is it whole? (inferred: question to Reed)\ndialogue Reed normal 1 to : Yes.\n" +
		"user user normal 0 to Veda: Veda: and you? (inferred: question to Veda)\n"
	if heard != want {
		t.Errorf("Veda heard\n%swant\n%s", heard, want)
	}
}

func TestPriorityIsExplicitBeforeInferredBeforeDefault(t *testing.T) {
	t.Parallel()
	h := build(t, rooms.Options{Agents: []rooms.Standing{{Agent: says("Reed", "x"), Rooms: []string{"ops"}}}})
	for _, c := range []struct {
		m    rooms.Message
		want schedule.Priority
		why  string
	}{
		{rooms.Message{Content: "FYI, urgent", Priority: 3}, schedule.Background, "explicit"},
		{rooms.Message{Content: "FYI: logs moved"}, schedule.Background, `inferred: "fyi"`},
		{rooms.Message{Content: "Hello"}, schedule.Urgent, "default: user"},
	} {
		if r := h.tell("ops", c.m); r.Priority != c.want || r.Why != c.why {
			t.Errorf("%+v: got %v, %s", c.m, r.Priority, r.Why)
		}
	}
}

func TestMailReachesTheReceiversNextTurn(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
		return []signals.Any{signals.New(signals.Header{}, rooms.Say{Content: "entities.db has no backup\nLook at §1.", To: []string{"Veda"}})}, nil
	})
	var got []string
	veda := react("Veda", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
		for _, s := range turn.New {
			if m, ok := s.Body().(events.Mailbox); ok {
				got = append(got, m.Subject, m.Body)
			}
		}
		return []signals.Any{rooms.Words("Noted §1, §9 and §x.")}, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: veda, Rooms: []string{"design", "third"}}}})
	h.say("ops", "Go")
	h.idle()
	diff(t, []string{"entities.db has no backup", "entities.db has no backup\nLook at §1."}, got)
	diff(t, []string{
		"mailbox Reed normal 1 §1 mail 1 to Veda: entities.db has no backup",
		"dialogue Veda normal 1 to : Noted §1, §9 and §x.",
	}, lines(of(logged(t, store, "design"), "mailbox", "dialogue")))
	if e := of(logged(t, store, "ops"), "dialogue", "mailbox"); len(e) > 0 {
		t.Errorf("the sender's room has %v", lines(e))
	}
	state, err := rooms.Load(store)
	if err != nil {
		t.Fatal(err)
	}
	if m := state.Ledger(); len(m) != 1 || m[0].Turn != 1 || m[0].To != "Veda" || m[0].Ix != 1 {
		t.Errorf("the ledger is %+v", m)
	}
	d := of(logged(t, store, "design"), "dialogue")[0].Body.(events.Dialogue)
	if section, _ := state.Room("design").Section(1); len(d.Refs) != 1 || d.Refs[1] != section.ID {
		t.Errorf("references: %v, want §1 as %v and nothing else", d.Refs, section)
	}
}

func TestToolLeavesAStubAndPromptsNeverHoldTheResult(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	var prompts []string
	reed := react("Reed", func(ctx context.Context, turn *agents.Turn) ([]signals.Any, error) {
		var prompt strings.Builder
		for _, s := range append(turn.Heard, turn.New...) {
			data, err := signals.Marshal(s)
			if err != nil {
				return nil, err
			}
			prompt.Write(data)
		}
		prompts = append(prompts, prompt.String())
		if len(prompts) > 1 {
			return nil, nil
		}
		call := rooms.Call{Tool: "Agent", Args: map[string]any{"task": "audit backup state"}, Label: "backup-audit"}
		done, err := rooms.Of(ctx).Call(ctx, call, func(context.Context) (string, error) { return "3 DBs synced\nSECRET", nil })
		if err != nil {
			return nil, err
		}
		failed, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read"}, func(context.Context) (string, error) { return "lost", errors.New("no such file") })
		if done.Stub != "3 DBs synced" || !failed.Failed || failed.Ix != 2 || err != nil {
			t.Errorf("got %+v and %+v, %v", done, failed, err)
		}
		e, err := rooms.Of(ctx).Section(ctx, 1)
		if err != nil || *e.Body.(events.Tool).Result != "3 DBs synced\nSECRET" {
			t.Errorf("section 1: %v, %v", e, err)
		}
		return []signals.Any{rooms.Words("Done §1.")}, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	h.say("ops", "Go")
	h.idle()
	h.say("ops", "Again")
	h.idle()
	diff(t, []string{
		`tool Reed normal 1 §1 Agent "backup-audit" pending: null`,
		`tool Reed normal 1 §1 Agent "backup-audit" running: null`,
		`tool Reed normal 1 §1 Agent "backup-audit" done: 3 DBs synced`,
		`tool Reed normal 1 §2 Read "Read call" pending: null`,
		`tool Reed normal 1 §2 Read "Read call" running: null`,
		`tool Reed normal 1 §2 Read "Read call" error: no such file`,
		"dialogue Reed normal 1 to : Done §1.",
	}, lines(of(logged(t, store, "ops"), "tool", "dialogue")))
	if p := prompts[1]; strings.Contains(p, "SECRET") || !strings.Contains(p, "3 DBs synced") {
		t.Errorf("the later prompt is %s", p)
	}
}

func TestAgentThatFailsPausesLongerEachTimeAndKeepsItsMessages(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	broken := 3
	reed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		switch broken--; broken {
		case 2:
			return nil, errors.New("no connection\nat all")
		case 1:
			panic("bug")
		case 0:
			return []signals.Any{rooms.Words(strings.Repeat("x", 10<<20))}, nil
		}
		return []signals.Any{rooms.Words("At last.")}, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	feed := h.follow(rooms.From{Room: "ops"})
	h.say("ops", "Go")
	for _, pause := range []time.Duration{1, 2, 4} {
		feed.until(t, func(e events.Event) bool { s, ok := e.Body.(events.System); return ok && s.What == events.Faulted })
		h.settled()
		h.clock.Advance(pause*time.Second - 1)
		h.settled()
		h.clock.Advance(1)
	}
	h.idle()
	all := of(logged(t, store, "ops"), "system", "dialogue")[2:]
	diff(t, []string{
		"system router background 0 failed: Reed failed: agents: Reed: no connection; it is left alone for 1s",
		"system router background 0 failed: Reed failed: agents: Reed panicked: bug; it is left alone for 2s",
		"system router background 0 failed: Reed failed: signals: content = \"",
		"dialogue Reed normal 4 to : At last.",
	}, cutAt(lines(all), 2, 68))
	verified(t, store)
}

func cutAt(all []string, i, n int) []string {
	all[i] = all[i][:n]
	return all
}

// A hook counts what runs inside of what.
type hook struct {
	mu  sync.Mutex
	got []string
}

type insideKey struct{}

func (h *hook) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	outer, _ := ctx.Value(insideKey{}).(string)
	name := outer + "/" + string(op.Name) + " " + op.Target
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, name+" "+op.Thread)
	return context.WithValue(ctx, insideKey{}, name), func(any, error) {}
}

func (*hook) Note(context.Context, any) {}

func (*hook) Trace(context.Context) *signals.Trace { return nil }

func TestTurnsAndTheirToolsAreTraced(t *testing.T) {
	t.Parallel()
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read"}, func(context.Context) (string, error) { return "x", nil })
		return nil, err
	})
	h := build(t, rooms.Options{Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	var seen hook
	ctx, cancel := context.WithCancel(hooks.With(context.Background(), &seen))
	ran := make(chan error, 1)
	go func() { ran <- h.Run(ctx) }()
	h.say("ops", "Go")
	h.idle()
	cancel()
	<-ran
	diff(t, []string{"/process room.user ops", "/process room.user/turn Reed ops", "/process room.user/turn Reed/tool Read "}, seen.got)
}
