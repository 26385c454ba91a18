package roomlog

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// ErrLog is wrapped by the errors of [State.Apply]: the log is not one that a router
// writes.
var ErrLog = errors.New("roomlog: not the log of a router")

// State is a fold of the log of rooms. It is not safe for concurrent use. Make one with
// [New].
type State struct {
	rooms  map[string]*Room
	agents map[string]*Agent
	keys   map[string]string // public keys by name
	chain  string            // head of the keys
	mail   []Mail
	seq    uint64

	waiting map[uint64]*message  // by position
	rota    schedule.Rota[*Room] // between rooms without a running turn
	pauses  pauses               // of agents that wait
	paused  time.Time            // when the newest pause began
	stamp   uint64               // of the newest choice
	running int                  // turns
	asking  int                  // turns that wait for answers of the user
	ready   int                  // agents that wait for a turn
}

// Mail is an entry of the ledger of mail.
type Mail struct {
	ID   int    `json:"mailbox_id"` // from 1
	From string `json:"from"`
	To   string `json:"to"`
	Room string `json:"room"` // in which it arrived
	Ix   int    `json:"ix"`   // its section there
	Turn int    `json:"turn"` // of all turns of the receiver, in which it heard the mail; 0: it waits
}

// New returns the state of an empty log.
func New() *State {
	return &State{rooms: map[string]*Room{}, agents: map[string]*Agent{}, keys: map[string]string{}, waiting: map[uint64]*message{}}
}

// Seq returns the position of the newest signal applied.
func (st *State) Seq() uint64 { return st.seq }

// Room returns a room, or nil if there is none.
func (st *State) Room(name string) *Room { return st.rooms[name] }

// Rooms yields the rooms in order of their names.
func (st *State) Rooms() iter.Seq[*Room] {
	return func(yield func(*Room) bool) {
		for _, name := range slices.Sorted(maps.Keys(st.rooms)) {
			if !yield(st.rooms[name]) {
				return
			}
		}
	}
}

// Agent returns an agent, or nil if there was none.
func (st *State) Agent(name string) *Agent { return st.agents[name] }

// Agents yields the agents in order of their names.
func (st *State) Agents() iter.Seq[*Agent] {
	return func(yield func(*Agent) bool) {
		for _, name := range slices.Sorted(maps.Keys(st.agents)) {
			if !yield(st.agents[name]) {
				return
			}
		}
	}
}

// Key returns the public key of a name, "" if none is known.
func (st *State) Key(name string) string { return st.keys[name] }

// Head returns the id of the newest event of a room, or of the newest key for "".
func (st *State) Head(room string) string {
	if r := st.rooms[room]; r != nil {
		return r.Head
	}
	if room == "" {
		return st.chain
	}
	return ""
}

// Ledger returns all mail, oldest first.
func (st *State) Ledger() []Mail { return slices.Clone(st.mail) }

// Mails returns the number of entries of the ledger.
func (st *State) Mails() int { return len(st.mail) }

// Apply folds the next signal of the log; signals of other kinds are ignored. After an
// error, which wraps [ErrLog], the state is of no use.
func (st *State) Apply(s signals.Any) error {
	h := s.Head()
	if h.Seq <= st.seq {
		return fmt.Errorf("%w: position %d after %d", ErrLog, h.Seq, st.seq)
	}
	st.seq = h.Seq
	problem := ""
	switch p := s.Body().(type) {
	case Began:
		problem = st.began(h, p)
	case Ended:
		problem = st.ended(h, p)
	case Read:
		if r := st.rooms[h.Thread]; r != nil {
			r.read(min(p.Through, h.Seq)) // what is to come cannot be read yet
		}
	case events.Body:
		e, _ := events.Of(s)
		problem = st.event(e)
	}
	if problem != "" {
		return fmt.Errorf("%w: position %d, %s from %s in room %q: %s", ErrLog, h.Seq, s.Kind(), h.Source, h.Thread, problem)
	}
	return nil
}

func (st *State) event(e events.Event) string {
	if err := e.CheckSource(); err != nil {
		return err.Error()
	}
	if k, ok := e.Body.(events.Key); ok {
		if e.Common().Prev != st.chain {
			return "not the next event of the keys"
		}
		st.keys[k.Agent], st.chain = k.Public, e.ID
		return ""
	}
	if s, ok := e.Body.(events.System); ok && s.What == events.Created && st.rooms[e.Room] == nil {
		st.stamp++
		r := &Room{Name: e.Room}
		r.seat = schedule.Seat[*Room]{Who: r, Served: st.stamp}
		st.rooms[e.Room] = r
	}
	r := st.rooms[e.Room]
	if r == nil {
		return "no such room"
	}
	if e.Common().Prev != r.Head {
		return "not the next event of its room"
	}
	r.Head = e.ID
	problem := st.fold(r, e)
	r.show(e)
	return problem
}

