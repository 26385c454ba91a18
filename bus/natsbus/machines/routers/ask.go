package routers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// A request asks the router for a change.
type request struct {
	Do      string        `json:"do"`
	Room    string        `json:"room,omitempty"`
	Agent   string        `json:"agent,omitempty"`
	Message rooms.Message `json:"message,omitzero"`
	Through uint64        `json:"through,omitempty"`
	Roster  string        `json:"roster,omitempty"`
	After   uint64        `json:"after"` // what was in the log when it was first asked
}

// A reply says what came of a request.
type reply struct {
	Receipt rooms.Receipt `json:"receipt,omitzero"`
	Problem string        `json:"problem,omitempty"`
	None    bool          `json:"none,omitempty"`   // the problem is [rooms.ErrNone]
	Full    bool          `json:"full,omitempty"`   // the problem is [rooms.ErrFull]
	Roster  bool          `json:"roster,omitempty"` // the problem is [ErrRoster]
}

// problem is an error of the router, which may be in another process.
type problem struct {
	text string
	is   error
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.is }

func (r *reply) err() error {
	switch {
	case r.Problem == "":
		return nil
	case r.None:
		return &problem{r.Problem, rooms.ErrNone}
	case r.Full:
		return &problem{r.Problem, rooms.ErrFull}
	case r.Roster:
		return &problem{r.Problem, ErrRoster}
	}
	return &problem{r.Problem, nil}
}

// calls is the name of the calls of the router.
const calls = "rooms"

// ask asks the router, in whatever process it is.
func (r *Rooms) ask(ctx context.Context, q request) (a reply, err error) {
	q.Roster = r.o.Roster
	if q.After, err = r.Last(); err != nil {
		return a, err
	}
	text, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if text, err = r.o.Log.Call(ctx, calls, text); err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("routers: the answer of the router: %w", err)
	}
	return a, a.err()
}

// answer answers a request. A router that is lost does not: the next one is asked.
func (r *Rooms) answer(ctx context.Context, router *rooms.Router, text []byte) []byte {
	var q request
	err := json.Unmarshal(text, &q)
	var a reply
	if err == nil {
		a.Receipt, err = r.change(ctx, router, &q)
	}
	if errors.Is(err, rooms.ErrClosed) || gone(err) {
		<-ctx.Done()
		return nil
	}
	if err != nil {
		a = reply{Problem: err.Error(), None: errors.Is(err, rooms.ErrNone), Full: errors.Is(err, rooms.ErrFull), Roster: errors.Is(err, ErrRoster)}
	}
	text, _ = json.Marshal(a) // has no member that cannot be encoded
	return text
}

func gone(err error) bool {
	return errors.Is(err, natsbus.ErrLost) || errors.Is(err, natsbus.ErrClosed)
}

// change does what is asked for.
func (r *Rooms) change(ctx context.Context, router *rooms.Router, q *request) (rooms.Receipt, error) {
	if q.Roster != r.o.Roster {
		return rooms.Receipt{}, fmt.Errorf("%w: %s has %q, and a process that asks it %q: all that share the rooms need the same; to change it, stop all of them", ErrRoster, r.o.Log.Process(), r.o.Roster, q.Roster)
	}
	switch q.Do {
	case "roster":
		return rooms.Receipt{}, nil
	case "say":
		if got, said, err := r.said(q); said || err != nil {
			return got, err
		}
		return router.Say(ctx, q.Room, q.Message)
	case "read":
		return rooms.Receipt{}, router.Read(ctx, q.Room, q.Through)
	case "join":
		return rooms.Receipt{}, router.Join(ctx, q.Agent, q.Room)
	case "leave":
		return rooms.Receipt{}, router.Leave(ctx, q.Agent, q.Room)
	case "restart":
		return rooms.Receipt{}, router.Restart(ctx, q.Agent)
	case "create":
		return rooms.Receipt{}, router.Create(ctx, q.Room)
	}
	return rooms.Receipt{}, fmt.Errorf("routers: the router cannot %q: the processes have different versions", q.Do)
}

// said returns the receipt of a message that the log has already, because it was asked for
// before.
func (r *Rooms) said(q *request) (got rooms.Receipt, said bool, err error) {
	for e, err := range rooms.Log(r.o.Records, q.After) {
		if err != nil {
			return got, false, err
		}
		if u, ok := e.Body.(events.User); ok && e.Room == q.Room && u.Content == q.Message.Content {
			return rooms.Receipt{Seq: e.Seq, ID: e.ID, Priority: u.Priority, Why: u.Why, Queued: u.To}, true, nil
		}
	}
	return got, false, nil
}

// Say is [rooms.Router.Say].
func (r *Rooms) Say(ctx context.Context, room string, m rooms.Message) (rooms.Receipt, error) {
	a, err := r.ask(ctx, request{Do: "say", Room: room, Message: m})
	return a.Receipt, err
}

// Read is [rooms.Router.Read].
func (r *Rooms) Read(ctx context.Context, room string, through uint64) error {
	_, err := r.ask(ctx, request{Do: "read", Room: room, Through: through})
	return err
}

// Join is [rooms.Router.Join].
func (r *Rooms) Join(ctx context.Context, agent, room string) error {
	_, err := r.ask(ctx, request{Do: "join", Room: room, Agent: agent})
	return err
}

// Leave is [rooms.Router.Leave].
func (r *Rooms) Leave(ctx context.Context, agent, room string) error {
	_, err := r.ask(ctx, request{Do: "leave", Room: room, Agent: agent})
	return err
}

// Restart is [rooms.Router.Restart].
func (r *Rooms) Restart(ctx context.Context, agent string) error {
	_, err := r.ask(ctx, request{Do: "restart", Agent: agent})
	return err
}

// Create is [rooms.Router.Create].
func (r *Rooms) Create(ctx context.Context, room string) error {
	_, err := r.ask(ctx, request{Do: "create", Room: room})
	return err
}

// Events is [rooms.Router.Events]. With Live, fragments and passes are those of the router if
// it is in this process.
func (r *Rooms) Events(ctx context.Context, from rooms.From) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for more := true; more; {
			more = r.eventsOf(ctx, &from, yield)
		}
	}
}

// eventsOf yields events as long as the router stays where it is, and reports whether there
// may be more.
func (r *Rooms) eventsOf(ctx context.Context, from *rooms.From, yield func(events.Event, error) bool) (more bool) {
	router, moved := r.where()
	here, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(moved, stop)()
	all := r.Follower.Events(here, *from)
	if router != nil {
		all = router.Events(here, *from)
	}
	for e, err := range all {
		if errors.Is(err, rooms.ErrClosed) || gone(err) { // the router is about to move
			select {
			case <-moved.Done():
			case <-ctx.Done():
			case <-r.o.Log.Done():
			}
		}
		switch {
		case err != nil && ctx.Err() == nil && moved.Err() != nil:
			return true
		case !yield(e, err) || err != nil:
			return false
		}
		from.After = max(from.After, e.Seq)
	}
	return ctx.Err() == nil
}
