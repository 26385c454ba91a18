package host

import (
	"context"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An Elsewhere is a log that other processes write, too: one of many machines.
type Elsewhere struct {
	Run  string
	Team string // whose solves it has; "" means Run
	Log  Records
	// Health returns how the log is doing, without waiting for long. It may be nil.
	Health func(context.Context) api.StreamHealth
	// Options are those of the team. Without agents, its solves are only watched.
	Options swarm.Options
	// Fits returns why a solve, whose signals it is called with, is not one of this team by these terms: it is
	// shown, and neither answered nor driven. It may be nil.
	Fits func(log []signals.Any) error
	// Solve and Resume drive a solve as soon as no other process does. They may be nil.
	Solve  func(context.Context, signals.Task) iter.Seq2[solves.Event, error]
	Resume func(ctx context.Context, thread string, answer signals.Any) iter.Seq2[solves.Event, error]
	// Answer records an answer to a question about the call of a tool; of several the first in
	// the log counts. It may be nil.
	Answer func(context.Context, tools.Question, tools.Answer) error
	// Driver returns the process that drives the solve of a task; "": none does. One that was killed drives it
	// for some seconds more. It is set if Resume is: solves that no process drives are resumed.
	Driver func(ctx context.Context, task signals.Task) (process string, err error)
}

// Records are a log that can be read: machines.Records.
type Records = work.Records

// place makes a place of it.
type place struct{ *Elsewhere }

// Log implements [work.Place].
func (p place) Log() work.Records { return p.Elsewhere.Log }

// Keep implements [work.Place].
func (p place) Keep() (work.Keep, error) { return work.Keep{}, nil }

// Seat implements [work.Place].
func (p place) Seat(work.Seat) (swarm.Options, error) { return p.Options, nil }

// Begin implements [work.Place].
func (place) Begin(context.Context) error { return nil }

func refuses(yield func(solves.Event, error) bool) { yield(nil, work.ErrWatched) }

// Drive implements [work.Place].
func (p place) Drive(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
	if p.Solve == nil {
		return refuses
	}
	return p.Solve(ctx, task)
}

// Resume implements [work.Place].
func (p place) Resume(ctx context.Context, log []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
	if p.Elsewhere.Resume == nil {
		return refuses
	}
	return p.Elsewhere.Resume(ctx, log[0].Head().Thread, answer)
}

// Say implements [work.Place].
func (place) Say(context.Context, signals.Any) (uint64, error) { return 0, work.ErrWatched }

// Answer implements [work.Place].
func (p place) Answer(ctx context.Context, q tools.Question, a tools.Answer) error {
	if p.Elsewhere.Answer == nil {
		return work.ErrWatched
	}
	return p.Elsewhere.Answer(ctx, q, a)
}

// Tell implements [work.Place].
func (place) Tell(context.Context, string, string) error { return work.ErrWatched }

// Health implements [work.Place].
func (p place) Health(ctx context.Context) (h work.Health) {
	if p.Elsewhere.Health != nil {
		now := work.Stream(p.Elsewhere.Health(ctx))
		h.Stream = &now
	}
	return h
}

// Close implements [work.Place].
func (place) Close(context.Context) error { return nil }

// Fits implements [work.Shared].
func (p place) Fits(log []signals.Any) error {
	if p.Elsewhere.Fits == nil {
		return nil
	}
	return p.Elsewhere.Fits(log)
}

// Driver implements [work.Shared].
func (p place) Driver(ctx context.Context, task signals.Task) (string, error) {
	switch {
	case p.Elsewhere.Resume == nil:
		return "", work.ErrWatched
	case p.Elsewhere.Driver == nil:
		return "", nil
	}
	return p.Elsewhere.Driver(ctx, task)
}

// follow opens the desk of a log that other processes write.
func follow(ctx context.Context, o *Options, e *Elsewhere) (*desk, error) {
	t := work.Team{Name: e.Team, About: "Its agents and drivers are processes anywhere.", Open: func(context.Context, work.Keep) (*work.Crew, error) { return new(work.Crew), nil }}
	return sit(ctx, o, t, e.Run, place{e})
}

// reader returns the records of a run.
func (r running) reader(name string) (journal.Reader, error) {
	if log := r.h.elsewhere(name); log != nil {
		return log, nil
	}
	v, err := r.view(name)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// elsewhere returns the log of a run that other processes write, too, or nil.
func (h *Host) elsewhere(run string) Records {
	for i := range h.o.Elsewhere {
		if e := &h.o.Elsewhere[i]; e.Run == run {
			return e.Log
		}
	}
	if o := h.office; o != nil && o.Shared != nil && o.Name == run {
		return o.log
	}
	return nil
}

// checkElsewhere refuses logs that this server cannot show.
func (h *Host) checkElsewhere(e *Elsewhere) error {
	switch {
	case e.Log == nil:
		return fmt.Errorf("%q: no log", e.Run)
	case h.desk(e.Run) != nil:
		return fmt.Errorf("%q is the name of another run", e.Run)
	case h.team(e.Team) != nil:
		return fmt.Errorf("%q is the name of another team", e.Team)
	}
	return nil
}
