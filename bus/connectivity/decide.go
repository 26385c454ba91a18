package connectivity

import (
	"fmt"
	"math"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// An emitting is one call of Emit.
type emitting struct {
	layer *Layer
	signals.Header
	note  coordination.Note
	after int    // steps after which it expires
	as    string // the component; "": the operator of the swarm

	ask    Resolver      // to be called before the signal can be stored; nil: none
	chosen selection     // its answer
	over   chan struct{} // closed when the hook for the signal has returned; nil: none is called
}

// valid checks the rules that do not depend on the thread.
func (m *emitting) valid() error {
	if err := checkNames("source", m.Thread, m.Source); err != nil {
		return err
	}
	return invalid(m.note.Check(signals.Limits{}))
}

func (m *emitting) critical() bool { return m.note.Priority == coordination.Critical }

// decide checks the input against the current end of the log, and writes it.
func (m *emitting) decide(b *batch) error {
	l, n := m.layer, &m.note
	t := l.fold.Thread(m.Thread)
	n.Step, m.ask, m.over = t.Step(), nil, nil
	if err := m.check(t); err != nil {
		return err
	}
	if r, why := l.opts.Suppression.repeated(t, m.Source, n, b.now); r != nil {
		b.show(r)
		b.result.Suppressed, b.result.Reason = true, why
		return errNothing
	}
	// An update takes the room of the signal it replaces, and alarms are exempt.
	if most := l.opts.MaxLive; most > 0 && t.Live() >= most && !m.critical() && n.Replaces.IsZero() {
		return fmt.Errorf("%w: %d in thread %q", ErrFull, most, m.Thread)
	}
	if m.ask = m.resolver(); m.ask != nil {
		b.result.Signal = coordination.SignalOf(&m.Header, n)
		b.result.Signal.State = coordination.Emitted
		return errNothing
	}
	m.write(b, t)
	return nil
}

// check checks the rules that depend on the thread.
func (m *emitting) check(t *coordination.Thread) error {
	n := &m.note
	n.ExpiresAfter = 0 // which is for drafts only
	if m.after > 0 {
		if m.after > math.MaxInt-n.Step {
			return &ValidationError{Field: "expiresAfter", Value: strconv.Itoa(m.after), Problem: "beyond the last step"}
		}
		n.ExpiresAtStep = n.Step + m.after
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
	return m.checkReplaced(t, m.layer.fold.Get(n.Replaces))
}

func (m *emitting) checkReplaced(t *coordination.Thread, r *coordination.Record) error {
	refuse := func(problem string, err error) error {
		return &ValidationError{Field: "replaces", Value: m.note.Replaces.String(), Problem: problem, Err: err}
	}
	switch {
	case r == nil:
		return refuse("no such signal", ErrNotFound)
	case r.Thread != m.Thread:
		return refuse("of another thread", nil)
	case !r.Live():
		return refuse("already "+r.State.String(), ErrTerminal)
	case r.Priority != coordination.Critical && m.as != "" && !t.MayEnd(m.as, r):
		return refuse("of "+r.Source, ErrNotAllowed)
	case r.Priority == coordination.Critical && !m.critical():
		return refuse("it is critical, so only a critical signal may take its place", ErrNotAllowed)
	case r.Priority == coordination.Critical && m.Source != r.Source && !t.Coordinates(m.Source):
		return refuse("it is critical, so only its source and the coordinator may replace it", ErrNotAllowed)
	}
	return nil
}

// resolver returns the resolver that has to be called first, or nil.
func (m *emitting) resolver() Resolver {
	if m.note.Audience != coordination.Selected || m.chosen.made {
		return nil
	}
	if r := m.layer.resolvers[m.Thread]; r != nil {
		return r
	}
	return m.layer.resolvers[""]
}

// write adds the note and the end of the signal that it replaces.
func (m *emitting) write(b *batch, t *coordination.Thread) {
	n := &m.note
	to, err := recipientsOf(t, m.Source, n, m.chosen)
	replaced := m.layer.fold.Get(n.Replaces)
	if m.critical() {
		to = replaced.Widen(to, m.Source)
	}
	if n.Components = 0; to.Everyone() {
		n.Components = t.Components()
	}
	h := b.header(m.Source, m.Thread, to, n.Replaces)
	h.Round, h.Trace = m.Round, m.Trace
	b.note(h, *n)
	if replaced != nil {
		b.transition(m.Source, m.Thread, coordination.Superseded, replaced.To(), replaced.ID)
	}
	if m.layer.opts.Hook != nil && (m.critical() || n.Class.Message() == coordination.AboutEscalation) {
		m.over = make(chan struct{})
	}
	b.over, b.result.Unreached = m.over, err
}
