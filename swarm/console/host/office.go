package host

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// An Office has rooms with standing agents.
type Office struct {
	Name string // of its journal
	// Make returns the options of its router, for a journal and keys.
	Make func(journal.Store, *events.Keys) (*rooms.Options, error)
	Sync journal.Sync
}

// An office runs a router, and shows what happens in its rooms.
type office struct {
	Office
	router *rooms.Router
	store  *journal.File
	agents []rooms.Standing
	feed   Feed
	end    context.CancelFunc
	wg     sync.WaitGroup
	newest newest

	mu  sync.Mutex // protects the field below
	err error      // why the rooms have stopped
}

func openOffice(ctx context.Context, dir string, o *Office, feed Feed) (of *office, err error) {
	store, err := journal.Open(filepath.Join(dir, o.Name+runs.Suffix), &journal.Options{Sync: o.Sync})
	if err != nil {
		return nil, err
	}
	options, err := o.Make(store, &events.Keys{Dir: filepath.Join(dir, o.Name+".keys")})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	options.Store = store
	router, err := rooms.New(ctx, options)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	of = &office{Office: *o, router: router, store: store, agents: options.Agents, feed: feed}
	ctx, of.end = context.WithCancel(context.WithoutCancel(ctx))
	at, err := of.read(ctx)
	if err != nil {
		return nil, errors.Join(err, of.close(ctx))
	}
	of.wg.Go(func() { of.follow(ctx, at) })
	of.wg.Go(func() { of.fail(router.Run(ctx)) })
	return of, nil
}

// read shows the events that there are, the newest of them to the feed, and returns the
// position of the last one.
func (o *office) read(ctx context.Context) (at uint64, err error) {
	all, err := o.router.Rooms(ctx)
	if err != nil {
		return 0, err
	}
	var last uint64 // of the log, whose last signals may be no events
	for _, r := range all {
		last = max(last, r.Seq)
	}
	for e, err := range rooms.Log(o.store, 0) {
		if err != nil {
			return 0, err
		}
		at = e.Seq
		o.show(e, e.Seq+recent >= last)
	}
	return at, nil
}

func (o *office) close(ctx context.Context) error {
	o.end()
	o.wg.Wait()
	return errors.Join(o.router.Close(context.WithoutCancel(ctx)), o.store.Close())
}

func (o *office) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !errors.Is(err, context.Canceled) {
		o.err = err
	}
}

// follow shows the events of the rooms after a position until ctx ends.
func (o *office) follow(ctx context.Context, at uint64) {
	for ctx.Err() == nil {
		for e, err := range o.router.Events(ctx, rooms.From{After: at, Live: true}) {
			if errors.Is(err, rooms.ErrLagged) {
				break // it goes on from where it was
			}
			if err != nil {
				o.fail(err)
				return
			}
			at = max(at, e.Seq) // fragments and passes have no position
			o.show(e, true)
		}
	}
}

// show keeps an event for pages, and tells the feed if asked.
func (o *office) show(e events.Event, tell bool) {
	text, err := json.Marshal(e)
	if err != nil {
		o.fail(err)
		return
	}
	if e.Seq > 0 && e.Room != "" {
		o.newest.add(e.Room, shown{e.Seq, text}, saidIn(e))
	}
	if e.Room == "" || !tell { // a key
		if e.Seq > 0 {
			o.feed.At(o.Name, e.Seq)
		}
		return
	}
	err = o.feed.Publish(api.Frame{
		Type: api.FrameRoom, Log: o.Name, Seq: e.Seq, Time: &e.Time, Kind: e.Body.Type(), Room: e.Room, Event: text,
	})
	if err != nil {
		o.fail(err)
	}
}

func saidIn(e events.Event) string {
	if u, ok := e.Body.(events.User); ok {
		return u.Content
	}
	d, _ := e.Body.(events.Dialogue)
	return d.Content
}

// Rooms implements [api.Rooms].
func (o *office) Rooms(ctx context.Context) ([]api.Room, error) {
	all, err := o.router.Rooms(ctx)
	if err != nil {
		return nil, roomProblem(err)
	}
	list := []api.Room{}
	for i := range all {
		list = append(list, o.roomOf(&all[i]))
	}
	return list, nil
}

