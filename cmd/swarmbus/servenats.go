package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// logsOf are the logs that a server shows with --nats.
type logsOf []*natsbus.Log

// ended calls stop when one of the logs ends: what would be shown from then on is the past.
func (all logsOf) ended(ctx context.Context, stop func()) {
	for _, l := range all {
		go func() {
			select {
			case <-l.Done():
				stop()
			case <-ctx.Done():
			}
		}()
	}
}

// err returns why logs have ended.
func (all logsOf) err() (err error) {
	for _, l := range all {
		err = errors.Join(err, l.Err())
	}
	return err
}

// checkNATS refuses what is not clear with --nats, or is for it alone.
func (f *serveFlags) checkNATS(config *serveConfig) error {
	if err := config.Office.check(f.nats.URL != ""); err != nil {
		return cli.Usage(err)
	}
	for _, t := range config.Teams {
		if t.Team == "" {
			return cli.Usage(errors.New("teams: team is required: a ready-made team, or a file"))
		}
		if t.Stream != "" && f.nats.URL == "" {
			return cli.Usage(fmt.Errorf("teams: the stream %q is for --nats: without it each team has a journal", t.Stream))
		}
	}
	if f.nats.URL == "" {
		return nil
	}
	if f.demo {
		return cli.Usage(errors.New("--demo cannot be combined with --nats"))
	}
	taken := map[string]string{}
	if config.Office.File != "" {
		taken[config.Office.Stream] = "the office"
	}
	for _, t := range f.shows(config) {
		who := "the team " + t.Team
		if t.Team == "" {
			who = "the solves of --stream"
		}
		if other := taken[t.Stream]; other != "" {
			return cli.Usage(fmt.Errorf("%s and %s have the stream %q: each needs its own, as in teams: [{team: review, stream: reviews}]", other, who, t.Stream))
		}
		taken[t.Stream] = who
	}
	f.nats.Several = len(taken) > 1
	return nil
}

// shows returns the teams with the streams of their solves, and --stream without a team if
// that is watched.
func (f *serveFlags) shows(config *serveConfig) (all []teamAt) {
	watched := f.stated || len(config.Teams) == 0 && config.Office.File == ""
	for _, t := range config.Teams {
		t.Stream = cmp.Or(t.Stream, f.nats.Stream)
		watched = watched && t.Stream != f.nats.Stream
		all = append(all, t)
	}
	if watched {
		all = append(all, teamAt{Stream: f.nats.Stream})
	}
	return all
}

// elsewhere adds the logs of --nats to the options, and to the logs. The teams of the file then work
// on them.
func (f *serveFlags) elsewhere(ctx context.Context, config *serveConfig, o *host.Options, ends *ends, logs *logsOf, progress io.Writer) error {
	if f.nats.URL == "" {
		return nil
	}
	for _, t := range f.shows(config) {
		nats := f.nats
		nats.Stream, nats.Watches = t.Stream, t.Team == ""
		records := nats.Records(progress)
		log, err := nats.JoinSwarm(ctx, progress, records.Fold)
		if err != nil {
			return err
		}
		*logs = append(*logs, log)
		ends.add(func() error { log.Close(); return nil })
		stop := nats.Store(log, progress)
		ends.add(func() error { stop(); return nil })
		at := &machines.Place{Name: t.Stream, Of: log, Records: records}
		shown := host.Elsewhere{Run: t.Stream, At: at, Team: desk.Team{About: "Its agents and drivers are processes anywhere."}}
		if t.Team != "" {
			if err := driven(&shown.Team, t.Team, progress); err != nil {
				return err
			}
			at.Join = func(ctx context.Context) (*natsbus.Log, *machines.Records, error) {
				past := nats.Records(progress)
				own, err := nats.JoinSwarm(ctx, progress, past.Fold)
				return own, past, err
			}
		}
		o.Elsewhere = append(o.Elsewhere, shown)
	}
	config.Teams = nil
	return nil
}

// driven has the agents of a team, which are processes, work on the solves of a log.
func driven(of *desk.Team, name string, progress io.Writer) error {
	team, err := teams.Load(name)
	if err != nil {
		return err
	}
	if team.Memory != nil {
		return errors.New("the console does not drive solves of a team with a memory: use swarmbus solve --nats")
	}
	if err := apart(team); err != nil {
		return err
	}
	by, err := driving(&screen{notes: progress, live: newLive(progress)}, team)
	if err != nil {
		return err
	}
	of.Name, of.File, of.Open = teamName(team, name), team, desk.Opener(team, by)
	return nil
}
