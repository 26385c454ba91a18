package machines

import (
	"context"
	"iter"
	"sync"
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
	// Join joins the log again, so that several solves are driven at once: each needs a log of its own, as it has a
	// lease. The place closes them; one of them stays joined, for the next solve. Nil: solves are driven on Of, one
	// after the other.
	Join func(ctx context.Context) (*natsbus.Log, *Records, error)

	seat    desk.Seat
	options swarm.Options

	mu     sync.Mutex // protects the fields below
	idle   joined     // zero: none
	closed bool
}

// joined is a log that was joined to drive solves, one after the other.
type joined struct {
	log  *natsbus.Log
	past *Records
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
		log, past, leave, err := p.join(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer leave()
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

// join returns a log to drive a solve on, which leave gives back.
func (p *Place) join(ctx context.Context) (_ *natsbus.Log, _ *Records, leave func(), err error) {
	switch {
	case p.watches():
		return nil, nil, nil, desk.ErrWatched
	case p.Join == nil:
		return p.Of, p.Records, func() {}, nil
	}
	of := p.swap(joined{}, false)
	if of.log == nil {
		if of.log, of.past, err = p.Join(ctx); err != nil {
			return nil, nil, nil, err
		}
	}
	return of.log, of.past, func() {
		if over := p.swap(of, false); over.log != nil {
			over.log.Close()
		}
	}, nil
}

// swap makes a log the one that stays joined, and returns what is not any more: the one before, or this one if
// it has ended or the place is closed.
func (p *Place) swap(next joined, closes bool) joined {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = p.closed || closes
	if next.log != nil && (p.closed || next.log.Err() != nil) {
		return next
	}
	was := p.idle
	p.idle = next
	if was.log != nil && was.log.Err() != nil && next.log == nil {
		was.log.Close()
		return joined{}
	}
	return was
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

// Close implements [desk.Place]. Of stays open.
func (p *Place) Close(context.Context) error {
	if of := p.swap(joined{}, true); of.log != nil {
		of.log.Close()
	}
	return nil
}

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
	h, drives, err := p.Of.Holder(ctx, leaseOf(task))
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
