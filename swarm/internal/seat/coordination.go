package seat

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

// Coordinates reports whether signals of a kind go through the layer of coordination.
func Coordinates(k signals.Kind) bool { return slices.Contains(kinds, k) }

// Coordination is the part that a solve takes in its thread of a layer. It writes by the
// layer's clock: Tick is called before.
type Coordination struct {
	Layer       *connectivity.Layer
	Thread      string
	Coordinator string
	Continues   connectivity.Resolver // nil: the next agent in order
	Tick        func()

	enrolled bool // who takes part; an earlier process may have written it
}

// Emit emits what an agent yielded to coordinate.
func (c *Coordination) Emit(ctx context.Context, a *agents.Agent, team []string, draft signals.Any) (e connectivity.Emission, err error) {
	if !may(a, draft.Kind()) {
		return e, &bus.PermissionError{Agent: a.ID, Kind: draft.Kind(), Thread: c.Thread, Reason: "CanEmit does not list it"}
	}
	if err := c.enroll(team); err != nil {
		return e, err
	}
	self, err := c.Layer.Component(a.ID)
	if err != nil {
		return e, err
	}
	c.Tick()
	return self.EmitDraft(ctx, c.Thread, draft)
}

// may reports whether CanEmit allows an agent to yield a kind. An agent that may emit
// notes may end those that the layer lets it end: its own and those for it.
func may(a *agents.Agent, k signals.Kind) bool {
	return a.May(k) || k == coordination.KindTransition && slices.ContainsFunc(kinds, a.May)
}

// enroll tells the layer who takes part. It is done with the first signal that an agent
// yields to coordinate: a solve in which none does has no such entries in its log.
func (c *Coordination) enroll(team []string) error {
	if c.enrolled {
		return nil
	}
	if err := c.Layer.Register(c.Thread, team...); err != nil {
		return err
	}
	if err := c.Layer.SetCoordinator(c.Thread, c.Coordinator); err != nil {
		return err
	}
	next := c.Continues
	if next == nil {
		next = following(team)
	}
	c.Layer.SetResolver(c.Thread, next)
	c.enrolled = true
	return nil
}

// Joined says that the team has changed: the layer learns of it with the next signal.
func (c *Coordination) Joined() { c.enrolled = false }

// following returns a resolver that names the agent after the source.
func following(ids []string) connectivity.Resolver {
	return func(_ context.Context, s coordination.Signal) ([]string, error) {
		i := slices.Index(ids, s.Source)
		return []string{ids[(i+1)%len(ids)]}, nil
	}
}

// End ends a signal that has been dealt with, in the name of the swarm, unless it is of
// another layer.
func (c *Coordination) End(ctx context.Context, id signals.ID) error {
	c.Tick()
	if _, err := c.Layer.Resolve(ctx, id); !errors.Is(err, connectivity.ErrNotFound) {
		return err
	}
	return nil
}

// Advance begins the next step.
func (c *Coordination) Advance(ctx context.Context) error {
	c.Tick()
	_, err := c.Layer.AdvanceStep(ctx, c.Thread)
	return err
}
