package roomlog

import (
	"fmt"
	"slices"
	"sort"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// window is the number of events of a room that later prompts hold.
const window = 64

// A Room is the state of one room in the log. Callers must not modify it.
type Room struct {
	Name    string
	Members []string // in the order in which they joined
	Head    string   // id of the newest event; "": none
	// Recent are the newest events of the room, oldest first: tools as they are by now,
	// with their stubs and §N for the result, mail with its subject and §N for the body.
	Recent []events.Event

	ReadTo uint64 // position up to which the user has read the room

	sections []Section
	unread   []unread
	running  *Agent // whose turn it is
	rota     schedule.Rota[*Agent]
	seat     schedule.Seat[*Room]
}

// A Section is the newest event with a number of a room.
type Section struct {
	Seq uint64
	ID  string
}

// Unread events up to a position.
type unread struct {
	seq uint64
	n   Unread
}

// mostUnread is the maximum number of entries of a room's unread events, so that the state of
// an unread room does not grow.
const mostUnread = 1024

// Unread are the numbers of events that the user has not read, by priority.
type Unread struct {
	Urgent     int `json:"urgent"`
	Normal     int `json:"normal"`
	Background int `json:"background"`
}

// Total returns the sum.
func (u Unread) Total() int { return u.Urgent + u.Normal + u.Background }

// Unread returns the number of events that the user has not read: messages of agents, calls
// of tools and mail, each once. Of more than 1,024 such events the oldest are counted
// together, as unread until the user has read the newest of them.
func (r *Room) Unread() Unread { return sum(r.unread) }

func sum(all []unread) (n Unread) {
	for _, e := range all {
		n.Urgent += e.n.Urgent
		n.Normal += e.n.Normal
		n.Background += e.n.Background
	}
	return n
}

// said adds an event that the user has not read.
func (r *Room) said(seq uint64, p schedule.Priority) {
	var n Unread
	switch p {
	case schedule.Urgent:
		n.Urgent = 1
	case schedule.Normal:
		n.Normal = 1
	case schedule.Background:
		n.Background = 1
	}
	if len(r.unread) == mostUnread {
		older := r.unread[:mostUnread/2]
		all := []unread{{older[len(older)-1].seq, sum(older)}}
		r.unread = append(all, r.unread[len(older):]...)
	}
	r.unread = append(r.unread, unread{seq, n})
}

// Ix returns the number of the newest section, 0 if there is none.
func (r *Room) Ix() int { return len(r.sections) }

// Section returns the section with a number, and whether there is one.
func (r *Room) Section(ix int) (Section, bool) {
	if ix < 1 || ix > len(r.sections) {
		return Section{}, false
	}
	return r.sections[ix-1], true
}

// Has reports whether an agent is a member.
func (r *Room) Has(agent string) bool { return slices.Contains(r.Members, agent) }

// Running returns the agent whose turn it is, "" if no turn is running.
func (r *Room) Running() string {
	if r.running == nil {
		return ""
	}
	return r.running.Name
}

// numbered takes the number of an event: the next one, or that of an earlier event.
func (r *Room) numbered(ix int, e events.Event) bool {
	switch {
	case ix == len(r.sections)+1:
		r.sections = append(r.sections, Section{})
	case ix < 1 || ix > len(r.sections):
		return false
	}
	r.sections[ix-1] = Section{e.Seq, e.ID}
	return true
}

// show adds an event to the recent ones, in place of an earlier event of the same call.
func (r *Room) show(e events.Event) {
	switch b := e.Body.(type) {
	case events.Tool:
		if b.Result != nil {
			where := fmt.Sprintf("§%d", b.Ix)
			b.Result = &where
		}
		e.Body = b
		if i := slices.IndexFunc(r.Recent, func(old events.Event) bool { t, ok := old.Body.(events.Tool); return ok && t.Ix == b.Ix }); i >= 0 {
			r.Recent = slices.Clone(r.Recent) // readers may have the old ones
			r.Recent[i] = e
			return
		}
	case events.Mailbox:
		b.Body = fmt.Sprintf("§%d", b.Ix)
		e.Body = b
	case events.Signal:
		return // its section is shown
	case events.Dialogue, events.Pass, events.System, events.User, events.Key:
	}
	if len(r.Recent) >= 2*window {
		r.Recent = slices.Clone(r.Recent[len(r.Recent)-window:])
	}
	r.Recent = append(r.Recent, e)
}

func (r *Room) read(through uint64) {
	r.ReadTo = max(r.ReadTo, through)
	n := sort.Search(len(r.unread), func(i int) bool { return r.unread[i].seq > through })
	r.unread = slices.Delete(r.unread, 0, n)
}
