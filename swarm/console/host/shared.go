package host

import (
	"context"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Shared are rooms of a log that other processes write, too: one of many machines.
type Shared struct {
	Log    work.Records
	Router router
	Agents []rooms.Standing // of the roster
	// Health returns how the log is doing, without waiting for long. It may be nil.
	Health func(context.Context) *work.Stream
}

// A router has rooms, in this process ([rooms.Router]) or wherever they are driven
// (routers.Rooms). Its methods are called concurrently, Run once.
type router interface {
	Rooms(context.Context) ([]rooms.Snapshot, error)
	Snapshot(ctx context.Context, room string) (rooms.Snapshot, error)
	Section(ctx context.Context, room string, ix int) (events.Event, error)
	Events(context.Context, rooms.From) iter.Seq2[events.Event, error]
	Create(ctx context.Context, room string) error
	Join(ctx context.Context, agent, room string) error
	Leave(ctx context.Context, agent, room string) error
	Say(ctx context.Context, room string, m rooms.Message) (rooms.Receipt, error)
	Read(ctx context.Context, room string, through uint64) error
	Run(context.Context) error
}

// share shows rooms of a log that other processes write, too. The caller closes the log.
func share(o *Office, feed Feed) (*office, error) {
	if o.Shared.Log == nil || o.Shared.Router == nil {
		return nil, fmt.Errorf("%q: no log of rooms", o.Name)
	}
	of := &office{
		Office: *o, log: o.Shared.Log, agents: o.Shared.Agents, feed: feed,
		make:    func(context.Context) (router, error) { return o.Shared.Router, nil },
		release: func(context.Context) error { return nil },
	}
	return of, nil
}

// run describes the rooms of a log that other processes write, too.
func (o *office) run() api.Run {
	of := api.Run{Name: o.Name, Type: "rooms", Live: true, Writer: writers}
	if err := o.problem(); err != nil {
		of.Problem = err.Error()
	}
	return of
}
