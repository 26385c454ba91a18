package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Emission is what became of an [Input].
type Emission struct {
	Signal     Signal // as it was stored; if suppressed, the live one that it would repeat
	Suppressed bool
	Reason     Reason // why, if suppressed
}

// Emit stores a signal and gets it to its recipients and observers, or returns
// the live one that it would only repeat. In this order: validate, suppress,
// resolve recipients, publish together with the end of what it replaces, call
// the hook, call observers.
//
// Its errors are a [*ValidationError], [ErrFull], the resolver's, why ctx ended,
// and those of [bus.Publisher.Publish]; then nothing is stored.
func (l *Layer) Emit(ctx context.Context, in Input) (Emission, error) {
	n := in.note(l.opts.Name)
	if err := checkInput(&in, &n); err != nil {
		return Emission{}, err
	}
	f, e, err := l.prepare(ctx, &in, &n)
	if f == nil {
		return e, err
	}
	if err := l.send(ctx, f.by, f, &e.Signal); err != nil {
		return Emission{}, invalid(err)
	}
	return e, nil
}

// send flies a flight that emits s, and calls the hook in time.
func (l *Layer) send(ctx context.Context, p *bus.Publisher, f *flight, s *Signal) error {
	defer l.drain(ctx)
	if f.held {
		defer l.release(f)
	}
	if err := l.fly(ctx, p, f); err != nil {
		return err
	}
	s.Seq = f.first
	if f.held {
		l.callHook(ctx, s.clone())
	}
	return nil
}

// prepare decides what becomes of an input: a departed flight with what it
// emits, a repetition, or an error.
func (l *Layer) prepare(ctx context.Context, in *Input, n *Note) (*flight, Emission, error) {
	f, ask, e, err := l.decide(ctx, in, n, nil)
	if ask == nil {
		return f, e, err
	}
	to, err := selected(ctx, ask.resolver, ask.about)
	if err != nil {
		return nil, Emission{}, err
	}
	// Once more, whatever happened while the resolver thought.
	ask.to = to
	f, _, e, err = l.decide(ctx, in, n, ask)
	return f, e, err
}

// A question is what a resolver is asked and has answered.
type question struct {
	id       signals.ID // of the signal that it is about
	resolver Resolver
	about    Signal
	to       signals.Recipients
}

// decide returns a departed flight, or a question to answer first, or why
// nothing is to be stored.
func (l *Layer) decide(ctx context.Context, in *Input, n *Note, answer *question) (*flight, *question, Emission, error) {
	l.lock()
	defer l.mu.Unlock()
	repeated, stop, err := l.judgeLocked(ctx, in, n)
	if stop {
		return nil, nil, repeated, err
	}
	n.Step = l.stepLocked(in.Thread)
	h := l.headerLocked(in.Source, in.Thread, l.recipientsLocked(in), in.Replaces)
	h.Priority = int16(n.Priority) - int16(Normal)
	if x, given := n.Confidence.Get(); given {
		h.Confidence = x
	}
	if answer != nil {
		h.ID, h.Recipients = answer.id, answer.to
	} else if r := l.resolverLocked(in.Thread); r != nil && in.Audience == Selected {
		return nil, &question{id: h.ID, resolver: r, about: pending(&h, n)}, Emission{}, nil
	}
	p, err := l.publisherLocked(in.Source)
	if err != nil {
		return nil, nil, Emission{}, invalid(err)
	}
	f := l.emissionLocked(&h, n)
	f.by = p
	return f, nil, Emission{Signal: pending(&h, n)}, nil
}

// publisherLocked returns the handle of a source. A handle that was used
// before publishes faster, so some are kept.
func (l *Layer) publisherLocked(source string) (*bus.Publisher, error) {
	const most = 1024
	p := l.publishers[source]
	if p != nil {
		return p, nil
	}
	p, err := l.bus.Agent(source, bus.Permissions{})
	if err != nil {
		return nil, err
	}
	if len(l.publishers) >= most {
		clear(l.publishers)
	}
	l.publishers[source] = p
	return p, nil
}

// emissionLocked departs the note and the end of what it replaces.
func (l *Layer) emissionLocked(h *signals.Header, n *Note) *flight {
	f := &flight{thread: h.Thread, emits: true, held: l.hooked(n)}
	f.entries = append(f.room[:0], n.signal(*h))
	if target := l.fold.replaced(n); target != nil {
		f.ends = []*record{target}
		f.entries = append(f.entries, signals.New(
			l.headerLocked(h.Source, h.Thread, target.to, target.id),
			Transition{Layer: l.opts.Name, State: Superseded, Signals: ListOf(target.id)},
		))
	}
	l.departLocked(f)
	return f
}

// pending returns the signal as it will be but for its place in the log.
func pending(h *signals.Header, n *Note) Signal {
	return Signal{
		ID: h.ID, Thread: h.Thread, Source: h.Source, Class: n.Class, Audience: n.Audience, Priority: n.Priority,
		Confidence: n.Confidence, Summary: n.Summary, Details: n.Details, Replaces: n.Replaces,
		Step: n.Step, ExpiresAtStep: n.ExpiresAtStep, EmittedAt: h.Time.Round(0).UTC(), State: Emitted,
		Recipients: names(h.Recipients),
	}
}
