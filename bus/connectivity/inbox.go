package connectivity

import (
	"context"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Inbox delivers one component's signals, in log order and without loss: those
// addressed to it, and those for all of a thread in which it was registered at
// that moment. It keeps up to 65536 unread signals; those for others take no
// space. Its methods may be called concurrently; every signal goes to one caller.
type Inbox struct {
	layer *Layer
	id    string
	end   *bus.Subscription // selects nothing; its reads end when the inbox or the bus is closed

	turn   chan struct{} // of capacity one, held while reading, so that signals are returned in order
	closed chan struct{}
	once   sync.Once

	// Protected by the layer's lock.
	unread []*Signal          // shared with other inboxes; as stored, without a state
	lagged bool               // there were more signals than are kept
	wake   context.CancelFunc // wakes waiting readers; nil: none
}

// maxUnread is how many signals an inbox keeps.
const maxUnread = 1 << 16

// Inbox starts an inbox with the next signal that is emitted.
func (l *Layer) Inbox(id string) (*Inbox, error) {
	if err := checkNames("component", "inbox", id); err != nil {
		return nil, err
	}
	end, err := l.bus.Subscribe(bus.SubscribeOptions{Agent: id, Kinds: []signals.Kind{}, Backlog: 1})
	if err != nil {
		return nil, err
	}
	i := &Inbox{layer: l, id: id, end: end, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inboxes[id] = append(l.inboxes[id], i)
	return i, nil
}

// deliverLocked puts an emitted signal into the inboxes of its recipients.
func (l *Layer) deliverLocked(r *record) {
	if len(l.inboxes) == 0 {
		return
	}
	s := r.signal()
	s.State = Forgotten // unless the layer still holds it when it is read
	if !r.to.Everyone() {
		for id := range r.to.All() {
			l.putLocked(id, &s)
		}
		return
	}
	p := l.places.get(s.Thread)
	if p == nil {
		p = &place{coordinator: nobody}
	}
	if r.priority == Critical {
		l.putUnregisteredLocked(p, r, &s)
	}
	if len(p.components.m) < len(l.inboxes) {
		for id := range p.components.m {
			l.putLocked(id, &s)
		}
		return
	}
	for id := range l.inboxes {
		if p.components.get(id) > 0 {
			l.putLocked(id, &s)
		}
	}
}

// putUnregisteredLocked delivers a critical signal for all to those who may
// answer it without being registered.
func (l *Layer) putUnregisteredLocked(p *place, r *record, s *Signal) {
	who := names(p.coordinator)
	if r.duty != nil {
		who = names(signals.To(append(who, names(r.duty.to)...)...))
	}
	for _, id := range who {
		if p.components.get(id) == 0 {
			l.putLocked(id, s)
		}
	}
}

func (l *Layer) putLocked(id string, s *Signal) {
	for _, i := range l.inboxes[id] {
		if i.lagged = i.lagged || len(i.unread) == maxUnread; !i.lagged {
			i.unread = append(i.unread, s)
		}
		if i.wake != nil {
			i.wake()
		}
	}
}

// Next waits for the next signal and returns it in its current state: reading
// makes an emitted signal active, and it may have ended before it was read, or be
// [Forgotten]. A signal that the hook is called for is delivered once the hook
// has returned, and the signals after it, of any thread, are delivered later. The
// errors are [bus.ErrClosed], [bus.ErrLagged] after the last signal that was
// kept, and the cause of ctx's end, after which the next call continues at the
// same signal. After the bus is closed, unread signals can still be read.
func (i *Inbox) Next(ctx context.Context) (Signal, error) {
	s, err := i.next(ctx)
	if err != nil {
		return Signal{}, err
	}
	i.layer.fail(i.layer.activate(ctx, s.ID))
	if now, held := i.layer.look(s.ID); held {
		return now, nil
	}
	return s.clone(), nil
}

// next removes and returns the next signal, once no hook is running for it.
func (i *Inbox) next(ctx context.Context) (*Signal, error) {
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
	s, err := i.first(ctx)
	if err != nil {
		return nil, err
	}
	if over := i.layer.hookOf(s.ID); over != nil {
		select {
		case <-over:
		case <-i.closed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	if len(i.unread) == 0 {
		return nil, bus.ErrClosed
	}
	i.unread[0] = nil
	i.unread = i.unread[1:]
	return s, nil
}

// first waits for an unread signal.
func (i *Inbox) first(ctx context.Context) (*Signal, error) {
	for {
		s, waiting, err := i.look(ctx)
		if s != nil || err != nil {
			return s, err
		}
		_, err = i.end.Next(waiting)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case waiting.Err() == nil:
			return nil, err
		}
	}
}

// look returns the first unread signal, or a context that is canceled when
// there is one.
func (i *Inbox) look(ctx context.Context) (*Signal, context.Context, error) {
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	if i.wake != nil {
		i.wake()
		i.wake = nil
	}
	switch {
	case len(i.unread) > 0:
		return i.unread[0], nil, nil
	case i.lagged:
		return nil, nil, bus.ErrLagged
	}
	waiting, wake := context.WithCancel(ctx)
	i.wake = wake
	return nil, waiting, nil
}

// hookOf returns a channel that is closed when the hook for a signal has
// returned, or nil if none is running.
func (l *Layer) hookOf(id signals.ID) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hooks[id]
}

// Close ends the inbox and drops its unread signals. Closing twice does
// nothing.
func (i *Inbox) Close() {
	i.leave()
	i.once.Do(func() { close(i.closed) })
	i.end.Close()
}

func (i *Inbox) leave() {
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	i.unread, i.lagged = nil, false
	if rest := without(i.layer.inboxes[i.id], i); len(rest) > 0 {
		i.layer.inboxes[i.id] = rest
	} else {
		delete(i.layer.inboxes, i.id)
	}
}
