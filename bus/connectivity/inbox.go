package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Inbox reads from the bus what is addressed to one component and nothing
// else, in log order and without loss.
type Inbox struct {
	layer *Layer
	from  *bus.Subscription
}

// Inbox starts an inbox with the next signal that is emitted.
func (l *Layer) Inbox(id string) (*Inbox, error) {
	if err := checkNames("component", "inbox", id); err != nil {
		return nil, err
	}
	sub, err := l.bus.Subscribe(bus.SubscribeOptions{
		Agent: id,
		Kinds: []signals.Kind{KindAttention, KindConfidence, KindConflict, KindHandoff, KindEscalation},
		Where: func(s signals.Any) bool {
			n := noteOf(s)
			return n != nil && n.Layer == l.opts.Name
		},
	})
	if err != nil {
		return nil, err
	}
	return &Inbox{l, sub}, nil
}

// Next waits for the next signal and returns it as it is now: reading makes an
// emitted signal active, and it may have ended before it was read. Its errors
// are those of [bus.Subscription.Next].
func (i *Inbox) Next(ctx context.Context) (Signal, error) {
	s, err := i.from.Next(ctx)
	if err != nil {
		return Signal{}, err
	}
	h := s.Head()
	i.layer.fail(i.layer.activate(ctx, h.ID))
	if now, held := i.layer.Get(h.ID); held {
		return now, nil
	}
	n, _ := NoteOf(s)
	read := pending(&h, &n)
	read.Seq = h.Seq
	return read, nil
}

// Close ends the inbox. Closing twice does nothing.
func (i *Inbox) Close() { i.from.Close() }
