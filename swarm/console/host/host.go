package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Options of a [Host]. Dir and Hub are required.
type Options struct {
	Dir    string // of the journals
	Teams  []Team
	Office *Office // nil: no rooms
	// Elsewhere are logs that other processes write, too.
	Elsewhere []Elsewhere
	Hub       *feed.Hub
	Version   string
	Boot      string // as the hub's
	Demo      bool
	Jaeger    string // base URL of its page; "": none
	// Hook is that of the teams' swarms: see [swarm.Options]. Nil: none.
	Hook hooks.Hook
	// Watch is called for the bus of each team before its first solve, and the function that
	// it returns when the team has ended. Nil: no bus is watched.
	Watch func(*bus.Bus) (stop func(), err error)
	Log   *slog.Logger // has a line for each solve that begins or stops, each failed turn, and a run that waits for room on the disk; nil: none
	Clock func() time.Time
}

// full returns what notes that a run waits for room on the disk, and that it goes on.
func (o *Options) full(run string) func(error) {
	return func(err error) {
		if err == nil {
			o.Log.Warn("there is room on the disk again", "run", run)
			return
		}
		o.Log.Error("no room on the disk: what is new waits, and goes on when there is some", "run", run, "error", err)
	}
}

// A Host runs the teams and the office of a server. Make one with [Open].
type Host struct {
	o       Options
	desks   []*desk // in the order of the teams
	office  *office // nil: none
	began   time.Time
	archive *archive
	closed  sync.Once
}

// Open opens the journals, and begins to read them. When that is done it continues the
// solves that ended with the server; until then lists are shorter, and requests about one
// solve or about rooms wait.
func Open(ctx context.Context, o Options) (h *Host, err error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	h = &Host{o: o, began: o.Clock(), archive: newArchive(o.Dir)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close(context.WithoutCancel(ctx)))
		}
	}()
	for _, t := range o.Teams {
		t.Run = cmp.Or(t.Run, t.Name)
		if err := errors.Join(checkName("team", t.Name), checkName("team", t.Run)); err != nil {
			return h, err
		}
		d, err := openTeam(ctx, &o, t)
		if err != nil {
			return h, err
		}
		h.desks = append(h.desks, d)
	}
	for i := range o.Elsewhere {
		e := &o.Elsewhere[i]
		e.Team.Name = cmp.Or(e.Team.Name, e.Run)
		if err := h.checkElsewhere(e); err != nil {
			return h, err
		}
		d, err := sit(ctx, &o, e.Team, e.Run, e.At)
		if err != nil {
			return h, err
		}
		h.desks = append(h.desks, d)
	}
	if o.Office != nil {
		if err := checkName("office", o.Office.Name); err != nil {
			return h, err
		}
		if h.desk(o.Office.Name) != nil {
			return h, fmt.Errorf("%q is the name of another run", o.Office.Name)
		}
		if h.office, err = openOffice(ctx, &o); err != nil {
			return h, err
		}
	}
	return h, nil
}

// checkName refuses a name that cannot be that of a run.
func checkName(of, name string) error {
	if events.CheckName(of, name) != nil || strings.Contains(name, ".") {
		return fmt.Errorf("invalid %s name %q: use letters, digits, - and _", of, name)
	}
	return nil
}

// Wait waits until the journals have been read. Its error is the reason why a team cannot work.
func (h *Host) Wait(ctx context.Context) error {
	for _, d := range h.desks {
		if err := d.Ready(ctx); err != nil {
			return err
		}
	}
	if h.office != nil {
		return h.office.wait(ctx)
	}
	return nil
}

// Close stops the server's solves and rooms, and waits for them until ctx ends. Only the
// first call does something.
func (h *Host) Close(ctx context.Context) (err error) {
	h.closed.Do(func() { err = h.close(ctx) })
	return err
}

func (h *Host) close(ctx context.Context) error {
	var problems []error
	if h.office != nil {
		problems = append(problems, h.office.close(ctx))
	}
	for _, d := range h.desks {
		problems = append(problems, d.Close(ctx))
	}
	return errors.Join(problems...)
}

// Backend returns the implementation of the routes.
func (h *Host) Backend() *api.Backend {
	b := &api.Backend{
		Solves: solving{h}, Inbox: inbox{h}, Agents: roster{h}, Runs: running{h}, Reports: reporting{h}, Memory: remembering{h}, System: system{h},
		Rooms: noRooms{},
	}
	if h.office != nil {
		b.Rooms = h.office
	}
	return b
}

// desk returns the desk of a run; nil: this server does not write it.
func (h *Host) desk(run string) *desk {
	return h.first(func(d *desk) bool { return d.Run == run })
}

// team returns the desk of a team; nil: this server does not have it.
func (h *Host) team(name string) *desk {
	return h.first(func(d *desk) bool { return d.Name == name })
}

func (h *Host) first(is func(*desk) bool) *desk {
	i := slices.IndexFunc(h.desks, is)
	if i < 0 {
		return nil
	}
	return h.desks[i]
}

func notFound(what, name string) error {
	return api.NewError(http.StatusNotFound, fmt.Sprintf("there is no %s %q", what, name))
}

// split returns the run and the thread of a solve's id.
func split(id string) (run, thread string, err error) {
	run, thread, ok := strings.Cut(id, ".")
	if !ok || events.CheckName("run", run) != nil {
		return "", "", notFound("solve", id)
	}
	return run, thread, nil
}
