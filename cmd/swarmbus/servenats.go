package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/machines"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// logsOf are the logs that a server shows with --nats.
type logsOf []*natsbus.Log

func (all logsOf) close() {
	for _, l := range all {
		l.Close()
	}
}

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
	if err := config.Office.check(f.nats.url != ""); err != nil {
		return usage(err)
	}
	switch {
	case f.nats.url == "":
		return nil
	case f.demo:
		return usage(errors.New("--demo cannot be combined with --nats"))
	case len(config.Teams) > 1:
		return usage(errors.New("one team works on a log of --nats: give each its own --stream"))
	case f.solves(config) && config.Office.Stream == f.nats.stream:
		return usage(fmt.Errorf("the stream %q is that of the office and that of the solves (--stream): each needs its own", f.nats.stream))
	}
	return nil
}

// solves reports whether the server shows solves of --stream: not if it has an office alone.
func (f *serveFlags) solves(config *serveConfig) bool {
	return len(config.Teams) > 0 || config.Office.File == "" || f.stated
}

// elsewhere adds the log of --nats to the options, and returns it; nil if none is given. The
// team of the file then works on that log. The caller closes it, also after an error.
func (f *serveFlags) elsewhere(ctx context.Context, config *serveConfig, o *host.Options, progress io.Writer) (logs logsOf, err error) {
	if f.nats.url == "" || !f.solves(config) {
		return nil, nil
	}
	records := f.nats.records(progress)
	nats := f.nats
	nats.watches = len(config.Teams) == 0
	log, err := nats.joinSwarm(ctx, progress, records.Fold)
	if err != nil {
		return nil, err
	}
	shown := host.Elsewhere{Run: f.nats.stream, Log: records}
	if len(config.Teams) == 1 {
		err = f.driving(&shown, config.Teams[0], log, progress)
	}
	config.Teams, o.Elsewhere = nil, append(o.Elsewhere, shown)
	return logsOf{log}, err
}

// driving lets a team drive solves of the log. Each has a log of its own, as it has a lease.
func (f *serveFlags) driving(shown *host.Elsewhere, name string, log *natsbus.Log, progress io.Writer) error {
	team, err := teams.Load(name)
	if err != nil {
		return err
	}
	if team.Memory != nil {
		return errors.New("the console does not drive solves of a team with a memory: use swarmbus solve --nats")
	}
	parts := teams.Parts{Models: modelsElsewhere(team)}
	if shown.Options, err = remoteTeam(log, team, parts); err != nil {
		return err
	}
	shown.Team = shortName(name)
	drive := func(ctx context.Context, play func(*natsbus.Log, *machines.Records, swarm.Options) iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
		return func(yield func(solves.Event, error) bool) {
			past := f.nats.records(progress)
			own, err := f.nats.joinSwarm(ctx, progress, past.Fold)
			if err != nil {
				yield(nil, err)
				return
			}
			defer own.Close()
			o, err := remoteTeam(own, team, parts)
			if err != nil {
				yield(nil, err)
				return
			}
			play(own, past, o)(yield)
		}
	}
	shown.Solve = func(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
		return drive(ctx, func(l *natsbus.Log, past *machines.Records, o swarm.Options) iter.Seq2[solves.Event, error] {
			return machines.Drive(ctx, l, past, o, task)
		})
	}
	shown.Resume = func(ctx context.Context, thread string, answer signals.Any) iter.Seq2[solves.Event, error] {
		return drive(ctx, func(l *natsbus.Log, past *machines.Records, o swarm.Options) iter.Seq2[solves.Event, error] {
			return machines.Resume(ctx, l, past, o, thread, answer)
		})
	}
	return nil
}
