package host

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// Rooms implements [api.Rooms].
func (o *office) Rooms(ctx context.Context) ([]api.Room, error) {
	router, err := o.opened(ctx)
	if err != nil {
		return nil, err
	}
	all, err := router.Rooms(ctx)
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
	for _, m := range s.Ledger {
		r.Mail = append(r.Mail, api.Mail(m))
	}
	return r
}

// Room implements [api.Rooms].
func (o *office) Room(ctx context.Context, room string) (api.Room, error) {
	router, err := o.opened(ctx)
	if err != nil {
		return api.Room{}, err
	}
	s, err := router.Snapshot(ctx, room)
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
	router, err := o.writable(ctx)
	if err != nil {
		return api.Room{}, err
	}
	if err := router.Create(ctx, room); err != nil {
		return api.Room{}, roomProblem(err)
	}
	return o.Room(ctx, room)
}

// Say implements [api.Rooms].
func (o *office) Say(ctx context.Context, room string, m api.NewMessage) (api.Receipt, error) {
	of := rooms.Message{Content: m.Content, To: m.To}
	if m.Priority != "" {
		p, err := schedule.ParsePriority(string(m.Priority))
		if err != nil {
			return api.Receipt{}, roomProblem(err)
		}
		of.Priority = p
	}
	router, err := o.writable(ctx)
	if err != nil {
		return api.Receipt{}, err
	}
	r, err := router.Say(ctx, room, of)
	if err != nil {
		return api.Receipt{}, roomProblem(err)
	}
	return api.Receipt{
		Seq: r.Seq, ID: r.ID, Priority: r.Priority.String(), Why: r.Why, Queued: append([]string{}, r.Queued...), Full: append([]string{}, r.Full...),
	}, nil
}

// Read implements [api.Rooms].
func (o *office) Read(ctx context.Context, room string, through uint64) (api.Room, error) {
	router, err := o.writable(ctx)
	if err != nil {
		return api.Room{}, err
	}
	if err := router.Read(ctx, room, through); err != nil {
		return api.Room{}, roomProblem(err)
	}
	return o.Room(ctx, room)
}

// Seat implements [api.Rooms].
func (o *office) Seat(ctx context.Context, room string, m api.Seat) (api.Room, error) {
	router, err := o.writable(ctx)
	if err != nil {
		return api.Room{}, err
	}
	change := router.Join
	if m.Leaves {
		change = router.Leave
	}
	if err := change(ctx, m.Agent, room); err != nil {
		return api.Room{}, roomProblem(err)
	}
	return o.Room(ctx, room)
}

// Section implements [api.Rooms].
func (o *office) Section(ctx context.Context, room string, ix int) (api.RoomEvent, error) {
	router, err := o.opened(ctx)
	if err != nil {
		return nil, err
	}
	e, err := router.Section(ctx, room, ix)
	if err != nil {
		return nil, roomProblem(err)
	}
	return json.Marshal(e)
}

// roomProblem returns an error with the status that fits.
func roomProblem(err error) error {
	var field *signals.FieldError
	switch {
	case errors.As(err, &field):
		return api.NewFieldError(field.Field, field.Value, field.Problem, err.Error())
	case errors.Is(err, rooms.ErrNone):
		return api.NewError(http.StatusNotFound, err.Error())
	case errors.Is(err, rooms.ErrFull), errors.Is(err, rooms.ErrClosed):
		return api.NewError(http.StatusServiceUnavailable, err.Error())
	}
	return err
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

func (noRooms) Seat(context.Context, string, api.Seat) (api.Room, error) {
	return api.Room{}, errNoRooms
}

func (noRooms) Page(context.Context, string, uint64, int) (api.RoomEvents, error) {
	return api.RoomEvents{}, errNoRooms
}

func (noRooms) Say(context.Context, string, api.NewMessage) (api.Receipt, error) {
	return api.Receipt{}, errNoRooms
}

func (noRooms) Section(context.Context, string, int) (api.RoomEvent, error) { return nil, errNoRooms }
