// Package coordinate passes what the agents of a solve say to coordinate to a layer.
package coordinate

import (
	"context"
	"errors"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// kinds are those that go through the layer.
var kinds = coordination.Kinds()

// Is reports whether signals of a kind go through the layer.
func Is(k signals.Kind) bool { return slices.Contains(kinds, k) }

// A Desk is the part that a solve takes in its thread of a layer. It writes by the
// layer's clock: Tick is called before.
type Desk struct {
	Layer       *connectivity.Layer
	Thread      string
	Coordinator string
	Continues   connectivity.Resolver // nil: the next agent in order
	Tick        func()

	enrolled bool // who takes part; an earlier process may have written it
}

// Emit emits what an agent yielded to coordinate.
func (d *Desk) Emit(ctx context.Context, a *agents.Agent, team []string, draft signals.Any) (e connectivity.Emission, err error) {
	if !may(a, draft.Kind()) {
		return e, &bus.PermissionError{Agent: a.ID, Kind: draft.Kind(), Thread: d.Thread, Reason: "CanEmit does not list it"}
	}
	if err := d.enroll(team); err != nil {
		return e, err
	}
	self, err := d.Layer.Component(a.ID)
	if err != nil {
		return e, err
	}
	d.Tick()
	return self.EmitDraft(ctx, d.Thread, draft)
}

// may reports whether CanEmit allows an agent to yield a kind. An agent that may emit
// notes may end those that the layer lets it end: its own and those for it.
func may(a *agents.Agent, k signals.Kind) bool {
	return a.May(k) || k == coordination.KindTransition && slices.ContainsFunc(kinds, a.May)
}

// enroll tells the layer who takes part. It is done with the first signal that an agent
// yields to coordinate: a solve in which none does has no such entries in its log.
func (d *Desk) enroll(team []string) error {
	if d.enrolled {
		return nil
	}
	if err := d.Layer.Register(d.Thread, team...); err != nil {
		return err
	}
	if err := d.Layer.SetCoordinator(d.Thread, d.Coordinator); err != nil {
		return err
	}
	next := d.Continues
	if next == nil {
		next = following(team)
	}
	d.Layer.SetResolver(d.Thread, next)
	d.enrolled = true
	return nil
}

// following returns a resolver that names the agent after the source.
func following(ids []string) connectivity.Resolver {
	return func(_ context.Context, s coordination.Signal) ([]string, error) {
		i := slices.Index(ids, s.Source)
		return []string{ids[(i+1)%len(ids)]}, nil
	}
}

// End ends a signal that has been dealt with, in the name of the swarm, unless it is of
// another layer.
func (d *Desk) End(ctx context.Context, id signals.ID) error {
	d.Tick()
	if _, err := d.Layer.Resolve(ctx, id); !errors.Is(err, connectivity.ErrNotFound) {
		return err
	}
	return nil
}

// Advance begins the next step.
func (d *Desk) Advance(ctx context.Context) error {
	d.Tick()
	_, err := d.Layer.AdvanceStep(ctx, d.Thread)
	return err
}
