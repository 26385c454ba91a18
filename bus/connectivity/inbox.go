package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Inbox reads from the bus what is for one component and nothing else, in
// log order and without loss: what is addressed to it, and what is for all of
// a thread in which it was registered at that moment. Its methods may be called
// concurrently; every signal goes to one caller.
type Inbox struct {
	layer *Layer
	id    string
	from  *bus.Subscription

	turn   chan struct{} // holds one: who reads, so that signals are handed out in order
	unread signals.Any   // read from the bus and not handed out; for who has the turn

	due []uint64 // places of the signals to all that are for the component and unread; under the layer's lock
}

// Inbox starts an inbox with the next signal that is emitted.
func (l *Layer) Inbox(id string) (*Inbox, error) {
	if err := checkNames("component", "inbox", id); err != nil {
		return nil, err
	}
	i := &Inbox{layer: l, id: id, turn: make(chan struct{}, 1)}
	l.mu.Lock()
	l.inboxes[id] = append(l.inboxes[id], i)
	l.mu.Unlock()
	var err error
	i.from, err = l.bus.Subscribe(bus.SubscribeOptions{
		Agent: id,
		Kinds: []signals.Kind{KindAttention, KindConfidence, KindConflict, KindHandoff, KindEscalation},
		Where: i.wants,
	})
	if err != nil {
		i.leave()
		return nil, err
	}
	return i, nil
}

// wants is asked once about each signal, in log order.
func (i *Inbox) wants(s signals.Any) bool {
	n, h := noteOf(s), signals.HeadOf(s)
	if n == nil || n.Layer != i.layer.opts.Name {
		return false
	}
	i.layer.catchUp(h.Seq)
	return !h.Recipients.Everyone() || i.takeDue(h.Seq)
}

// takeDue reports whether the signal to all at that place is for the component.
func (i *Inbox) takeDue(seq uint64) (found bool) {
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	for ; len(i.due) > 0 && i.due[0] <= seq; i.due = i.due[1:] {
		found = i.due[0] == seq
	}
	return found
}

// maxDue is more than a subscription keeps unread: it has ended if more is due.
const maxDue = 1 << 17

// deliverLocked enters a signal to all of a thread into the inboxes of those who
// are registered.
func (l *Layer) deliverLocked(thread string, seq uint64) {
	p := l.places.get(thread)
	if p == nil {
		return
	}
	deliver := func(id string) {
		for _, i := range l.inboxes[id] {
			if len(i.due) < maxDue {
				i.due = append(i.due, seq)
			}
		}
	}
	if len(p.components.m) < len(l.inboxes) {
		for id := range p.components.m {
			deliver(id)
		}
		return
	}
	for id := range l.inboxes {
		if p.components.get(id) > 0 {
			deliver(id)
		}
	}
}

// Next waits for the next signal and returns it as it is now: reading makes an
// emitted signal active, and it may have ended before it was read, or be
// [Forgotten]. A signal that the hook is called for is delivered once the hook
// has returned. The errors are those of [bus.Subscription.Next]; after the end
// of ctx the next call goes on where this one was.
func (i *Inbox) Next(ctx context.Context) (Signal, error) {
	s, err := i.next(ctx)
	if err != nil {
		return Signal{}, err
	}
	h := signals.HeadOf(s)
	i.layer.fail(i.layer.activate(ctx, h.ID))
	if now, held := i.layer.look(h.ID); held {
		return now, nil
	}
	return signalOf(h, noteOf(s)), nil
}

// next takes the next signal that no hook is called for any more.
func (i *Inbox) next(ctx context.Context) (signals.Any, error) {
	select {
	case i.turn <- struct{}{}:
	default:
		select {
		case i.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer func() { <-i.turn }()
	if i.unread == nil {
		s, err := i.from.Next(ctx)
		if err != nil {
			return nil, err
		}
		i.unread = s
	}
	if over := i.layer.hookOf(i.unread); over != nil {
		select {
		case <-over:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	s := i.unread
	i.unread = nil
	return s, nil
}

// hookOf returns what is closed when the hook for a signal has returned, nil
// if none is running.
func (l *Layer) hookOf(s signals.Any) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hooks[signals.HeadOf(s).ID]
}

// Close ends the inbox. Closing twice does nothing.
func (i *Inbox) Close() {
	i.from.Close()
	i.leave()
}

func (i *Inbox) leave() {
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	if rest := without(i.layer.inboxes[i.id], i); len(rest) > 0 {
		i.layer.inboxes[i.id] = rest
	} else {
		delete(i.layer.inboxes, i.id)
	}
}
