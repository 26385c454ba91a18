package connectivity

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Audience says which components a signal is for. The layer turns it into
// recipients once, when the signal is emitted. The zero value is refused on the
// wire.
type Audience uint8

// The audiences.
const (
	Self        Audience = 1 + iota // only the source
	Coordinator                     // the thread's coordinator: see [Layer.SetCoordinator]
	Selected                        // the components that a [Resolver] names

	// All is every component registered in the thread at that moment: see
	// [Layer.Register]. It is not expanded into a list of recipients: inboxes
	// deliver to those components, but on the bus itself such a signal is for
	// every subscriber.
	All
)

var audienceNames = signals.NewEnum[Audience]("audience", "self", "coordinator", "selected", "all")

// String returns the wire name, or the number of an unknown audience.
func (a Audience) String() string { return audienceNames.String(a) }

// MarshalText returns the wire name; an unknown audience is an error.
func (a Audience) MarshalText() ([]byte, error) { return audienceNames.Marshal(a) }

// UnmarshalText accepts the four wire names and nothing else.
func (a *Audience) UnmarshalText(text []byte) error {
	return audienceNames.Unmarshal(text, a)
}

// A Resolver names the recipients of a signal for the audience [Selected]. Emit
// calls it, concurrently and without holding locks, before the signal is
// stored, so the signal has no id and time yet. If it fails or panics, Emit
// returns that error and stores nothing, unless the signal is critical: then it
// goes to all.
type Resolver func(context.Context, Signal) ([]string, error)

// resolver returns the resolver that has to be called first, or nil.
func (m *emitting) resolver() Resolver {
	if m.note.Audience != Selected || m.answered {
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
	if m.note.Priority == Critical {
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

// unanswered returns ErrNobody for a critical signal to all if no one there may
// answer it.
func (m *emitting) unanswered(t *Thread) error {
	others := t.members.size()
	if t.Registered(m.in.Source) {
		others--
	}
	if m.note.Priority != Critical || t.Coordinator() != "" || others > 0 {
		return nil
	}
	return ErrNobody
}

// answerable reports whether any of the recipients may answer a critical
// signal: one other than its source, or the coordinator.
func (m *emitting) answerable(t *Thread, to signals.Recipients) bool {
	if source := m.in.Source; to.Include(source) && !t.coordinates(source) {
		return !to.Equal(signals.To(source))
	}
	return !to.Equal(nobody)
}

// recipients returns the recipients on the bus, and why a critical signal goes
// to everyone instead of its audience.
func (m *emitting) recipients(t *Thread) (to signals.Recipients, err error) {
	to = nobody
	switch m.note.Audience {
	case Self:
		to = signals.To(m.in.Source)
	case All:
		return signals.Recipients{}, m.unanswered(t)
	case Selected:
		if m.answered && m.failed == nil {
			to = m.to
		}
	case Coordinator:
		to = t.coordinator
	}
	switch {
	case m.note.Priority == Critical && m.answerable(t, to):
		return to, nil
	case m.note.Priority != Critical && to.Equal(nobody):
		return to, ErrNobody
	case m.note.Priority != Critical:
		return to, nil
	}
	if m.failed != nil {
		return signals.Recipients{}, m.failed
	}
	return signals.Recipients{}, ErrNobody
}
