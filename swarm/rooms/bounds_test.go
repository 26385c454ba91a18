package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

func TestFullQueueIsToldToTheSenderAndTheRoom(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := build(t, rooms.Options{Store: store, Queue: 2, Agents: []rooms.Standing{
		{Agent: says("Reed", "x"), Rooms: []string{"ops"}}, {Agent: says("Veda", "x"), Rooms: []string{"ops"}},
	}})
	for range 2 {
		h.tell("ops", rooms.Message{Content: "Reed", To: []string{"Reed"}})
	}
	if r := h.say("ops", "Both"); len(r.Queued) != 1 || len(r.Full) != 1 || r.Full[0] != "Reed" {
		t.Errorf("got %+v", r)
	}
	before := store.Last()
	if _, err := h.Say(t.Context(), "ops", rooms.Message{Content: "Reed", To: []string{"Reed"}}); !errors.Is(err, rooms.ErrFull) || store.Last() != before {
		t.Errorf("got %v and %d more records", err, store.Last()-before)
	}
	all := lines(logged(t, store, "ops"))
	diff(t, []string{
		"user user urgent 0 to Veda: Both (default: user)",
		"system router background 0 refused: not queued for Reed: its urgent queue is full",
	}, all[len(all)-2:])
}

func TestAgentsDoNotKeepEachOtherTalking(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Hops: 3, Agents: []rooms.Standing{
		{Agent: says("Reed", "@Veda you?"), Rooms: []string{"ops"}}, {Agent: says("Veda", "@Reed no, you?"), Rooms: []string{"ops"}},
	}})
	h.tell("ops", rooms.Message{Content: "Go", To: []string{"Reed"}})
	h.idle()
	diff(t, []string{
		"dialogue Reed normal 1 to Veda: @Veda you?", "dialogue Veda normal 1 to Reed: @Reed no, you?", "dialogue Reed normal 2 to Veda: @Veda you?",
		"system router background 0 refused: not queued for Reed: 3 messages of agents led to it", "dialogue Veda normal 2 to : @Reed no, you?",
	}, lines(of(logged(t, store, "ops"), "dialogue", "system"))[3:])
}

func TestAgentsUrgentMessagesHaveAQuota(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: says("Reed", "@Veda stop"), Rooms: []string{"ops"}}, {Agent: says("Veda", "<PASS>"), Rooms: []string{"ops"}},
	}})
	for range rooms.Quota + 1 {
		h.tell("ops", rooms.Message{Content: "Go", To: []string{"Reed"}})
		h.idle()
	}
	all := of(logged(t, store, "ops"), "dialogue")
	for i, e := range all {
		d := e.Body.(events.Dialogue)
		want, why := schedule.Urgent, `inferred: "stop"`
		if i == rooms.Quota {
			want, why = schedule.Normal, `inferred: "stop", but more than 5 urgent messages in 20 turns`
		}
		if d.Priority != want || d.Why != why {
			t.Errorf("message %d is %v, %s", i, d.Priority, d.Why)
		}
	}
}

func TestNamesLikePathsAndHugeMessagesAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../ops", "a/b", "\x1b[2J", "", "user", strings.Repeat("x", 10<<20)} {
		if _, err := rooms.New(t.Context(), &rooms.Options{Keys: keys(t), Agents: []rooms.Standing{{Agent: says(name, "x")}}}); err == nil {
			t.Errorf("an agent %.20q is taken", name)
		}
	}
	h := build(t, rooms.Options{Agents: []rooms.Standing{{Agent: says("Reed", "x"), Rooms: []string{"ops"}}}})
	for _, room := range []string{"../ops", "a\nb", "nowhere", strings.Repeat("x", 10<<20)} {
		if _, err := h.Say(t.Context(), room, rooms.Message{Content: "x"}); err == nil {
			t.Errorf("a message to %.20q is taken", room)
		}
	}
	for _, text := range []string{"", "  \n", strings.Repeat("x", 10<<20), "\xff"} {
		if _, err := h.Say(t.Context(), "ops", rooms.Message{Content: text}); err == nil {
			t.Errorf("a message %.20q is taken", text)
		}
	}
	if err := h.Create(t.Context(), "../x"); err == nil {
		t.Error("a room ../x is created")
	}
}

func TestHugeResultIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read"}, func(context.Context) (string, error) { return strings.Repeat("ä", 5<<20), nil })
		return nil, err
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	h.say("ops", "Go")
	h.idle()
	e, err := h.Section(t.Context(), "ops", 1)
	if err != nil {
		t.Fatal(err)
	}
	result := *e.Body.(events.Tool).Result
	if len(result) > rooms.ResultBytes || !strings.HasSuffix(result, "[cut: the result has 10485760 bytes]") {
		t.Errorf("%d bytes ending in %q", len(result), result[len(result)-40:])
	}
}

func TestAgentWithWaitingMessagesIsNotStarvedByOthers(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	roster := []rooms.Standing{{Agent: says("Quiet", "At last."), Rooms: []string{"ops"}}}
	for i := range 3 {
		roster = append(roster, rooms.Standing{Agent: says(fmt.Sprintf("Loud%d", i), "Me!"), Rooms: []string{"ops"}})
	}
	h := build(t, rooms.Options{Store: store, Agents: roster})
	h.tell("ops", rooms.Message{Content: "Some time", Priority: schedule.Background, To: []string{"Quiet"}})
	for range 20 {
		h.tell("ops", rooms.Message{Content: "Now", To: []string{"Loud0", "Loud1", "Loud2"}})
	}
	h.run()
	h.idle()
	for i, e := range of(logged(t, store, "ops"), "dialogue") {
		if e.From == "Quiet" {
			if i >= 4*4 {
				t.Errorf("it has turn %d, the bound is %d", i+1, 4*4)
			}
			return
		}
	}
	t.Error("it has no turn")
}

func TestTurnsOfDifferentRoomsRunAtOnceAndOfOneRoomOneByOne(t *testing.T) {
	t.Parallel()
	began, release := make(chan string, 10), make(chan struct{})
	waits := func(name string) *agents.Agent {
		return react(name, func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
			began <- rooms.Of(ctx).Room()
			<-release
			return nil, nil
		})
	}
	h := open(t, rooms.Options{Turns: 2, Agents: []rooms.Standing{
		{Agent: waits("A1"), Rooms: []string{"a"}},
		{Agent: waits("A2"), Rooms: []string{"a"}},
		{Agent: waits("B"), Rooms: []string{"b"}},
		{Agent: waits("C"), Rooms: []string{"c"}},
	}})
	for _, room := range []string{"a", "b", "c"} {
		h.say(room, "Go")
	}
	first, second := <-began, <-began
	if first == second {
		t.Errorf("two turns at once in room %s", first)
	}
	select {
	case room := <-began:
		t.Errorf("a third turn, in room %s", room)
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	h.idle()
}

// An urgent message counts for each that hears it by mail, and if nobody has to answer it.
func TestUrgentMessagesToManyAndToNobodyCount(t *testing.T) {
	t.Parallel()
	many := []string{"A", "B", "C", "D", "E", "F"}
	store := new(journal.Memory)
	o := rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: says("Reed", "We are blocked"), Rooms: []string{"ops"}},
		{Agent: react("Veda", func(context.Context, *agents.Turn) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "stop", To: many})}, nil
		}), Rooms: []string{"dev"}},
	}}
	for _, name := range many {
		o.Agents = append(o.Agents, rooms.Standing{Agent: says(name, "<PASS>"), Rooms: []string{"front"}})
	}
	h := open(t, o)
	for range rooms.Quota + 1 {
		h.say("ops", "Go")
		h.idle()
	}
	h.say("dev", "Go")
	h.idle()
	urgents := 0
	for _, e := range of(logged(t, store, "ops"), "dialogue") {
		if e.Common().Priority == schedule.Urgent {
			urgents++
		}
	}
	if urgents != rooms.Quota {
		t.Errorf("%d messages to nobody are urgent, want %d", urgents, rooms.Quota)
	}
	mail := of(logged(t, store, "front"), "mailbox")
	if len(mail) != len(many) || mail[0].Common().Priority != schedule.Normal {
		t.Errorf("got %q", lines(mail))
	}
}

