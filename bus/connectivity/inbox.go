package connectivity

import (
	"context"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// An Inbox delivers one component's signals, in log order and without loss: those
// addressed to it, and those for all of a thread in which it was registered at
// that moment. It is a subscription of the bus, which keeps up to 65536 unread signals.
// Its methods may be called concurrently; every signal goes to one caller.
type Inbox struct {
	layer *Layer
	id    string
	log   *bus.Subscription

	turn   chan struct{} // of capacity one, held while reading, so that signals are returned in order
	closed chan struct{}
	once   sync.Once

	// The fields below are protected by turn.
	joined map[string]bool      // threads in which it is registered, as of the signal read last
	leads  map[string]bool      // threads that it coordinates
	unread *coordination.Signal // read from the log, but not returned yet
}

// Inbox starts an inbox with the next signal that is emitted.
func (l *Layer) Inbox(id string) (*Inbox, error) {
	if err := checkNames("component", "inbox", id); err != nil {
		return nil, err
	}
	i := &Inbox{
		layer: l, id: id, turn: make(chan struct{}, 1), closed: make(chan struct{}), joined: map[string]bool{}, leads: map[string]bool{},
	}
	var after uint64
	err := l.atEnd(func(last uint64) {
		after = last
		for name, t := range l.fold.Threads() {
			if t.Registered(id) {
				i.joined[name] = true
			}
			if t.Coordinates(id) {
				i.leads[name] = true
			}
		}
	})
	if err == nil {
		i.log, err = l.bus.Subscribe(bus.SubscribeOptions{Agent: id, Kinds: kinds, Where: i.wants, Past: true, After: after})
	}
	if err != nil {
		return nil, err
	}
	return i, nil
}

// wants folds the component's registrations in the log, and reports whether a signal is for
// it.
func (i *Inbox) wants(s signals.Any) bool {
	if k := coordination.LinkOf(s); k == nil || k.Layer != i.layer.opts.Name {
		return false
	}
	h := s.Head()
	switch s := s.(type) {
	case *signals.Signal[coordination.Members]:
		i.enroll(h.Thread, &s.Payload)
	case *signals.Signal[coordination.Closed]:
		delete(i.joined, h.Thread)
		delete(i.leads, h.Thread)
	}
	n := coordination.NoteOf(s)
	return n != nil && (!h.Recipients.Everyone() || i.joined[h.Thread] || n.Priority == coordination.Critical && (i.leads[h.Thread] || i.owes(h.ID)))
}

func (i *Inbox) enroll(thread string, p *coordination.Members) {
	if slices.Contains(p.Joined, i.id) {
		i.joined[thread] = true
	}
	if slices.Contains(p.Left, i.id) {
		delete(i.joined, thread)
	}
	if p.Coordinator != nil {
		if i.leads[thread] = *p.Coordinator == i.id; !i.leads[thread] {
			delete(i.leads, thread)
		}
	}
}

// owes reports whether the component has to answer a signal for all because it takes
// over the duty of another one.
func (i *Inbox) owes(id signals.ID) bool {
	i.layer.bus.Last() // waits for the fold
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	r := i.layer.fold.Get(id)
	return r != nil && r.OwedBy(i.id)
}

// Next waits for the next signal and returns it in its current state: reading
// makes an emitted signal active, and it may have ended before it was read, or be
// [coordination.Forgotten]. A signal that the hook is called for is delivered once the hook
// has returned, and the signals after it, of any thread, are delivered later. The
// errors are those of [bus.Subscription.Next]; after the end of ctx the next call
// continues at the same signal.
func (i *Inbox) Next(ctx context.Context) (coordination.Signal, error) {
	s, err := i.next(ctx)
	if err != nil {
		return coordination.Signal{}, err
	}
	return i.deliver(ctx, s), nil
}

// Poll is [Inbox.Next] without waiting: it reports whether there is a signal that no
// other call is waiting for.
func (i *Inbox) Poll() (s coordination.Signal, found bool, err error) {
	select {
	case i.turn <- struct{}{}:
	default:
		return coordination.Signal{}, false, nil
	}
	defer func() { <-i.turn }()
	if i.unread == nil {
		if err := i.keep(i.log.Poll()); err != nil || i.unread == nil {
			return coordination.Signal{}, false, err
		}
	}
	select {
	case <-i.layer.hookOf(i.unread.ID):
		return i.deliver(context.Background(), i.take()), true, nil
	default:
		return coordination.Signal{}, false, nil
	}
}

// deliver records that a signal was delivered, and returns it in its current state.
func (i *Inbox) deliver(ctx context.Context, s *coordination.Signal) coordination.Signal {
	i.layer.fail(i.layer.activate(ctx, s.ID))
	if now, held := i.layer.look(s.ID); held {
		return now
	}
	return *s
}

// next returns the next signal of the log, once no hook is running for it.
func (i *Inbox) next(ctx context.Context) (*coordination.Signal, error) {
	select {
	case i.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-i.turn }()
	if i.unread == nil {
		if err := i.keep(i.log.Next(ctx)); err != nil {
			return nil, err
		}
	}
	select {
	case <-i.layer.hookOf(i.unread.ID):
	case <-i.closed:
		return nil, bus.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return i.take(), nil
}

// keep keeps a signal read from the log until it is delivered. If the layer does not hold
// it any more by then, it is delivered as Forgotten.
func (i *Inbox) keep(s signals.Any, err error) error {
	if s == nil || err != nil {
		return err
	}
	h := s.Head()
	read := coordination.SignalOf(&h, coordination.NoteOf(s))
	i.unread = &read
	return nil
}

func (i *Inbox) take() *coordination.Signal {
	s := i.unread
	i.unread = nil
	return s
}

// Close ends the inbox and drops its unread signals. Closing twice does
// nothing.
func (i *Inbox) Close() {
	i.once.Do(func() { close(i.closed) })
	i.log.Close()
}
