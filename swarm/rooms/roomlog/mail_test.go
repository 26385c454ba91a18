package roomlog_test

import (
	"slices"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// system adds a change of a room.
func (w *writer) system(room string, what events.What, agent string) {
	w.t.Helper()
	w.must(w.event(room, events.FromRouter, events.System{Common: common, What: what, Agent: agent, Content: what.String()}))
}

// ask adds a message of the user.
func (w *writer) ask(room string, p schedule.Priority, to ...string) {
	w.t.Helper()
	w.must(w.event(room, events.FromUser, events.User{Common: events.Common{Priority: p}, Content: "Go", To: to}))
}

// mail adds mail in the room ops, from an agent whose turn is running.
func (w *writer) mail(from, to string, p schedule.Priority, subject string) {
	w.t.Helper()
	room := "ops"
	w.must(w.event(room, from, events.Mailbox{
		Common: events.Common{Priority: p}, Ix: w.state.Room(room).Ix() + 1, Subject: subject, MailboxID: w.state.Mails() + 1, To: to,
	}))
}

// end ends the running turn of an agent.
func (w *writer) end(agent, room string, o roomlog.Outcome, pause time.Duration) {
	w.t.Helper()
	w.must(w.add(record(agent, room, roomlog.Ended{Turn: w.state.Agent(agent).Turns, Outcome: o, Pause: pause})))
}

// twoRooms is a log in which Via's turn in the room front is running, with Reed and Veda in ops.
func twoRooms(t *testing.T) *writer {
	t.Helper()
	w := &writer{t: t, state: roomlog.New(), heads: map[string]string{}}
	w.system("ops", events.Created, "")
	w.system("front", events.Created, "")
	for _, name := range []string{"Reed", "Veda"} {
		w.system("ops", events.Joined, name)
	}
	w.system("front", events.Joined, "Via")
	w.ask("front", schedule.Urgent, "Via")
	w.begin()
	return w
}

func subjects(mail []events.Event) (all []string) {
	for _, m := range mail {
		all = append(all, m.Body.(events.Mailbox).Subject)
	}
	return all
}

func TestUrgentMailGoesBeforeNormalMessages(t *testing.T) {
	t.Parallel()
	w := twoRooms(t)
	w.ask("ops", schedule.Normal, "Reed")
	w.ask("ops", schedule.Background, "Veda")
	w.mail("Via", "Veda", schedule.Urgent, "stop")
	if got := w.begin(); got.Agent != "Veda" || got.Pick.Level != schedule.Background {
		t.Errorf("got %+v, want the turn of Veda, who has urgent mail", got)
	}
}

func TestTurnThatIsMootLeavesItsMail(t *testing.T) {
	t.Parallel()
	w := twoRooms(t)
	w.ask("ops", schedule.Normal, "Reed")
	w.mail("Via", "Reed", schedule.Normal, "one")
	w.system("ops", events.Left, "Reed")
	w.begin()
	w.mail("Via", "Reed", schedule.Normal, "two")
	w.end("Reed", "ops", roomlog.Moot, 0)
	reed := w.state.Agent("Reed")
	if got := subjects(reed.Mail); !slices.Equal(got, []string{"one", "two"}) || w.state.Ledger()[0].Turn != 0 {
		t.Errorf("Reed has the mail %q, ledger %+v", got, w.state.Ledger())
	}
	if choice, ok := w.state.Choose(start); ok {
		t.Errorf("an agent that is in no room has a turn: %+v", choice)
	}
	w.end("Via", "front", roomlog.Passed, 0)
	if !w.state.Idle() {
		t.Error("mail of an agent that is in no room keeps the office busy")
	}
	w.system("front", events.Joined, "Reed")
	if got := w.begin(); got.Agent != "Reed" || got.Room != "front" || len(reed.Running.Mail) != 2 {
		t.Errorf("got %+v with the mail %q", got, subjects(reed.Running.Mail))
	}
}

func TestMailOfAFailedTurnStaysBeforeLaterMail(t *testing.T) {
	t.Parallel()
	w := twoRooms(t)
	w.mail("Via", "Reed", schedule.Normal, "one")
	w.mail("Via", "Reed", schedule.Urgent, "two")
	w.begin()
	w.mail("Via", "Reed", schedule.Normal, "three")
	w.end("Reed", "ops", roomlog.Failed, 0)
	if got := subjects(w.state.Agent("Reed").Mail); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("got %q", got)
	}
	for _, m := range w.state.Ledger() {
		if m.Turn != 0 {
			t.Errorf("mail %d was heard in turn %d, which failed", m.ID, m.Turn)
		}
	}
}

// paused is a log in which Reed's turn has failed, and Reed is paused for an hour.
func paused(t *testing.T) (w *writer, failed time.Time) {
	t.Helper()
	w = aRoom(t)
	w.begin()
	w.end("Reed", "ops", roomlog.Failed, time.Hour)
	failed = w.state.Agent("Reed").Paused.Add(-time.Hour)
	if _, ok := w.state.Choose(failed); ok {
		t.Error("it has a turn at once")
	}
	return w, failed
}

func TestClockThatIsSetBackDoesNotExtendAPause(t *testing.T) {
	t.Parallel()
	w, failed := paused(t)
	if _, ok := w.state.Choose(failed.Add(-24 * time.Hour)); !ok {
		t.Error("a clock that was set back by a day extends a pause of an hour")
	}
}

func TestRestartEndsThePause(t *testing.T) {
	t.Parallel()
	w, failed := paused(t)
	w.system("ops", events.Restarted, "Reed")
	if _, ok := w.state.Choose(failed); !ok {
		t.Error("an agent that was restarted is left alone")
	}
	if _, some := w.state.Resume(failed); some {
		t.Error("there is still a pause")
	}
}

func TestCauseCountsItsTurnsAndWaitingMessages(t *testing.T) {
	t.Parallel()
	w := twoRooms(t)
	cause := w.state.Agent("Via").Running.Cause
	check := func(when string, caused, waiting int) {
		t.Helper()
		if cause.Caused != caused || cause.Waiting != waiting {
			t.Errorf("%s: %d caused, %d wait; want %d and %d", when, cause.Caused, cause.Waiting, caused, waiting)
		}
	}
	check("the user's message alone", 0, 0)
	w.mail("Via", "Reed", schedule.Normal, "one")
	w.mail("Via", "Veda", schedule.Normal, "two")
	check("mail to two agents", 2, 2)
	w.end("Via", "front", roomlog.Spoke, 0)
	w.ask("ops", schedule.Urgent, "Reed") // another cause, in whose turn Reed hears the mail
	w.begin()
	check("Reed hears it", 2, 1)
	w.end("Reed", "ops", roomlog.Failed, 0)
	check("Reed's turn fails", 2, 2)
	w.begin()
	if w.state.Agent("Reed").Running.Cause == cause {
		t.Error("a turn for a message belongs to the cause of its mail")
	}
	w.end("Reed", "ops", roomlog.SetAside, 0)
	check("Reed's turn is set aside", 2, 1)
	if got := w.begin(); got.Agent != "Veda" || w.state.Agent("Veda").Running.Cause != cause {
		t.Errorf("the turn of %s is of another cause", got.Agent)
	}
	check("Veda hears it", 2, 0)
}
