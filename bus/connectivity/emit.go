package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

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
func (l *Layer) Emit(ctx context.Context, in Input) (Emission, error) {
	return l.emit(ctx, signals.Header{Source: in.Source, Thread: in.Thread}, in.note(), "")
}

// emit emits a note as a component, or as the operator if as is "". The header has its
// source and thread, and the round and the trace of a draft.
func (l *Layer) emit(ctx context.Context, h signals.Header, n coordination.Note, as string) (Emission, error) {
	m := emitting{layer: l, Header: h, note: n.Defaulted(), after: n.ExpiresAfter, as: as, chosen: selection{to: noRecipients}}
	if err := m.valid(); err != nil {
		return Emission{}, err
	}
	defer func() { l.release(ctx, m.over) }() // also if the hook or a handler of the bus exits the goroutine
	var e Emission
	for {
		if err := l.commit(ctx, m.decide, &e); err != nil {
			return Emission{}, err
		}
		if m.ask == nil {
			break
		}
		m.chosen = choose(ctx, m.ask, e.Signal)
		if m.chosen.err != nil && !m.critical() {
			return Emission{}, m.chosen.err
		}
	}
	if m.over != nil {
		l.callHook(ctx, e.Signal)
	}
	return e, nil
}