// fold applies an event of a room.
func (st *State) fold(r *Room, e events.Event) string {
	from := st.agents[e.From]
	if problem := from.silent(r, e); problem != "" {
		return problem
	}
	switch b := e.Body.(type) {
	case events.System:
		return st.changed(r, e, b)
	case events.User:
		if e.ReplyTo != "" && !st.answer(r.running, e.ReplyTo, b.Content) {
			return "an answer to no question"
		}
		return st.queue(e, b.To)
	case events.Dialogue:
		r.said(e.Seq, b.Priority)
		from.Running.Said++
		from.sent(b.Priority)
		return st.queue(e, b.To)
	case events.Tool:
		if b.Ix > r.Ix() {
			r.said(e.Seq, b.Priority)
		}
		from.called(e, b)
		if !r.numbered(b.Ix, e) {
			return "not the next section"
		}
	case events.Signal:
		if b.Ix > r.Ix() {
			return "of no section"
		}
	case events.Mailbox:
		return st.mailed(r, e, b)
	case events.Pass, events.Key:
	}
	return ""
}

func (st *State) changed(r *Room, e events.Event, s events.System) string {
	a := st.agents[s.Agent]
	switch s.What {
	case events.Joined:
		if r.Has(s.Agent) {
			return "it is a member already"
		}
		if a == nil {
			st.stamp++
			a = &Agent{Name: s.Agent}
			a.seat = schedule.Seat[*Agent]{Who: a, Served: st.stamp}
			st.agents[s.Agent] = a
		}
		a.Rooms = append(slices.Clip(a.Rooms), r.Name)
		r.Members = append(slices.Clip(r.Members), s.Agent)
		st.line(a)
	case events.Left:
		i := slices.Index(r.Members, s.Agent)
		if i < 0 || a == nil {
			return "it is no member"
		}
		r.Members = slices.Delete(slices.Clone(r.Members), i, i+1)
		a.Rooms = slices.DeleteFunc(slices.Clone(a.Rooms), func(name string) bool { return name == r.Name })
		st.line(a)
	case events.Restarted:
		if a == nil {
			return "no such agent"
		}
		a.Session, a.Failures, a.Paused, a.State, a.Out = 0, 0, time.Time{}, "", false
		st.line(a)
	case events.Asked:
		if r.running != a || !st.ask(a, e.ReplyTo) {
			return "about no call that is running"
		}
		r.said(e.Seq, s.Priority)
	case events.Created, events.Faulted, events.Refused, events.SetAside, events.Stopped:
	}
	return ""
}

// queue puts a message into the queues of agents.
func (st *State) queue(e events.Event, to []string) string {
	st.put(e, len(to))
	for _, name := range to {
		a := st.agents[name]
		if a == nil {
			return "for " + name + ", which is no agent"
		}
		if err := a.Queues.Put(schedule.Message{ID: e.Seq, Priority: e.Common().Priority}, math.MaxInt); err != nil {
			return err.Error()
		}
		st.line(a)
	}
	return ""
}

func (st *State) mailed(r *Room, e events.Event, b events.Mailbox) string {
	to := st.agents[b.To]
	switch {
	case to == nil:
		return "for " + b.To + ", which is no agent"
	case !r.numbered(b.Ix, e):
		return "not the next section"
	case b.MailboxID != len(st.mail)+1:
		return "not the next entry of the ledger"
	}
	st.mail = append(st.mail, Mail{b.MailboxID, e.From, b.To, r.Name, b.Ix, 0})
	r.said(e.Seq, b.Priority)
	if from := st.agents[e.From]; from != nil {
		from.Running.Said++
		from.sent(b.Priority)
	}
	to.Mail = append(to.Mail, e)
	st.put(e, 1)
	st.line(to)
	return ""
}

// silent returns why an agent cannot be the source of an event of a room: an agent acts only
// in its turn, and only in the room of the turn, except for mail.
func (a *Agent) silent(r *Room, e events.Event) string {
	switch e.Body.(type) {
	case events.Dialogue, events.Tool, events.Signal:
		if a == nil || a.Running == nil || a.Running.Room != r {
			return "no turn of the agent is running in the room"
		}
	case events.Mailbox:
		if e.From != events.FromUser && (a == nil || a.Running == nil) {
			return "no turn of the agent is running"
		}
	case events.Pass, events.System, events.User, events.Key:
	}
	return ""
}

func (a *Agent) called(e events.Event, t events.Tool) {
	calls := a.Running.Calls
	if i := slices.IndexFunc(calls, func(c events.Event) bool { return c.Body.(events.Tool).Ix == t.Ix }); i >= 0 {
		calls[i] = e
		return
	}
	a.Running.Calls = append(calls, e)
}
