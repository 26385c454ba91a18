package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

func TestFullQueueIsReportedToTheSenderAndTheRoom(t *testing.T) {
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

func TestHugeResultIsCutWithANote(t *testing.T) {
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
	head, more, _ := strings.Cut(result, "… (")
	if len(result) > rooms.ResultBytes || more != fmt.Sprintf("%d bytes more)", 10<<20-len(head)) {
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
	synctest.Test(t, func(t *testing.T) {
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
		synctest.Wait()
		if len(began) > 0 {
			t.Errorf("a third turn, in room %s", <-began)
		}
		close(release)
		h.idle()
	})
}

// An urgent message counts once for each receiver by mail, and also if no agent has to answer it.
func TestUrgentMessagesToManyAndToNoAgentCount(t *testing.T) {
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

func TestMessageWithoutReachableAddresseesIsPostedInTheRoom(t *testing.T) {
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

// An agent may send several messages in one turn: the limits apply to all of them together.
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