func (o *office) roomOf(s *rooms.Snapshot) api.Room {
	r := api.Room{
		Room: s.Room, Log: o.Name, Seq: s.Seq, Head: s.Head, Ix: s.Ix, Members: []api.Member{}, Mark: s.Mark, ReadTo: s.ReadTo, Last: o.newest.said(s.Room),
		Unread: api.Unread{Urgent: s.Unread.Urgent, Normal: s.Unread.Normal, Background: s.Unread.Background},
	}
	for _, m := range s.Members {
		one := api.Member{
			Name: m.Name, Running: m.Running, Urgent: m.Waiting.Urgent, Normal: m.Waiting.Normal, Background: m.Waiting.Background,
			Mail: m.Waiting.Mail, Credits: m.Credits, Next: m.Next,
		}
		if !m.Paused.IsZero() {
			one.Paused = &m.Paused
		}
		r.Members = append(r.Members, one)
	}
	return r
}

// Room implements [api.Rooms].
func (o *office) Room(ctx context.Context, room string) (api.Room, error) {
	s, err := o.router.Snapshot(ctx, room)
	if err != nil {
		return api.Room{}, roomProblem(err)
	}
	return o.roomOf(&s), nil
}

// Create implements [api.Rooms].
func (o *office) Create(ctx context.Context, room string) (api.Room, error) {
	if err := events.CheckName("room", room); err != nil {
		return api.Room{}, roomProblem(err)
	}
	if err := o.router.Create(ctx, room); err != nil {
		return api.Room{}, roomProblem(err)
	}
	return o.Room(ctx, room)
}

// Say implements [api.Rooms].
func (o *office) Say(ctx context.Context, room string, m api.NewMessage) (api.Receipt, error) {
	of := rooms.Message{Content: m.Content, To: m.To}
	if m.Priority != "" {
		p, err := schedule.ParsePriority(m.Priority)
		if err != nil {
			return api.Receipt{}, roomProblem(err)
		}
		of.Priority = p
	}
	r, err := o.router.Say(ctx, room, of)
	if err != nil {
		return api.Receipt{}, roomProblem(err)
	}
	return api.Receipt{
		Seq: r.Seq, ID: r.ID, Priority: r.Priority.String(), Why: r.Why, Queued: append([]string{}, r.Queued...), Full: append([]string{}, r.Full...),
	}, nil
}

// Read implements [api.Rooms].
func (o *office) Read(ctx context.Context, room string, through uint64) (api.Room, error) {
	if err := o.router.Read(ctx, room, through); err != nil {
		return api.Room{}, roomProblem(err)
	}
	return o.Room(ctx, room)
}

// Section implements [api.Rooms].
func (o *office) Section(ctx context.Context, room string, ix int) (api.RoomEvent, error) {
	e, err := o.router.Section(ctx, room, ix)
	if err != nil {
		return nil, roomProblem(err)
	}
	return json.Marshal(e)
}

// roomProblem returns an error with the status that fits.
func roomProblem(err error) error {
	var field *signals.FieldError
	switch {
	case errors.Is(err, rooms.ErrNone):
		return api.NewError(http.StatusNotFound, err.Error())
	case errors.As(err, &field):
		return api.NewError(http.StatusUnprocessableEntity, err.Error())
	case errors.Is(err, rooms.ErrFull), errors.Is(err, rooms.ErrClosed):
		return api.NewError(http.StatusServiceUnavailable, err.Error())
	}
	return err
}

// standing returns an agent of the roster and its rooms, or nil.
func (o *office) standing(name string) *agents.Agent {
	for _, s := range o.agents {
		if s.Agent.ID == name {
			return s.Agent
		}
	}
	return nil
}

// noRooms answers for a server without an office.
type noRooms struct{}

var errNoRooms = api.NewError(http.StatusNotFound, "this server has no rooms: name an office in its configuration")

func (noRooms) Rooms(context.Context) ([]api.Room, error)        { return []api.Room{}, nil }
func (noRooms) Room(context.Context, string) (api.Room, error)   { return api.Room{}, errNoRooms }
func (noRooms) Create(context.Context, string) (api.Room, error) { return api.Room{}, errNoRooms }
func (noRooms) Read(context.Context, string, uint64) (api.Room, error) {
	return api.Room{}, errNoRooms
}

func (noRooms) Page(context.Context, string, uint64, int) (api.RoomEvents, error) {
	return api.RoomEvents{}, errNoRooms
}

func (noRooms) Say(context.Context, string, api.NewMessage) (api.Receipt, error) {
	return api.Receipt{}, errNoRooms
}

func (noRooms) Section(context.Context, string, int) (api.RoomEvent, error) { return nil, errNoRooms }
