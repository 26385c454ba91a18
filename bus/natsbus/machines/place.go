package machines

import (
	"context"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A Place has a desk on a log of many machines. The agents of its team are processes that [Serve]
// them. Several desks may be on one log: one drives each solve. The desk of a team that is not opened
// ([desk.Team].Open) only watches.
type Place struct {
	Name    string // of the stream
	Of      *natsbus.Log
	Records *Records // that Of fills
	// Join joins the log again for a solve, which closes it, so that several solves are driven at
	// once. Nil: they are driven on Of, one after the other.
	Join func(ctx context.Context) (*natsbus.Log, *Records, error)

	seat    desk.Seat
	options swarm.Options
}

var _ desk.Shared = (*Place)(nil)

// Log implements [desk.Place].
func (p *Place) Log() desk.Records { return p.Records }

// Keep implements [desk.Place]. Answers of models are kept for each solve.
func (p *Place) Keep(ctx context.Context) (desk.Keep, error) {
	results, err := p.Of.Results(ctx) // agents wait for its stream, and may not make it
	return desk.Keep{Calls: results}, err
}

// Seat implements [desk.Place].
func (p *Place) Seat(s desk.Seat) (_ swarm.Options, err error) {
	p.seat = s
	p.options, err = s.Build(desk.Keep{})
	if err == nil {
		err = Remote(p.Of, p.options.Agents)
	}
	return p.options, err
}

// Begin implements [desk.Place].
func (p *Place) Begin(context.Context) error { return nil }

// Drive implements [desk.Place].
func (p *Place) Drive(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
	return p.play(ctx, func(log *natsbus.Log, past *Records, o swarm.Options) iter.Seq2[solves.Event, error] {
		return Drive(ctx, log, past, o, task)
	})
}

// Resume implements [desk.Place].
func (p *Place) Resume(ctx context.Context, said []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
	return p.play(ctx, func(log *natsbus.Log, past *Records, o swarm.Options) iter.Seq2[solves.Event, error] {
		return Resume(ctx, log, past, o, said[0].Head().Thread, answer)
	})
}

func (p *Place) play(ctx context.Context, events func(*natsbus.Log, *Records, swarm.Options) iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		log, past, err := p.Of, p.Records, error(nil)
		switch {
		case p.watches():
			err = desk.ErrWatched
		case p.Join != nil:
			if log, past, err = p.Join(ctx); err == nil {
				defer log.Close()
			}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if p.seat.Watch != nil {
			unwatch, err := p.seat.Watch(log.Bus())
			if err != nil {
				yield(nil, err)
				return
			}
			defer unwatch()
		}
		o, err := p.build(ctx, log)
		if err != nil {
			yield(nil, err)
			return
		}
		events(log, past, o)(yield)
	}
}

// build returns the options of the team for a solve.
func (p *Place) build(ctx context.Context, log *natsbus.Log) (o swarm.Options, err error) {
	results, err := log.Results(ctx)
	if err == nil {
		o, err = p.seat.Build(desk.Keep{Answers: results, Calls: results})
	}
	if err == nil {
		err = Remote(log, o.Agents)
	}
	return o, err
}

func (p *Place) watches() bool { return p.seat.Build == nil }

// Say implements [desk.Place].
func (p *Place) Say(ctx context.Context, s signals.Any) (uint64, error) {
	if p.watches() {
		return 0, desk.ErrWatched
	}
	receipt, err := runlog.Publish(ctx, p.Of.Bus(), s)
	return receipt.Seq, err
}

// Tell implements [desk.Place]: no process has the ledger of all.
func (p *Place) Tell(context.Context, string, string) error { return desk.ErrWatched }

// Health implements [desk.Place].
func (p *Place) Health(ctx context.Context) desk.Health {
	return desk.Health{Stream: HealthOf(ctx, p.Of, p.Name)}
}

// Close implements [desk.Place]. The log stays open.
func (p *Place) Close(context.Context) error { return nil }

// Fits implements [desk.Shared].
func (p *Place) Fits(log []signals.Any) error {
	if p.watches() {
		return nil
	}
	return SameTerms(log, &p.options)
}

// Driver implements [desk.Shared].
func (p *Place) Driver(ctx context.Context, task signals.Task) (string, error) {
	if p.watches() {
		return "", desk.ErrWatched
	}
	h, drives, err := Driver(ctx, p.Of, task)
	if err != nil || !drives {
		return "", err
	}
	return h.Process, nil
}

// HealthOf returns how a log is doing, after two seconds at most.
func HealthOf(ctx context.Context, log *natsbus.Log, stream string) *desk.Stream {
	now := log.Stats()
	h := &desk.Stream{
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
