package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// A deploy is a tool that does not return in its first lives, and counts how often it was called.
type deploy struct {
	hangs  int32
	calls  atomic.Int32
	again  atomic.Int32 // calls that the user has repeated
	called chan struct{}
}

func (d *deploy) run(ctx context.Context) (string, error) {
	if rooms.Again(ctx) {
		d.again.Add(1)
	}
	if d.calls.Add(1) <= d.hangs {
		d.called <- struct{}{}
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return "deployed", nil
}

// office are Reed, who calls the tool, and Veda in another room.
func (d *deploy) office(store journal.Store, k *events.Keys, repeats bool) rooms.Options {
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		got, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Bash", Label: "deploy the site", Repeats: repeats}, d.run)
		return []signals.Any{rooms.Words(fmt.Sprintf("%s §%d", got.Stub, got.Ix))}, err
	})
	return rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{
		{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "Hi."), Rooms: []string{"design"}},
	}}
}

const asks = `system router urgent 0 asked: Reed asks: §1, Bash, was running when the process ended, so it may have been done. Write "repeat §1" or "skip §1".`

func TestCallThatMayHaveBeenMadeIsRepeatedOnlyByItsHintsOrTheUser(t *testing.T) {
	t.Parallel()
	const skipped = "it was running when the process ended, so it may have been done; the user says not to repeat it"
	for name, test := range map[string]struct {
		repeats bool
		answer  string
		asked   []string
		calls   int32
		said    string
	}{
		"its hints allow it":        {true, "", []string{}, 2, "deployed §1"},
		"the user repeats it":       {false, "repeat §1", []string{asks}, 2, "deployed §1"},
		"the user does not":         {false, "@Reed, skip §1.", []string{asks}, 1, skipped + " §1"},
		"the answer is in capitals": {false, "Reed: SKIP 1", []string{asks}, 1, skipped + " §1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, k, d := new(journal.Memory), keys(t), &deploy{hangs: 1, called: make(chan struct{}, 2)}
			first := open(t, d.office(store, k, test.repeats))
			first.say("ops", "Go")
			<-d.called
			first.close()
			second := open(t, d.office(store, k, test.repeats))
			second.idle() // it does not wait for the user
			if test.answer != "" {
				if n := d.calls.Load(); n != 1 {
					t.Errorf("%d calls before the answer", n)
				}
				if r := second.say("design", "repeat §1"); len(r.Queued) != 1 {
					t.Errorf("a message in a room where nobody asks is queued for %q", r.Queued)
				}
				if r := second.say("ops", test.answer); len(r.Queued) != 0 {
					t.Errorf("the answer is queued for %q", r.Queued)
				}
				second.idle()
			}
			all := logged(t, store, "ops")
			diff(t, test.asked, lines(of(all, "system"))[2:])
			if got := of(all, "dialogue")[0].Body.(events.Dialogue).Content; d.calls.Load() != test.calls || got != test.said {
				t.Errorf("%d calls, Reed says %q; want %d and %q", d.calls.Load(), got, test.calls, test.said)
			}
			verified(t, store)
		})
	}
}

// TestQuestionAboutACallIsAskedOncePerCall ends the process while it asks, and again while the
// repeated call runs.
func TestQuestionAboutACallIsAskedOncePerCall(t *testing.T) {
	t.Parallel()
	store, k, d := new(journal.Memory), keys(t), &deploy{hangs: 2, called: make(chan struct{}, 2)}
	first := open(t, d.office(store, k, false))
	first.say("ops", "Go")
	<-d.called
	first.close()
	for range 2 { // the second continues to ask
		h := open(t, d.office(store, k, false))
		h.idle()
		if got := h.snapshots()[0]; got.Room != "ops" || got.Mark != "!" || !got.Members[0].Asks {
			t.Errorf("a room with a question is %+v", got)
		}
		h.say("design", "Are you there?")
		h.idle()
		h.close()
	}
	if n := len(of(logged(t, store, "design"), "dialogue")); n != 2 {
		t.Errorf("%d answers in the other room", n)
	}
	third := open(t, d.office(store, k, false))
	third.idle()
	third.say("ops", "repeat §1")
	<-d.called
	third.close()
	fourth := open(t, d.office(store, k, false))
	fourth.idle()
	diff(t, []string{asks, asks}, lines(of(logged(t, store, "ops"), "system"))[2:])
	fourth.say("ops", "repeat §1")
	fourth.idle()
	if d.calls.Load() != 3 || d.again.Load() != 2 {
		t.Errorf("%d calls, %d of them repeated", d.calls.Load(), d.again.Load())
	}
	verified(t, store)
}

