package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm"
	work "github.com/swarmbus/swarmbus/swarm/desk"
)

// A Team is one that can be given tasks, with a journal in the directory of the server.
type Team struct {
	work.Team
	Run    string            // its journal; "" means Name
	Sync   journal.Sync      // of its journal
	Retain journal.Retention // of its journal; zero: everything
}

// A desk is one of package desk, which is shown to clients.
type desk struct {
	*work.Desk
	Run string
	log *log

	Options swarm.Options
}

// openTeam opens the journal of a team and its desk.
func openTeam(ctx context.Context, o *Options, t Team) (*desk, error) {
	path := filepath.Join(o.Dir, t.Run+runs.Suffix)
	_, missing := os.Stat(path)
	store, err := journal.Open(path, &journal.Options{Sync: t.Sync, Full: o.full(t.Run)})
	if err != nil {
		return nil, err
	}
	d, err := sit(ctx, o, t.Team, t.Run, work.NewLocal(store, &work.LocalOptions{Retain: t.Retain}))
	if err != nil && missing != nil { // the journal has nothing
		err = errors.Join(err, os.Remove(path))
	}
	return d, err
}

// sit opens the desk of a team at a place.
func sit(ctx context.Context, o *Options, t work.Team, run string, place work.Place) (*desk, error) {
	d := &desk{Run: run, log: &log{run: run, team: t, feed: o.Hub, lines: o.Log, since: o.Clock()}}
	of, err := work.Open(ctx, t, place, work.Options{
		Continue: true, Kinds: kinds(), Watcher: d.log.watch, Shown: o.Hub.Hold(run), Said: d.log.said, Hook: o.Hook, Watch: o.Watch,
	})
	if err != nil {
		return nil, err
	}
	d.Desk, d.log.of, d.Options = of, of.Log(), of.Options()
	return d, nil
}
