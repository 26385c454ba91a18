package roomlog

import (
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A Cause is a message of the user, with the turns of agents that follow from it: the turns
// for it, for the messages of those turns, and so on. A turn and its messages belong to the
// cause of the message that the turn is for, or of the oldest mail if it is for mail alone.
type Cause struct {
	Message events.Event // of the user
	Caused  int          // turns that messages and mail of agents have asked for so far, without those for the user's message
	Waiting int          // messages and mail of it that wait for turns
}

// A message waits for turns of agents. Mail is one, too.
type message struct {
	event events.Event
	left  int // agents that have not had their turn
	cause *Cause
}

// put has a message wait for n turns of agents.
func (st *State) put(e events.Event, n int) {
	if n == 0 {
		return
	}
	var cause *Cause
	if from := st.agents[e.From]; from != nil {
		cause = from.Running.Cause
		cause.Caused += n
	} else {
		cause = &Cause{Message: e}
	}
	cause.Waiting += n
	st.waiting[e.Seq] = &message{e, n, cause}
}

// answered notes that an agent has had its turn for a message. A message that no agent has to
// answer any more is forgotten.
func (st *State) answered(id uint64) {
	if m := st.waiting[id]; m != nil {
		if m.left--; m.left == 0 {
			delete(st.waiting, id)
		}
	}
}

// count adds n to the Waiting of the causes of messages and mail.
func (st *State) count(n int, all ...events.Event) {
	for _, e := range all {
		if m := st.waiting[e.Seq]; m != nil {
			m.cause.Waiting += n
		}
	}
}

// Pending returns the priority of the most urgent message or mail that waits for a turn in each
// room, or is answered now. A question to the user about a call is urgent.
func (st *State) Pending() map[string]schedule.Priority {
	all := map[string]schedule.Priority{}
	note := func(room string, p schedule.Priority) {
		if now := all[room]; p > 0 && (now == 0 || p < now) {
			all[room] = p
		}
	}
	for _, m := range st.waiting {
		note(m.event.Room, m.event.Common().Priority)
	}
	for name, r := range st.rooms {
		if r.running != nil && r.running.Running.Asks() {
			note(name, schedule.Urgent)
		}
	}
	return all
}
