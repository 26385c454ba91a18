package host_test

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// afar is a log that other processes write, of which a test says what they do. Without Solve,
// Resume and Say it is only watched.
type afar struct {
	Log    desk.Records
	Health func() *desk.Stream
	Fits   func([]signals.Any) error
	Solve  func(context.Context, signals.Task) iter.Seq2[solves.Event, error]
	Resume func(ctx context.Context, thread string, answer signals.Any) iter.Seq2[solves.Event, error]
	Say    func(context.Context, signals.Any) (uint64, error)
}

// at returns the log under a name.
func (f afar) at(run string) host.Elsewhere {
	return host.Elsewhere{Run: run, Team: desk.Team{Open: desk.Made(swarm.Options{})}, At: farPlace{of: f}}
}

type farPlace struct {
	desk.Shared // nil: the rest is not called
	of          afar
}

func watched(yield func(solves.Event, error) bool) { yield(nil, desk.ErrWatched) }

func (p farPlace) Log() desk.Records                         { return p.of.Log }
func (farPlace) Keep(context.Context) (desk.Keep, error)     { return desk.Keep{}, nil }
func (farPlace) Seat(desk.Seat) (o swarm.Options, err error) { return o, nil }
func (farPlace) Begin(context.Context) error                 { return nil }
func (farPlace) Close(context.Context) error                 { return nil }
func (farPlace) Tell(context.Context, string, string) error  { return desk.ErrWatched }

func (p farPlace) Say(ctx context.Context, s signals.Any) (uint64, error) {
	if p.of.Say == nil {
		return 0, desk.ErrWatched
	}
	return p.of.Say(ctx, s)
}

func (p farPlace) Drive(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
	if p.of.Solve == nil {
		return watched
	}
	return p.of.Solve(ctx, task)
}

func (p farPlace) Resume(ctx context.Context, log []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
	if p.of.Resume == nil {
		return watched
	}
	return p.of.Resume(ctx, log[0].Head().Thread, answer)
}

func (p farPlace) Health(context.Context) (h desk.Health) {
	if p.of.Health != nil {
		h.Stream = p.of.Health()
	}
	return h
}

func (p farPlace) Fits(log []signals.Any) error {
	if p.of.Fits == nil {
		return nil
	}
	return p.of.Fits(log)
}

func (p farPlace) Driver(context.Context, signals.Task) (string, error) {
	if p.of.Resume == nil {
		return "", desk.ErrWatched
	}
	return "", nil
}