func TestAUserMentionsAnAgentTwiceAndItIsMailedOnce(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: says("Reed", "<PASS>"), Rooms: []string{"ops"}}, {Agent: says("Via", "<PASS>"), Rooms: []string{"front"}}}})
	h.say("ops", "@Via look, and @via again, @VIA")
	h.idle()
	if n := len(of(logged(t, store, "front"), "mailbox")); n != 1 {
		t.Errorf("Via got the mail %d times", n)
	}
}

// Mail that was heard with a message has failed no more often for the next mail.
func TestFailuresOfMailThatWasHeardAreOver(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	var turns atomic.Int32
	via := react("Via", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		switch turns.Add(1) {
		case 1, 2, 4:
			return nil, errors.New("down")
		}
		return []signals.Any{rooms.Words("Heard.")}, nil
	})
	h := open(t, rooms.Options{Store: store, Tries: 3, Agents: []rooms.Standing{{Agent: says("Reed", "<PASS>"), Rooms: []string{"ops"}}, {Agent: via, Rooms: []string{"front"}}}})
	feed := h.follow(rooms.From{Room: "front"})
	faulted := func(e events.Event) bool { s, ok := e.Body.(events.System); return ok && s.What == events.Faulted }
	heard := func(e events.Event) bool { _, ok := e.Body.(events.Dialogue); return ok }
	h.say("ops", "@Via first")
	feed.until(t, faulted)
	h.settled()
	h.clock.Advance(time.Minute)
	feed.until(t, faulted)
	h.settled()
	h.say("front", "hello")
	h.clock.Advance(time.Minute)
	feed.until(t, heard)
	h.idle()
	h.say("ops", "@Via second")
	feed.until(t, faulted)
	h.settled()
	h.clock.Advance(time.Minute)
	feed.until(t, heard)
	h.idle()
	for _, e := range logged(t, store, "front") {
		if s, ok := e.Body.(events.System); ok && s.What == events.SetAside {
			t.Error(s.Content)
		}
	}
}

// TestMessageOnWhichAnAgentAlwaysFailsIsSetAside sends mail with it, which is set aside too,
// and another message behind it, which is answered.
func TestMessageOnWhichAnAgentAlwaysFailsIsSetAside(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
		for _, s := range turn.New {
			if b, ok := s.Body().(events.User); ok && b.Content == "Good" && len(turn.New) == 1 {
				return []signals.Any{rooms.Words("Answered.")}, nil
			}
		}
		return nil, errors.New("too long for the model")
	})
	h := build(t, rooms.Options{Store: store, Tries: 3, Agents: []rooms.Standing{
		{Agent: reed, Rooms: []string{"ops"}}, {Agent: react("Via", func(context.Context, *agents.Turn) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "Read this.", To: []string{"Reed"}})}, nil
		}), Rooms: []string{"front"}},
	}})
	h.tell("ops", rooms.Message{Content: "Bad"})
	h.tell("ops", rooms.Message{Content: "Good"})
	h.say("front", "Tell Reed")
	feed := h.follow(rooms.From{Room: "ops"})
	h.run()
	for range 3 {
		feed.until(t, func(e events.Event) bool { s, ok := e.Body.(events.System); return ok && s.What == events.Faulted })
		h.settled()
		h.clock.Advance(time.Minute)
	}
	feed.until(t, func(e events.Event) bool { d, ok := e.Body.(events.Dialogue); return ok && d.Content == "Answered." })
	h.idle()
	all := lines(of(logged(t, store, "ops"), "system"))
	diff(t, []string{"system router background 0 set aside: Reed failed in 3 turns: the message and the mail that it had to answer are set aside"}, all[len(all)-1:])
	again, err := rooms.Load(store)
	if err != nil || again.Agent("Reed").Queues.Total() != 0 || len(again.Agent("Reed").Mail) != 0 || again.Mails() != 1 {
		t.Errorf("after a restart: %+v, %v", again.Agent("Reed"), err)
	}
}

