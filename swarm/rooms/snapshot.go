package rooms

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A Snapshot is the state of a room at a position of the log, for a reader that joins
// late: its feed continues after Seq.
type Snapshot struct {
	Room    string         `json:"room"`
	Seq     uint64         `json:"seq"`
	Head    string         `json:"head"` // id of the newest event
	Ix      int            `json:"ix"`   // number of the newest section
	Members []Member       `json:"members"`
	Unread  roomlog.Unread `json:"unread"`
	Mark    string         `json:"mark"`    // "!": something urgent is pending, for an agent or the user; "·": only background
	ReadTo  uint64         `json:"read_to"` // position up to which the user has read it
	// Ledger has the newest mail that arrived in the room, at most 1000; nil in [Router.Rooms].
	Ledger []roomlog.Mail `json:"ledger,omitempty"`
}

// mostMail is how much of its ledger a snapshot has.
const mostMail = 1000

// A Member is an agent in a room.
type Member struct {
	Name    string    `json:"name"`
	Running bool      `json:"running"`       // its turn in this room is running
	Asks    bool      `json:"asks,omitzero"` // and waits for an answer of the user about a call
	Waiting Waiting   `json:"waiting"`
	Credits int       `json:"credits"`
	Next    string    `json:"next,omitzero"` // why which message is next
	Paused  time.Time `json:"paused,omitzero"`
}

// Waiting are the numbers of messages in an agent's queues, of all rooms.
type Waiting struct {
	Urgent     int `json:"urgent"`
	Normal     int `json:"normal"`
	Background int `json:"background"`
	Mail       int `json:"mail"`
}

// Snapshot returns a room as it is in the journal. The error wraps [ErrNone] if there is
// no such room.
func (r *Router) Snapshot(ctx context.Context, room string) (Snapshot, error) {
	r.mu.Lock()
	s, err := snapshot(r.state, room)
	r.mu.Unlock()
	if err != nil {
		return s, err
	}
	return s, r.writer.Sync(ctx, s.Seq)
}

// Rooms returns the snapshots of all rooms: that with the most urgent pending message first, of
// equal ones that with the most urgent unread one, and then by name.
func (r *Router) Rooms(ctx context.Context) ([]Snapshot, error) {
	r.mu.Lock()
	all, seq := snapshots(r.state), r.state.Seq()
	r.mu.Unlock()
	return all, r.writer.Sync(ctx, seq)
}

func snapshots(state *roomlog.State) (all []Snapshot) {
	pending, none := state.Pending(), schedule.Background+1
	for room := range state.Rooms() { // by name
		s, _ := snapshotOf(state, room.Name, pending[room.Name])
		all = append(all, s)
	}
	rank := func(p schedule.Priority) schedule.Priority { return cmp.Or(p, none) }
	slices.SortStableFunc(all, func(a, b Snapshot) int {
		return cmp.Or(cmp.Compare(rank(pending[a.Room]), rank(pending[b.Room])), cmp.Compare(rank(urgency(a.Unread)), rank(urgency(b.Unread))))
	})
	return all
}

// urgency returns the most urgent priority of the unread events, 0 if there are none.
func urgency(u roomlog.Unread) schedule.Priority {
	switch {
	case u.Urgent > 0:
		return urgent
	case u.Normal > 0:
		return normal
	case u.Background > 0:
		return background
	}
	return 0
}

// marks are those of rooms, by the priority of what is pending there.
var marks = map[schedule.Priority]string{urgent: "!", background: "·"}

func snapshot(state *roomlog.State, name string) (Snapshot, error) {
	s, err := snapshotOf(state, name, state.Pending()[name])
	s.Ledger = slices.DeleteFunc(state.Ledger(), func(m roomlog.Mail) bool { return m.Room != name })
	s.Ledger = s.Ledger[max(0, len(s.Ledger)-mostMail):]
	return s, err
}

func snapshotOf(state *roomlog.State, name string, pending schedule.Priority) (Snapshot, error) {
	room := state.Room(name)
	if room == nil {
		return Snapshot{}, noRoom(state, name)
	}
	unread := room.Unread()
	s := Snapshot{Room: name, Seq: state.Seq(), Head: room.Head, Ix: room.Ix(), Unread: unread, Mark: marks[pending], ReadTo: room.ReadTo, Members: []Member{}}
	for _, name := range room.Members {
		a := state.Agent(name)
		m := Member{
			Name: name, Running: room.Running() == name, Credits: a.Queues.Credits(), Paused: a.Paused,
			Waiting: Waiting{a.Queues.Len(urgent), a.Queues.Len(normal), a.Queues.Len(background), len(a.Mail)},
		}
		m.Asks = m.Running && a.Running.Asks()
		if p, ok := a.Queues.Pick(); ok {
			m.Next = p.String()
		}
		s.Members = append(s.Members, m)
	}
	return s, nil
}
