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
func (l *Layer) Emit(ctx context.Context, in Input) (e Emission, err error) {
	n := in.note(l.opts.Name)
	if err := checkInput(&in, &n); err != nil {
		return e, err
	}
	f, err := l.prepare(ctx, &in, &n, &e)
	if f == nil {
		return e, err
	}
	if err := l.send(ctx, f, &e.Signal); err != nil {
		return Emission{}, invalid(err)
	}
	return e, nil
}

// send flies a flight that emits s, and calls the hook in time.
func (l *Layer) send(ctx context.Context, f *flight, s *Signal) (err error) {
	defer l.drain(ctx)
	if !f.held {
		s.Seq, err = l.fly(ctx, f.by, f)
		return err
	}
	defer l.release(f)
	if s.Seq, err = l.fly(ctx, f.by, f); err == nil {
		l.callHook(ctx, s.clone())
	}
	return err
}

// prepare decides what becomes of an input: a departed flight with what it
// emits, a repetition, or an error.
func (l *Layer) prepare(ctx context.Context, in *Input, n *Note, e *Emission) (*flight, error) {
	f, ask, err := l.decide(ctx, in, n, nil, e)
	if ask == nil {
		return f, err
	}
	if ask.to, err = selected(ctx, ask.resolver, ask.about); err != nil {
		return nil, err
	}
	// Once more, whatever happened while the resolver thought.
	f, _, err = l.decide(ctx, in, n, ask, e)
	return f, err
}

// A question is what a resolver is asked and has answered.
type question struct {
	id       signals.ID // of the signal that it is about
	resolver Resolver
	about    Signal
	to       signals.Recipients
}

// decide returns a departed flight and says in e what it emits, or a question
// to answer first, or says why nothing is to be stored.
func (l *Layer) decide(ctx context.Context, in *Input, n *Note, answer *question, e *Emission) (*flight, *question, error) {
	l.lock()
	defer l.mu.Unlock()
	if stop, err := l.judgeLocked(ctx, in, n, e); stop {
		return nil, nil, err
	}
	n.Step = l.stepLocked(in.Thread)
	h := l.headerLocked(l.now, in.Source, in.Thread, l.recipientsLocked(in), in.Replaces)
	h.Priority = int16(n.Priority) - int16(Normal)
	if x, given := n.Confidence.Get(); given {
		h.Confidence = x
	}
	if answer != nil {
		h.ID, h.Recipients = answer.id, answer.to
	} else if r := l.resolverLocked(in); r != nil {
		return nil, &question{id: h.ID, resolver: r, about: pending(&h, n)}, nil
	}
	p, err := l.publisherLocked(in.Source)
	if err != nil {
		return nil, nil, invalid(err)
	}
	f := l.emissionLocked(&h, n)
	f.by = p
	e.Signal = pending(&h, n)
	return f, nil, nil
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
	f := l.flightLocked(h.Thread)
	f.emits, f.held = true, l.hooked(n)
	l.writeNoteLocked(f, h, n)
	if target := l.fold.replaced(n); target != nil {
		f.ends = append(f.ends, target)
		l.transitionLocked(f, h.Source, Superseded, target.to, target.id)
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
