package connectivity

import (
	"context"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Inbox reads what is for one component and nothing else, in log order and
// without loss: what is addressed to it, and what is for all of a thread in which
// it was registered at that moment. It keeps up to 65536 unread signals; what is
// for others takes no room. Its methods may be called concurrently; every signal
// goes to one caller.
type Inbox struct {
	layer *Layer
	id    string
	end   *bus.Subscription // wants nothing: its reads end when the inbox or the bus is closed

	turn   chan struct{} // holds one: who reads, so that signals are handed out in order
	closed chan struct{}
	once   sync.Once

	// Protected by the layer's lock.
	unread []*Signal          // shared with other inboxes, as they were stored, without a state
	lagged bool               // there was more than is kept
	wake   context.CancelFunc // of who waits for what comes; nil: nobody has yet
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

// deliverLocked puts a signal that was emitted into the inboxes of those whom
// it is for.
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

// putUnregisteredLocked puts a critical signal to all where there is somebody
// who may answer it and is not registered.
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

// Next waits for the next signal and returns it as it is now: reading makes an
// emitted signal active, and it may have ended before it was read, or be
// [Forgotten]. A signal that the hook is called for is delivered once the hook
// has returned, and what came after it, of whatever thread, later. The errors are
// [bus.ErrClosed], [bus.ErrLagged] after the last signal that was kept, and why
// ctx ended; then the next call goes on where this one was. When the bus is
// closed, what is unread can still be read.
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

// next takes the next signal that no hook is called for any more.
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

// first waits until there is something unread.
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

// look returns the first unread signal, or a context that ends when there is
// one.
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

// hookOf returns what is closed when the hook for a signal has returned, nil
// if none is running.
func (l *Layer) hookOf(id signals.ID) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hooks[id]
}

// Close ends the inbox, and drops what is unread. Closing twice does nothing.
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