func TestWhatIsSaidToNobodyIsSaidInTheRoom(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	zed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "The plan is safe.", To: []string{"Zed"}})}, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: zed, Rooms: []string{"ops"}}}})
	h.tell("ops", rooms.Message{Content: "Go"})
	h.idle()
	all := lines(of(logged(t, store, "ops"), "dialogue", "system"))
	diff(t, []string{
		"system router background 0 refused: not queued for Zed: no such agent", "dialogue Reed normal 1 to : The plan is safe.",
	}, all[len(all)-2:])
}

func TestAgentThatEndsItsGoroutineHasFailed(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		runtime.Goexit()
		return nil, nil
	})
	h := open(t, rooms.Options{Store: store, Tries: 1, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	h.say("ops", "Go")
	h.idle()
	all := lines(of(logged(t, store, "ops"), "system"))
	if n := len(all); n < 2 || !strings.Contains(all[n-2], agents.ErrNoReturn.Error()) {
		t.Errorf("got %q", all)
	}
}

// An agent may say several things in one turn: the limits are those of all of them.
func TestMessagesOfOneTurnFillTheQueueTogether(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(context.Context, *agents.Turn) (all []signals.Any, err error) {
		for _, to := range []string{"Otto", "Veda"} {
			for n := range 2 {
				all = append(all, signals.New(signals.Header{}, rooms.Say{Content: fmt.Sprint(to, n), To: []string{to}}))
			}
		}
		return all, nil
	})
	h := open(t, rooms.Options{Store: store, Queue: 1, Mail: 1, Agents: []rooms.Standing{
		{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Otto", "<PASS>"), Rooms: []string{"ops"}}, {Agent: says("Veda", "<PASS>"), Rooms: []string{"design"}},
	}})
	h.tell("ops", rooms.Message{Content: "Go", To: []string{"Reed"}})
	h.idle()
	diff(t, []string{
		"dialogue Reed normal 1 to Otto: Otto0", "dialogue Reed normal 1 to : Otto1",
		"system router background 0 refused: not queued for Otto: its normal queue is full",
		"mailbox Reed normal 1 §1 mail 1 to Veda: Veda0",
		"system router background 0 refused: not queued for Veda: its mailbox is full",
	}, lines(behindUser(logged(t, store, ""))))
}

// behindUser are the events of a log behind the user's message.
func behindUser(all []events.Event) []events.Event {
	for i, e := range all {
		if _, ok := e.Body.(events.User); ok {
			return all[i+1:]
		}
	}
	return nil
}

// A brokenStore writes nothing any more from some time on.
type brokenStore struct {
	journal.Memory
	broken atomic.Bool
}

func (s *brokenStore) Append(all ...journal.Record) (uint64, error) {
	if s.broken.Load() {
		return 0, errDisk
	}
	return s.Memory.Append(all...)
}

var errDisk = errors.New("no space left on the disk")

func TestNobodyHasTurnsThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	store := new(brokenStore)
	r, err := rooms.New(t.Context(), &rooms.Options{Store: store, Keys: keys(t), Agents: []rooms.Standing{{Agent: says("Reed", "Hi."), Rooms: []string{"ops"}}}})
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan error, 1)
	go func() { ran <- r.Run(t.Context()) }()
	store.broken.Store(true)
	if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Go"}); !errors.Is(err, errDisk) {
		t.Errorf("the user is told %v", err)
	}
	select {
	case err := <-ran:
		if !errors.Is(err, errDisk) {
			t.Errorf("it ran until %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it runs on")
	}
	if err := r.Close(context.Background()); !errors.Is(err, errDisk) {
		t.Errorf("it closes with %v", err)
	}
}

