package main

import (
	"context"
	"errors"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An archive has runs that commands read and change.
type archive interface {
	// open opens a run to read its signals, and reports whether it is being written.
	open(ctx context.Context, run string) (log journal.Reader, running bool, err error)
	// retract takes back a signal, and returns how its solve was and is.
	retract(ctx context.Context, run, thread string, seq uint, by, reason string) (before, after *solves.Result, err error)
	// tell says which proposal of a solve was right; "": none.
	tell(ctx context.Context, run, thread, right string) error
}

// A machine has the journals that this process reads.
type machine struct{}

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
			return usage(err)
		}
		return nil
	})
	return before, after, err
}

func (machine) tell(ctx context.Context, run, thread, right string) error {
	return written(run, func(file *journal.File) error { return solves.Tell(ctx, file, thread, right) })
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
