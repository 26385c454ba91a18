package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A Component is the handle of one part of the swarm. It emits only under its
// own id, and can end only the signals that it is allowed to end. It may be
// used concurrently.
type Component struct {
	layer *Layer
	id    string
}

// Component returns the handle of a component. Its holder emits as that component, so
// only the component should have it.
func (l *Layer) Component(id string) (*Component, error) {
	if err := checkNames("component", "component", id); err != nil {
		return nil, err
	}
	return &Component{l, id}, nil
}

// ID returns the component's id, which is the source of what it emits.
func (c *Component) ID() string { return c.id }

// Emit is [Layer.Emit] with the component as the source; an input that names
// another one is refused. It may replace its own signals and those that it may
// resolve.
func (c *Component) Emit(ctx context.Context, in Input) (Emission, error) {
	if in.Source != "" && in.Source != c.id {
		return Emission{}, &ValidationError{Field: "source", Value: in.Source, Problem: "component " + c.id + " emits under its own id only", Err: ErrNotAllowed}
	}
	return c.layer.emit(ctx, signals.Header{Source: c.id, Thread: in.Thread}, in.note(), c.id)
}

// EmitDraft emits in a thread what an agent yielded ([coordination.Draft],
// [coordination.Resolution]), as [Component.Emit] and [Component.Resolve] do: a draft is
// validated, suppressed and addressed when it is emitted, not when it is made. Drafts that
// are emitted in the same order in logs with the same clock and mint make the same
// entries, with the round and the trace of the draft. The emission of a resolution has the
// last of its signals. The error is a [*ValidationError] for any other signal.
func (c *Component) EmitDraft(ctx context.Context, thread string, s signals.Any) (e Emission, err error) {
	if err := signals.Validate(s); err != nil {
		return e, invalid(err)
	}
	if tr, ok := signals.As[coordination.Transition](s); ok && tr.Payload.State == coordination.Resolved {
		for _, id := range tr.Payload.Signals {
			if e.Signal, err = c.Resolve(ctx, id); err != nil {
				return e, err
			}
		}
		return e, nil
	}
	n := coordination.NoteOf(s)
	if n == nil || n.Layer != "" {
		return e, &ValidationError{Field: "kind", Value: string(s.Kind()), Problem: "not a draft"}
	}
	h := signals.Header{Source: c.id, Thread: thread, Round: s.Head().Round, Trace: s.Head().Trace}
	return c.layer.emit(ctx, h, *n, c.id)
}

// Resolve is [Layer.Resolve] for a signal that the component emitted, that is
// addressed to it, or whose thread it coordinates; for others it returns
// [ErrNotAllowed]. A signal for all is addressed to the components registered
// when it was emitted. The source of a critical signal cannot resolve it, unless
// it is the coordinator.
func (c *Component) Resolve(ctx context.Context, id signals.ID) (coordination.Signal, error) {
	return c.layer.resolve(ctx, id, c.id)
}

// Acknowledge records that the component received a signal, which makes an
// emitted signal active. It does not answer the signal: Resolve does. The error
// is [ErrNotAllowed] if the signal is not addressed to the component, or
// [ErrNotFound]. An [Inbox] acknowledges what it delivers.
func (c *Component) Acknowledge(ctx context.Context, id signals.ID) error {
	return c.layer.acknowledge(ctx, id, c.id)
}

// Inbox is [Layer.Inbox] for the component.
func (c *Component) Inbox() (*Inbox, error) { return c.layer.Inbox(c.id) }