func TestMailNamedTwiceIsSentOnce(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "look", To: []string{"Via", "Via"}})}, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Via", "<PASS>"), Rooms: []string{"front"}}}})
	h.say("ops", "hi")
	h.idle()
	if n := len(of(logged(t, store, "front"), "mailbox")); n != 1 {
		t.Errorf("Via got the mail %d times", n)
	}
}

// A provider may ask to be left alone for a year.
func TestPauseIsAtMostTheMaximum(t *testing.T) {
	t.Parallel()
	busy := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return nil, agents.Retryable(errors.New("busy"), 1000*time.Hour)
	})
	h := open(t, rooms.Options{Agents: []rooms.Standing{{Agent: busy, Rooms: []string{"ops"}}}, Most: 7 * time.Minute})
	h.say("ops", "hi")
	for e, err := range h.Events(t.Context(), rooms.From{Room: "ops"}) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.Body.(events.System); ok && s.What == events.Faulted {
			if !strings.HasSuffix(s.Content, "left alone for 7m0s") {
				t.Error(s.Content)
			}
			return
		}
	}
}

func TestReadPositionIsNeverAheadOfTheLog(t *testing.T) {
	t.Parallel()
	o := rooms.Options{Store: new(journal.Memory), Keys: keys(t), Agents: []rooms.Standing{{Agent: says("Reed", "hello"), Rooms: []string{"ops"}}}}
	h := open(t, o)
	if err := h.Read(t.Context(), "ops", 1<<63); err != nil {
		t.Fatal(err)
	}
	h.close()
	h = open(t, o)
	h.say("ops", "is anybody there?")
	h.idle()
	s, err := h.Snapshot(t.Context(), "ops")
	if err != nil || s.ReadTo >= s.Seq || s.Unread.Total() != 1 {
		t.Errorf("read to %d of %d, unread %+v, %v", s.ReadTo, s.Seq, s.Unread, err)
	}
}

// A tool that ignores its context has its turn fail in time. Others in the room are heard, and
// the router ends.
func TestTurnThatDoesNotReturnHoldsUpNeitherTheRoomNorTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang, over := make(chan struct{}), make(chan error, 1)
		reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
			turn := rooms.Of(ctx)
			_, _ = turn.Call(ctx, rooms.Call{Tool: "Hang"}, func(context.Context) (string, error) { <-hang; return "late", nil })
			_, err := turn.Call(context.WithoutCancel(ctx), rooms.Call{Tool: "Late"}, func(context.Context) (string, error) { return "", nil })
			over <- err
			return nil, nil
		})
		reed.TurnTimeout = time.Minute
		store := new(journal.Memory)
		r, err := rooms.New(t.Context(), &rooms.Options{
			Store: store, Keys: &events.Keys{Dir: t.TempDir()}, Tries: 1,
			Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "I am here"), Rooms: []string{"ops"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- r.Run(ctx) }()
		if _, err := r.Say(ctx, "ops", rooms.Message{Content: "hi"}); err != nil {
			t.Fatal(err)
		}
		if err := r.Idle(ctx); err != nil {
			t.Fatal(err)
		}
		all := logged(t, store, "ops")
		if len(of(all, "dialogue")) != 1 || !slices.ContainsFunc(all, func(e events.Event) bool {
			s, ok := e.Body.(events.System)
			return ok && s.What == events.Faulted && strings.Contains(s.Content, "does not return")
		}) {
			t.Errorf("%q", lines(all))
		}
		if _, err := r.Say(ctx, "ops", rooms.Message{Content: "hi again", To: []string{"Reed"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-ran; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(hang)
		for range 2 { // the second would be taken again if the router went on
			if err := <-over; err == nil {
				t.Error("a turn that was abandoned can still call tools")
			}
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
