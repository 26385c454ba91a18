package connectivity

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A Resolver names the recipients of a signal for the audience [coordination.Selected]. Emit
// calls it, concurrently and without holding locks, before the signal is
// stored, so the signal has no id and time yet. If it fails or panics, Emit
// returns that error and stores nothing, unless the signal is critical: then it
// goes to all.
type Resolver func(context.Context, coordination.Signal) ([]string, error)

// resolver returns the resolver that has to be called first, or nil.
func (m *emitting) resolver() Resolver {
	if m.note.Audience != coordination.Selected || m.answered {
		return nil
	}
	for _, name := range []string{m.in.Thread, ""} {
		if r := m.layer.resolvers[name]; r != nil {
			return r
		}
	}
	return nil
}

// answer calls the resolver. A critical signal is stored even if it fails.
func (m *emitting) answer(ctx context.Context) error {
	m.answered = true
	var chosen []string
	err := guard(func() (err error) {
		chosen, err = m.ask(ctx, m.result.Signal)
		return err
	})
	if err == nil {
		err = checkNames("recipients", m.in.Thread, chosen...)
	}
	if m.failed = inside("resolver", err); m.failed == nil {
		m.to = recipients(chosen)
	}
	if m.note.Priority == coordination.Critical {
		return nil
	}
	return m.failed
}

// withDuty adds to the recipients those of the critical signal whose duty to be
// answered an update takes over.
func withDuty(to signals.Recipients, d *duty) signals.Recipients {
	switch {
	case d == nil:
		return to
	case to.Everyone() || d.to.Everyone():
		return signals.Recipients{}
	}
	return recipients(slices.Concat(names(to), names(d.to)))
}

// unanswered returns ErrNoAudience for a critical signal to all if no one there may
// answer it.
func (m *emitting) unanswered(t *Thread) error {
	others := t.members.size()
	if t.Registered(m.in.Source) {
		others--
	}
	if m.note.Priority != coordination.Critical || t.Coordinator() != "" || others > 0 {
		return nil
	}
	return ErrNoAudience
}

// answerable reports whether any of the recipients may answer a critical
// signal: one other than its source, or the coordinator.
func (m *emitting) answerable(t *Thread, to signals.Recipients) bool {
	if source := m.in.Source; to.Include(source) && !t.coordinates(source) {
		return !to.Equal(signals.To(source))
	}
	return !to.Equal(noRecipients)
}

// recipients returns the recipients on the bus, and why a critical signal goes
// to everyone instead of its audience.
func (m *emitting) recipients(t *Thread) (to signals.Recipients, err error) {
	to = noRecipients
	switch m.note.Audience {
	case coordination.Self:
		to = signals.To(m.in.Source)
	case coordination.All:
		return signals.Recipients{}, m.unanswered(t)
	case coordination.Selected:
		if m.answered && m.failed == nil {
			to = m.to
		}
	case coordination.Coordinator:
		to = t.coordinator
	}
	switch {
	case m.note.Priority == coordination.Critical && m.answerable(t, to):
		return to, nil
	case m.note.Priority != coordination.Critical && to.Equal(noRecipients):
		return to, ErrNoAudience
	case m.note.Priority != coordination.Critical:
		return to, nil
	}
	if m.failed != nil {
		return signals.Recipients{}, m.failed
	}
	return signals.Recipients{}, ErrNoAudience
}
