package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An archive has runs that commands read and change.
type archive interface {
	// runs lists the runs, or those in a directory, which it names; "": they are in none.
	runs(ctx context.Context, args []string) (dir string, all []listedRun, err error)
	// verify verifies the hashes of a run, and with receipts says what allowed each call of a tool.
	verify(ctx context.Context, run string, known events.Pins, receipts bool) (api.Verification, error)
	// replay derives a run anew, up to a signal (0: all), which begin may listen to.
	replay(ctx context.Context, run string, to uint64, begin func(*replay.Replay)) (api.ReplayCheck, error)
	// open opens a run to read its signals, and reports whether it is being written.
	open(ctx context.Context, run string) (log journal.Reader, running bool, err error)
	// retract takes back a signal, and returns how its solve was and is.
	retract(ctx context.Context, run, thread string, seq uint, by, reason string) (before, after *solves.Result, err error)
	// say says something to the agents of a solve, and returns its thread, and when they hear it.
	say(ctx context.Context, run, thread string, m runlog.Message) (in, when string, err error)
	// asks returns the questions of a run, also those that were answered.
	asks(ctx context.Context, run string) ([]ask, error)
	// answer gives an answer, or one about the call of a tool, to a question of the run that flags name;
	// nil: none of it waits. The solve continues.
	answer(cmd *cobra.Command, f *answerFlags, to *ask, answer signals.Any, permit *asking.Answer) error
	// revoke takes back what the answer to a question allows for the solve.
	revoke(ctx context.Context, run string, of ask, by string) error
	// tell says which proposal of a solve was right; "": none.
	tell(ctx context.Context, run, thread, right string) error
}

// A machine has the journals that this process reads.
type machine struct{}

func (machine) runs(ctx context.Context, args []string) (dir string, all []listedRun, err error) {
	dir, name, err := listed(args)
	if err != nil {
		return dir, nil, err
	}
	paths, err := runs.List(dir)
	for _, path := range paths {
		all = append(all, runAt(ctx, name(path), path))
		if ctx.Err() != nil {
			return dir, nil, context.Cause(ctx)
		}
	}
	return dir, all, err
}

func (machine) verify(ctx context.Context, run string, known events.Pins, receipts bool) (api.Verification, error) {
	path, err := runs.Find(run)
	if err != nil {
		return api.Verification{}, err
	}
	return host.Verify(ctx, run, path, known, receipts)
}

func (machine) replay(ctx context.Context, run string, to uint64, begin func(*replay.Replay)) (api.ReplayCheck, error) {
	v, err := view(run)
	if err != nil {
		return api.ReplayCheck{}, err
	}
	return host.Replay(ctx, run, v, to, begin)
}

func (machine) open(_ context.Context, run string) (journal.Reader, bool, error) {
	v, err := view(run)
	if err != nil {
		return nil, false, err
	}
	_, running := journal.Locked(v.Path())
	return v, running, nil
}

func (machine) retract(ctx context.Context, run, thread string, seq uint, by, reason string) (before, after *solves.Result, err error) {
	err = written(run, func(file *journal.File) error {
		if before, err = resultWith(file, thread, seq); err != nil {
			return err
		}
		ids, err := idsAt(before, seq)
		if err != nil {
			return err
		}
		if after, err = solves.Retract(ctx, file, before.Thread, ids[0], by, reason); err != nil {
			return cli.Usage(err)
		}
		return nil
	})
	return before, after, err
}

func (machine) tell(ctx context.Context, run, thread, right string) error {
	return written(run, func(file *journal.File) error {
		if err := solves.Tell(ctx, file, thread, right); err != nil {
			return err
		}
		return told(file)
	})
}

func (machine) say(ctx context.Context, run, thread string, m runlog.Message) (in, when string, err error) {
	err = written(run, func(file *journal.File) error {
		if in, err = goingOn(file, run, thread); err != nil {
			return err
		}
		if err := solves.Say(ctx, file, in, m); err != nil {
			return cli.Usage(err)
		}
		return nil
	})
	return in, "when the solve goes on", err
}

