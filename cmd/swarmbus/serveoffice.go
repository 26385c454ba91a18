package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// officeAt is the office of the file: a roster, and with --nats where its log is. It may be
// written as the name of the roster alone.
type officeAt struct {
	File   string `json:"file"`
	Stream string `json:"stream"`
	Keys   string `json:"keys"`
}

// UnmarshalYAML reads a name, or all fields.
func (a *officeAt) UnmarshalYAML(read func(any) error) error {
	if read(&a.File) == nil {
		return nil
	}
	type fields officeAt
	return read((*fields)(a))
}

// check refuses an office for which it is not clear where its log is.
func (a *officeAt) check(shared bool) error {
	switch {
	case a.File == "" && *a != officeAt{}:
		return errors.New("office: file is required: the roster")
	case a.File == "":
		return nil
	case !shared && (a.Stream != "" || a.Keys != ""):
		return errors.New("office: stream and keys are for --nats: without it the office has a journal")
	case shared && a.Stream == "":
		return fmt.Errorf("office: with --nats it has a stream of its own, such as {file: %s, stream: %s}", a.File, shortName(a.File))
	}
	return nil
}

// office returns the office of the file, or nil. With --nats the log of its rooms is one of the logs.
func (f *serveFlags) office(ctx context.Context, c *serveConfig, ends *ends, logs *logsOf, progress io.Writer) (*host.Office, error) {
	if c.Office.File == "" {
		return nil, nil
	}
	o, err := office.Load(c.Office.File)
	if err != nil {
		return nil, err
	}
	called, end, err := open.Options{Stderr: progress}.Servers(ctx, o.Calls())
	ends.add(end)
	if err != nil {
		return nil, err
	}
	parts := office.Parts{Model: providers.Model, Tools: called}
	if f.nats.URL != "" {
		of, log, err := f.share(ctx, c, o, parts, progress)
		if log != nil {
			*logs = append(*logs, log)
			ends.add(func() error { log.Close(); return nil })
		}
		return of, err
	}
	return &host.Office{Name: shortName(c.Office.File), Make: func(store journal.Store, keys *events.Keys) (*rooms.Options, error) {
		mine := parts
		mine.Store, mine.Keys = store, keys
		return o.Build(mine)
	}}, nil
}

// share joins the log of an office.
func (f *serveFlags) share(ctx context.Context, c *serveConfig, o *office.Office, parts office.Parts, progress io.Writer) (*host.Office, *natsbus.Log, error) {
	parts.Keys = &events.Keys{Dir: cmp.Or(c.Office.Keys, filepath.Join(c.Dir, shortName(c.Office.File)+".keys"))}
	parts.Result = routers.ResultBytes
	options, err := o.Build(parts)
	if err == nil {
		err = options.Validate()
	}
	if err != nil {
		return nil, nil, err
	}
	at := officeFlags{nats: f.nats}
	at.nats.Stream = c.Office.Stream
	r, err := at.joinRooms(ctx, progress, o, parts)
	if err != nil {
		return nil, nil, err
	}
	return &host.Office{Name: c.Office.Stream, Shared: &host.Shared{Log: r.records, Router: r.rooms, Agents: options.Agents, Health: func(ctx context.Context) *desk.Stream { return machines.HealthOf(ctx, r.log, c.Office.Stream) }}}, r.log, nil
}