// TestRepeatedCallThatHasNotBegunIsNotAskedAgain ends the log behind the answer.
func TestRepeatedCallThatHasNotBegunIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	store, k, d := new(journal.Memory), keys(t), &deploy{hangs: 1, called: make(chan struct{}, 2)}
	first := open(t, d.office(store, k, false))
	first.say("ops", "Go")
	<-d.called
	first.close()
	second := open(t, d.office(store, k, false))
	second.idle()
	answer := second.say("ops", "repeat §1")
	second.idle()
	second.close()
	part := new(journal.Memory)
	for record, err := range store.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if record.Seq <= answer.Seq {
			if _, err := part.Append(record); err != nil {
				t.Fatal(err)
			}
		}
	}
	third := open(t, d.office(part, k, false))
	third.idle()
	all := logged(t, part, "ops")
	if len(lines(of(all, "system"))) != 3 || len(of(all, "dialogue")) != 1 || d.calls.Load() != 3 {
		t.Errorf("%d calls: %q", d.calls.Load(), lines(all))
	}
}

func TestCallThatDoesNotReturnEndsWithItsTurn(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{true, false} {
		store := new(journal.Memory)
		reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
			inside, cancel := context.WithCancel(ctx)
			_, err := rooms.Of(ctx).Call(inside, rooms.Call{Tool: "Bash"}, func(context.Context) (string, error) {
				cancel()
				return "", errors.New("too late")
			})
			if fails {
				return nil, err
			}
			return []signals.Any{rooms.Words("Well.")}, nil
		})
		h := open(t, rooms.Options{Store: store, Tries: 1, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
		h.say("ops", "Go")
		h.idle()
		all := lines(of(logged(t, store, "ops"), "tool"))
		if want := `tool Reed normal 1 §1 Bash "Bash call" error: the turn ended before the call returned`; all[len(all)-1] != want {
			t.Errorf("in a turn that fails (%v) the call is %s, want %s", fails, all[len(all)-1], want)
		}
	}
}

// TestTurnThatIsTakenAgainHearsTheSameEvents has the user post a message between the two attempts.
func TestTurnThatIsTakenAgainHearsTheSameEvents(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	var heard []string
	reached := make(chan struct{}, 2)
	reed := react("Reed", func(ctx context.Context, turn *agents.Turn) ([]signals.Any, error) {
		var all []string
		for _, s := range append(turn.Heard, turn.New...) {
			all = append(all, fmt.Sprint(s.Head().Seq))
		}
		heard = append(heard, strings.Join(all, " "))
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read"}, func(context.Context) (string, error) { return "x", nil })
		if len(heard) == 1 {
			reached <- struct{}{}
			<-ctx.Done()
		}
		return nil, err
	})
	o := rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "x"), Rooms: []string{"ops"}}}}
	first := open(t, o)
	first.tell("ops", rooms.Message{Content: "Go", To: []string{"Reed"}})
	<-reached
	first.close()
	second := build(t, o)
	second.tell("ops", rooms.Message{Content: "By the way", To: []string{"Veda"}})
	second.run()
	second.idle()
	if len(heard) != 2 || heard[0] != heard[1] {
		t.Errorf("it hears %q", heard)
	}
}
