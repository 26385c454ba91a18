package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
)

// Draft returns the input as a signal that an agent may yield in its turn, whose driver
// passes it to [Component.EmitDraft]. Thread and Source are the driver's.
func (in Input) Draft() signals.Any {
	var n Note
	in.note(&n)
	n.ExpiresAfter = in.ExpiresAfter
	var b batch
	b.add(n.header(), &n)
	return b.entries[0]
}

// Resolution returns the draft with which an agent says that signals have been dealt
// with.
func Resolution(ids ...signals.ID) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, Transition{State: Resolved, Signals: ids})
}

// EmitDraft emits in a thread what the component yielded, as [Component.Emit] and
// [Component.Resolve] do: a draft is validated, suppressed and addressed when it is
// emitted, not when it is made. Drafts that are emitted in the same order in logs with the
// same clock and mint make the same entries. For a [Resolution] the emission has the last
// of its signals. The error is a [*ValidationError] for any other signal.
func (c *Component) EmitDraft(ctx context.Context, thread string, s signals.Any) (e Emission, err error) {
	if err := signals.Validate(s); err != nil {
		return e, invalid(err)
	}
	if tr, ok := signals.As[Transition](s); ok && tr.Payload.State == Resolved {
		for _, id := range tr.Payload.Signals {
			if e.Signal, err = c.Resolve(ctx, id); err != nil {
				return e, err
			}
		}
		return e, nil
	}
	n := noteOf(s)
	if n == nil || n.Layer != "" {
		return e, &ValidationError{Field: "kind", Value: string(s.Kind()), Problem: "not a draft"}
	}
	return c.Emit(ctx, Input{
		Thread: thread, Class: n.Class, Audience: n.Audience, Priority: n.Priority, Summary: n.Summary, Details: n.Details,
		Confidence: n.Confidence, Replaces: n.Replaces, ExpiresAtStep: n.ExpiresAtStep, ExpiresAfter: n.ExpiresAfter,
	})
}

// header returns the header that follows from the note.
func (n *Note) header() signals.Header {
	h := signals.Header{Confidence: 1, Priority: int16(n.Priority) - int16(Normal)}
	if x, given := n.Confidence.Get(); given {
		h.Confidence = x
	}
	return h
}
