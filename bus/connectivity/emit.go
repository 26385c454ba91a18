package connectivity

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// An Emission is the result of emitting an [Input].
type Emission struct {
	Signal     coordination.Signal // as it was stored; if suppressed, the live signal that it would repeat
	Suppressed bool
	Reason     Reason // why, if suppressed
	Open       int    // open signals of the source in the thread, without handoffs: see [Crowd]

	// Unreached is [ErrNoAudience] for a signal whose coordinator or selection does not
	// exist: observers and queries see the signal, but no inbox gets it. A critical
	// signal then goes to all instead, and Unreached says why: ErrNoAudience if no one
	// in its audience may answer it, which is possible for the audience [coordination.All] too,
	// or the resolver's error. Otherwise it is nil.
	Unreached error
}

// Emit stores a signal and delivers it to its recipients and observers, or
// returns the live signal that it would only repeat. The steps are, in this
// order: validate, suppress, resolve recipients, publish together with the end
// of the signal that it replaces, call the hook, call observers. Inboxes
// deliver after the hook as well; direct readers of the bus may see the signal
// earlier.
//
// Its errors are a [*ValidationError], [ErrFull], the resolver's error, the
// cause of ctx's end, and those of [bus.Publisher.Publish]; on an error nothing
// is stored.
func (l *Layer) Emit(ctx context.Context, in Input) (Emission, error) { return l.emit(ctx, &in, nil) }

// emit emits as a component, or as the operator if as is nil.
func (l *Layer) emit(ctx context.Context, in *Input, as *Component) (Emission, error) {
	m := emitting{layer: l, in: *in, as: as, note: in.note()}
	if err := in.check(&m.note); err != nil {
		return Emission{}, invalid(err)
	}
	defer l.drain(ctx)
	defer m.release() // also if the hook or a handler of the bus exits the goroutine
	for {
		if err := l.commit(ctx, m.decide, m.committed); err != nil {
			return Emission{}, invalid(err)
		}
		if m.ask == nil {
			break
		}
		if err := m.answer(ctx); err != nil {
			return Emission{}, err
		}
	}
	if m.held != nil {
		l.callHook(ctx, m.result.Signal)
	}
	return m.result, nil
}

// An emitting is one call of Emit.
type emitting struct {
	layer *Layer
	in    Input
	as    *Component // nil: the operator of the swarm
	note  coordination.Note

	ask      Resolver // to be called before the signal can be stored
	answered bool
	to       signals.Recipients // its result
	failed   error              // or its error

	hooked bool
	held   *telling // the signal's events, until the hook has returned
	result Emission
}

// decide checks the input against the current end of the log, and writes it.
func (m *emitting) decide(b *batch) error {
	l, n := m.layer, &m.note
	t := l.threadLocked(m.in.Thread)
	n.Step = t.step
	if err := m.check(t); err != nil {
		return err
	}
	q := question{l.opts.Suppression, b.at.Time, urgency(n.Class, n.Priority, n.Confidence)}
	if r := t.duplicate(m.in.Source, n, &q); r != nil {
		m.ask = nil
		m.result.Signal, m.result.Suppressed, m.result.Reason, m.result.Open = r.snapshot(), true, q.reason(r), r.source.open
		return errNothing
	}
	if err := m.room(t); err != nil {
		return err
	}
	if m.ask = m.resolver(); m.ask != nil {
		m.result.Signal = signalOf(&signals.Header{Thread: m.in.Thread, Source: m.in.Source}, n)
		m.result.Signal.State = coordination.Emitted
		return errNothing
	}
	m.write(b, t)
	return nil
}

// check checks the rules that depend on the thread.
func (m *emitting) check(t *Thread) error {
	n := &m.note
	n.ExpiresAfter = 0 // which is for drafts only
	if after := m.in.ExpiresAfter; after > 0 {
		if after > math.MaxInt-n.Step {
			return &ValidationError{Field: "expiresAfter", Value: strconv.Itoa(after), Problem: "beyond the last step"}
		}
		n.ExpiresAtStep = n.Step + after
	}
	if n.ExpiresAtStep > 0 && n.ExpiresAtStep <= n.Step {
		return &ValidationError{
			Field: "expiresAtStep", Value: strconv.Itoa(n.ExpiresAtStep),
			Problem: fmt.Sprintf("the thread is at step %d", n.Step),
		}
	}
	if n.Replaces.IsZero() {
		return nil
	}
	return m.checkReplaced(t, m.layer.ids.get(n.Replaces))
}

func (m *emitting) checkReplaced(t *Thread, r *record) error {
	refuse := func(problem string, err error) error {
		return &ValidationError{Field: "replaces", Value: m.in.Replaces.String(), Problem: problem, Err: err}
	}
	switch {
	case r == nil:
		return refuse("no such signal", ErrNotFound)
	case r.Thread != m.in.Thread:
		return refuse("of another thread", nil)
	case !r.live():
		return refuse("already "+r.State.String(), ErrTerminal)
	case r.Priority != coordination.Critical && m.as != nil && !t.mayEnd(m.as.id, r):
		return refuse("of "+r.Source, ErrNotAllowed)
	case r.Priority == coordination.Critical && m.note.Priority != coordination.Critical:
		return refuse("it is critical, so only a critical signal may take its place", ErrNotAllowed)
	case r.Priority == coordination.Critical && m.in.Source != r.Source && !t.coordinates(m.in.Source):
		return refuse("it is critical, so only its source and the coordinator may replace it", ErrNotAllowed)
	}
	return nil
}

// room enforces MaxLive. An update takes the room of the signal it replaces,
// and alarms are exempt.
func (m *emitting) room(t *Thread) error {
	most := m.layer.opts.MaxLive
	if !t.full(most) || m.note.Priority == coordination.Critical || !m.note.Replaces.IsZero() {
		return nil
	}
	return fmt.Errorf("%w: %d in thread %q", ErrFull, most, m.in.Thread)
}

// write adds the note and the end of the signal that it replaces.
func (m *emitting) write(b *batch, t *Thread) {
	n := &m.note
	to, err := m.recipients(t)
	target := m.layer.ids.get(n.Replaces)
	if n.Priority == coordination.Critical {
		to = withDuty(to, target.takenOver(m.in.Source))
	}
	if n.Components = 0; to.Everyone() {
		n.Components = t.members.size()
	}
	b.note(signals.Header{
		Source: m.in.Source, Thread: m.in.Thread, Recipients: to, ReplyTo: n.Replaces, TTL: -1, Round: m.in.round, Trace: m.in.trace,
	}, *n)
	if target != nil {
		b.transition(m.in.Source, m.in.Thread, coordination.Superseded, target.to, target.ID)
	}
	m.result.Unreached = err
	m.hooked = m.layer.opts.Hook != nil && (n.Class.Message() == coordination.AboutEscalation || n.Priority == coordination.Critical)
}

func (m *emitting) committed(changes []change) {
	l := m.layer
	for _, c := range changes {
		if c.event == WasEmitted {
			m.result.Signal, m.result.Open = c.record.snapshot(), c.record.source.open
		}
	}
	notice := l.tellLocked(m.in.Thread, changes, m.hooked)
	if m.hooked {
		m.held = notice
		l.hooks[m.result.Signal.ID] = notice.over
	}
}

func (m *emitting) release() {
	if m.held != nil {
		m.layer.release(m.in.Thread, m.result.Signal.ID, m.held)
	}
}
