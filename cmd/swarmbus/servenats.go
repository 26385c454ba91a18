package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
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
	for _, t := range config.Teams {
		if t.Team == "" {
			return usage(errors.New("teams: team is required: a ready-made team, or a file"))
		}
		if t.Stream != "" && f.nats.url == "" {
			return usage(fmt.Errorf("teams: the stream %q is for --nats: without it each team has a journal", t.Stream))
		}
	}
	if f.nats.url == "" {
		return nil
	}
	if f.demo {
		return usage(errors.New("--demo cannot be combined with --nats"))
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
			return usage(fmt.Errorf("%s and %s have the stream %q: each needs its own, as in teams: [{team: review, stream: reviews}]", other, who, t.Stream))
		}
		taken[t.Stream] = who
	}
	f.nats.several = len(taken) > 1
	return nil
}

// shows returns the teams with the streams of their solves, and --stream without a team if
// that is watched.
func (f *serveFlags) shows(config *serveConfig) (all []teamAt) {
	watched := f.stated || len(config.Teams) == 0 && config.Office.File == ""
	for _, t := range config.Teams {
		t.Stream = cmp.Or(t.Stream, f.nats.stream)
		watched = watched && t.Stream != f.nats.stream
		all = append(all, t)
	}
	if watched {
		all = append(all, teamAt{Stream: f.nats.stream})
	}
	return all
}

// elsewhere adds the logs of --nats to the options, and returns them. The teams of the file then
// work on them. The caller closes them, also after an error.
func (f *serveFlags) elsewhere(ctx context.Context, config *serveConfig, o *host.Options, progress io.Writer) (logs logsOf, err error) {
	if f.nats.url == "" {
		return nil, nil
	}
	for _, t := range f.shows(config) {
		nats := f.nats
		nats.stream, nats.watches = t.Stream, t.Team == ""
		records := nats.records(progress)
		log, err := nats.joinSwarm(ctx, progress, records.Fold)
		if err != nil {
			return logs, err
		}
		logs = append(logs, log)
		shown := host.Elsewhere{Run: t.Stream, Log: records, Health: healthOf(log, t.Stream)}
		if t.Team != "" {
			if err := driving(nats, o, &shown, t.Team, log, progress); err != nil {
				return logs, err
			}
			if _, err := log.Results(ctx); err != nil { // agents wait for their stream, and may not make it
				return logs, err
			}
		}
		o.Elsewhere = append(o.Elsewhere, shown)
	}
	config.Teams = nil
	return logs, nil
}

// healthOf returns a function that says how a log is doing.
func healthOf(log *natsbus.Log, stream string) func(context.Context) api.StreamHealth {
	return func(ctx context.Context) api.StreamHealth {
		now := log.Stats()
		h := api.StreamHealth{
			Name: stream, Connected: now.Status.Connected, Since: now.Since,
			Dead: now.Dead, Retried: now.Retried, Alarms: now.Alarms, Compared: now.Compared,
		}
		if !h.Connected {
			h.Problem = now.Status.String()
			return h
		}
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		n, err := log.Behind(ctx)
		if err != nil { // the connection does not know it yet
			h.Connected, h.Since, h.Problem = false, time.Now(), err.Error()
			return h
		}
		h.Behind = &n
		return h
	}
}

// driving lets a team drive solves of the log, which are traced as the other solves that a host
// serves. Each has a log of its own, as it has a lease.
func driving(nats natsFlags, serves *host.Options, shown *host.Elsewhere, name string, log *natsbus.Log, progress io.Writer) error {
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
	of := &solveFlags{terms: solveTerms{Team: team}, live: newLive(progress)}
	here, err := of.modelsHere()
	if err != nil {
		return err
	}
	build := func(log *natsbus.Log, here map[string]models.Model) (swarm.Options, error) {
		o, err := remoteTeam(log, team, teams.Parts{Models: modelsElsewhere(team, here)})
		o.Hook = serves.Hook
		return o, err
	}
	if shown.Options, err = build(log, here); err != nil {
		return err
	}
	shown.Team = teamName(team, name)
	shown.Fits = func(all []signals.Any) error { return machines.SameTerms(all, &shown.Options) }
	drive := func(ctx context.Context, play func(*natsbus.Log, *machines.Records, swarm.Options) iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
		return func(yield func(solves.Event, error) bool) {
			past := nats.records(progress)
			own, err := nats.joinSwarm(ctx, progress, past.Fold)
			if err != nil {
				yield(nil, err)
				return
			}
			defer own.Close()
			unwatch, err := serves.Watch(own.Bus())
			if err != nil {
				yield(nil, err)
				return
			}
			defer unwatch()
			results, err := own.Results(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			mine := maps.Clone(here)
			recordWriter(team, mine, results)
			o, err := build(own, mine)
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
	shown.Driver = func(ctx context.Context, task signals.Task) (string, error) {
		h, drives, err := machines.Driver(ctx, log, task)
		if err != nil || !drives {
			return "", err
		}
		return h.Process, nil
	}
	shown.Resume = func(ctx context.Context, thread string, answer signals.Any) iter.Seq2[solves.Event, error] {
		return drive(ctx, func(l *natsbus.Log, past *machines.Records, o swarm.Options) iter.Seq2[solves.Event, error] {
			return machines.Resume(ctx, l, past, o, thread, answer)
		})
	}
	shown.Answer = func(ctx context.Context, q tools.Question, a tools.Answer) error {
		return machines.Answer(ctx, log, q, a)
	}
	return nil
}