func (machine) asks(_ context.Context, run string) ([]ask, error) {
	v, err := view(run)
	if err != nil {
		return nil, orServer(err)
	}
	all, err := solves.List(v)
	return asksOf(all...), err
}

// written changes the journal of a run that no other process writes.
func written(run string, change func(*journal.File) error) error {
	path, err := runs.Find(run)
	if err != nil {
		return err
	}
	file, err := journal.Open(path, nil)
	if err != nil {
		return err
	}
	return errors.Join(change(file), file.Close())
}

// A remote has the runs of a server.
type remote struct{ *client.Client }

func (r remote) runs(ctx context.Context, args []string) (dir string, here []listedRun, err error) {
	if len(args) > 0 {
		return "", nil, cli.Usage(errors.New("--server lists the runs of the server, and takes no directory"))
	}
	all, err := r.Runs(ctx)
	for _, one := range all {
		here = append(here, listedRun{Run: one.Name, Signals: one.Signals, Solves: one.Solves, Bytes: one.Bytes, Changed: one.Changed, State: stateOfRun(&one), Problem: one.Problem})
	}
	return "", here, err
}

func stateOfRun(r *api.Run) string {
	switch {
	case r.Problem != "":
		return ""
	case r.Live:
		return "being written by the server"
	case r.Writer != "":
		return "being written by " + r.Writer
	}
	return "closed"
}

func (r remote) verify(ctx context.Context, run string, known events.Pins, receipts bool) (api.Verification, error) {
	if len(known.Heads) > 0 || known.Process != "" {
		return api.Verification{}, cli.Usage(errors.New("--head and --process cannot be combined with --server: they check a journal without trusting the server"))
	}
	return r.Verify(ctx, run, receipts)
}

func (r remote) replay(ctx context.Context, run string, to uint64, _ func(*replay.Replay)) (api.ReplayCheck, error) {
	if to > 0 {
		return api.ReplayCheck{}, cli.Usage(errors.New("--to cannot be combined with --server"))
	}
	return r.Replay(ctx, run)
}

func (r remote) open(ctx context.Context, run string) (journal.Reader, bool, error) {
	of, err := r.Run(ctx, run)
	return r.Log(ctx, run), of.Live || of.Writer != "", err
}

func (r remote) retract(ctx context.Context, run, thread string, seq uint, by, reason string) (before, after *solves.Result, err error) {
	log := r.Log(ctx, run)
	if before, err = resultWith(log, thread, seq); err != nil {
		return nil, nil, err
	}
	if by == runlog.Person {
		by = "" // the server knows who asks
	}
	if _, err = r.Retract(ctx, run+"."+before.Thread, api.Retraction{Seq: uint64(seq), By: by, Reason: reason}); err != nil {
		return nil, nil, err
	}
	after, err = resultIn(log, before.Thread)
	return before, after, err
}

func (r remote) tell(ctx context.Context, run, thread, right string) error {
	_, err := r.Tell(ctx, run+"."+thread, api.Outcome{Right: right})
	return err
}

func (r remote) say(ctx context.Context, run, thread string, m runlog.Message) (in, when string, err error) {
	if in, err = goingOn(r.Log(ctx, run), run, thread); err == nil {
		_, err = r.Say(ctx, run+"."+in, api.Message(m))
	}
	return in, "in their next turns", err
}

func (r remote) asks(ctx context.Context, run string) ([]ask, error) {
	items, err := r.itemsOf(ctx, run)
	return asksAt(items), err
}

// itemsOf returns the questions of a run as the server has them.
func (r remote) itemsOf(ctx context.Context, run string) ([]api.Item, error) {
	all, err := r.Items(ctx, true)
	return slices.DeleteFunc(all, func(it api.Item) bool { return it.Run != run }), err
}
