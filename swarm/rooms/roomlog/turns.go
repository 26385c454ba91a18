package roomlog

import (
	"cmp"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A Choice is the next turn.
type Choice struct {
	Agent   string
	Room    string
	Pick    schedule.Pick // zero: the turn is for mail
	Longest bool          // the agent has waited longest, and was not chosen by urgency
}

// Record returns the record that the turn begins.
func (c Choice) Record(st *State) Began {
	return Began{Turn: st.agents[c.Agent].Turns + 1, Message: c.Pick.Message.ID, Why: c.Pick.Why, Level: c.Pick.Level, Waited: c.Pick.Waited, Longest: c.Longest}
}

// Choose returns the turn that begins next, and whether one can begin. It does not change the
// state: see [Choice.Record]. A pause that has ended by now does not begin again if the clock
// is set back.
func (st *State) Choose(now time.Time) (Choice, bool) {
	st.resume(now)
	room, _ := st.rota.Next()
	if room == nil {
		return Choice{}, false
	}
	agent, longest := room.Who.rota.Next()
	return Choice{agent.Who.Name, room.Who.Name, agent.Who.pick, longest}, true
}

// Resume returns the earliest end of a pause behind which a turn may begin, and
// whether there is one.
func (st *State) Resume(now time.Time) (at time.Time, some bool) {
	st.resume(now)
	if len(st.pauses) == 0 {
		return at, false
	}
	return st.pauses[0].Paused, true
}

// Idle reports whether no turn is running and no agent waits for one, be it paused or
// not.
func (st *State) Idle() bool { return st.running == 0 && st.ready == 0 }

// Unfinished returns the agents whose turn has begun and not ended, in order of their
// names.
func (st *State) Unfinished() (all []*Agent) {
	for a := range st.Agents() {
		if a.Running != nil {
			all = append(all, a)
		}
	}
	return all
}

func (st *State) began(h signals.Header, b Began) string {
	a, r := st.agents[h.Source], st.rooms[h.Thread]
	switch {
	case a == nil || r == nil:
		return "no such agent or room"
	case a.Running != nil || r.running != nil:
		return "another turn is running"
	case a.at != r || b.Turn != a.Turns+1 || a.pick.Message.ID != b.Message || a.pick.Level != b.Level || a.pick.Waited != b.Waited:
		return "not the agent's next turn"
	}
	a.Turns++
	a.Session++
	a.Running = &Running{Turn: b.Turn, Session: a.Session, Room: r, Pick: a.pick, Mail: a.Mail, Failed: a.failed[b.Message], Since: h.Seq}
	if b.Message != 0 {
		a.Running.Message = st.waiting[b.Message].event
	}
	a.Running.Cause = st.waiting[cmp.Or(b.Message, a.oldest())].cause
	st.count(-1, a.Running.Message)
	st.count(-1, a.Mail...)
	a.Mail = nil
	for _, m := range a.Running.Mail {
		st.mail[m.Body.(events.Mailbox).MailboxID-1].Turn = b.Turn
	}
	st.running++
	st.stamp++
	r.running = a
	st.rota.Chosen(&r.seat, st.stamp)
	r.rota.Chosen(&a.seat, st.stamp)
	st.line(a)
	return ""
}

func (st *State) ended(h signals.Header, e Ended) string {
	a := st.agents[h.Source]
	if a == nil || a.Running == nil || a.Running.Turn != e.Turn || a.Running.Room.Name != h.Thread {
		return "no such turn is running"
	}
	run := a.Running
	if run.Asks() {
		st.asking--
	}
	a.Running, run.Room.running = nil, nil
	st.running--
	run.Room.offer(&st.rota)
	defer st.line(a)
	switch e.Outcome {
	case Failed:
		a.fail(h.Time, e.Pause)
		a.failed[run.Message.Seq]++
		st.count(1, run.Message)
		st.unheard(a, run.Mail)
		return ""
	case SetAside:
		a.fail(h.Time, e.Pause)
		st.heard(a, run.Mail)
	case Moot:
		st.unheard(a, run.Mail)
	case Spoke, Passed:
		a.Failures, a.Paused = 0, time.Time{}
		a.State, a.Out = cmp.Or(e.State, a.State), a.Out || e.Out
		st.heard(a, run.Mail)
	}
	delete(a.failed, run.Message.Seq)
	if _, err := a.Queues.Finish(run.Pick, nil); err != nil {
		return err.Error()
	}
	st.answered(run.Pick.Message.ID)
	return ""
}

// unheard has mail wait again, before what has arrived since.
func (st *State) unheard(a *Agent, mail []events.Event) {
	a.Mail = append(mail, a.Mail...)
	st.count(1, mail...)
	for _, m := range mail {
		st.mail[m.Body.(events.Mailbox).MailboxID-1].Turn = 0
	}
}

// heard forgets the failures of turns for mail, since no agent waits for one any more.
func (st *State) heard(a *Agent, mail []events.Event) {
	for _, m := range mail {
		st.answered(m.Seq)
	}
	if len(mail) > 0 {
		delete(a.failed, 0)
	}
}
