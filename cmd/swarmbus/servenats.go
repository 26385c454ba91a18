package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/machines"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// elsewhere adds the log of --nats to the options, and returns it; nil if none is given. The
// team of the file then works on that log. The caller closes it, also after an error.
func (f *serveFlags) elsewhere(ctx context.Context, config *serveConfig, o *host.Options, progress io.Writer) (log *natsbus.Log, err error) {
	switch {
	case f.nats.url == "":
		return nil, nil
	case f.demo || config.Office != "":
		return nil, usage(errors.New("--demo and an office cannot be combined with --nats: see swarmbus rooms --nats"))
	case len(config.Teams) > 1:
		return nil, usage(errors.New("one team works on a log of --nats: give each its own --stream"))
	}
	records := f.nats.records(progress)
	f.nats.watches = len(config.Teams) == 0
	if log, err = f.nats.joinSwarm(ctx, progress, records.Fold); err != nil {
		return nil, err
	}
	shown := host.Elsewhere{Run: f.nats.stream, Log: records}
	if len(config.Teams) == 1 {
		err = f.driving(&shown, config.Teams[0], log, progress)
	}
	config.Teams, o.Elsewhere = nil, append(o.Elsewhere, shown)
	return log, err
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
	shown.Team = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
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
