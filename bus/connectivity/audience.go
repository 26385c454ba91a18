package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A Resolver names the recipients of a signal for the audience [coordination.Selected]. Emit
// calls it, concurrently and without holding locks, before the signal is
// stored, so the signal has no id and time yet. If it fails or panics, Emit
// returns that error and stores nothing, unless the signal is critical: then it
// goes to all.
type Resolver func(context.Context, coordination.Signal) ([]string, error)

// noRecipients stands for no recipients: see [coordination.To].
var noRecipients = coordination.To()

// A selection is the answer of a resolver.
type selection struct {
	made bool               // false: none was asked
	to   signals.Recipients // noRecipients before
	err  error
}

// choose calls the resolver.
func choose(ctx context.Context, r Resolver, s coordination.Signal) selection {
	var chosen []string
	err := guard("resolver", func() (err error) {
		if chosen, err = r(ctx, s); err != nil {
			return err
		}
		return checkNames("recipients", s.Thread, chosen...)
	})
	if err != nil {
		return selection{true, noRecipients, err}
	}
	return selection{true, coordination.To(chosen...), nil}
}

// recipientsOf returns the recipients of a note on the bus. The error is the reason why there
// are none, or why a critical note goes to all instead of its audience.
func recipientsOf(t *coordination.Thread, source string, n *coordination.Note, chosen selection) (to signals.Recipients, err error) {
	to = noRecipients
	switch n.Audience {
	case coordination.Self:
		to = signals.To(source)
	case coordination.All:
		return signals.Recipients{}, unanswered(t, source, n)
	case coordination.Selected:
		to = chosen.to
	case coordination.Coordinator:
		to = t.ToCoordinator()
	}
	switch {
	case n.Priority != coordination.Critical && to.Equal(noRecipients):
		return to, ErrNoAudience
	case n.Priority != coordination.Critical || answerable(t, source, to):
		return to, nil
	case chosen.err != nil:
		return signals.Recipients{}, chosen.err
	}
	return signals.Recipients{}, ErrNoAudience
}

// unanswered returns ErrNoAudience for a critical note to all if none of the recipients may
// answer it.
func unanswered(t *coordination.Thread, source string, n *coordination.Note) error {
	others := t.Components()
	if t.Registered(source) {
		others--
	}
	if n.Priority != coordination.Critical || t.Coordinator() != "" || others > 0 {
		return nil
	}
	return ErrNoAudience
}

// answerable reports whether any of the recipients may answer a critical note: one other
// than its source, or the coordinator.
func answerable(t *coordination.Thread, source string, to signals.Recipients) bool {
	if to.Include(source) && !t.Coordinates(source) {
		return !to.Equal(signals.To(source))
	}
	return !to.Equal(noRecipients)
}
