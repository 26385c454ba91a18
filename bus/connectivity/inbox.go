package connectivity

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Inbox reads from the bus what is for one component and nothing else, in
// log order and without loss: what is addressed to it, and what is for all of
// a thread in which it was registered at that moment. Its
// methods may be called concurrently; every signal goes to one caller.
type Inbox struct {
	layer *Layer
	id    string
	from  *bus.Subscription

	// Under the layer's lock.
	unread []signals.Any     // read from the bus, and not returned yet
	moves  map[string][]move // by thread, since the inbox was opened, oldest first
}

// A move is that a component is registered, or not any more, from a place in
// the log on.
type move struct {
	from   uint64
	joined bool
}

// Inbox starts an inbox with the next signal that is emitted.
func (l *Layer) Inbox(id string) (*Inbox, error) {
	if err := checkNames("component", "inbox", id); err != nil {
		return nil, err
	}
	i := &Inbox{layer: l, id: id, moves: map[string][]move{}}
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

// wants says the same of a signal whenever it is asked: the bus counts what is
// waiting before it is read.
func (i *Inbox) wants(s signals.Any) bool {
	n, h := noteOf(s), signals.HeadOf(s)
	if n == nil || n.Layer != i.layer.opts.Name {
		return false
	}
	if !h.Recipients.Everyone() {
		return true
	}
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	return i.registeredLocked(h.Thread, h.Seq)
}

func (i *Inbox) registeredLocked(thread string, at uint64) bool {
	moves := i.moves[thread]
	if len(moves) == 0 {
		p := i.layer.places.get(thread)
		return p != nil && p.components.get(i.id)
	}
	for _, m := range slices.Backward(moves) {
		if m.from <= at {
			return m.joined
		}
	}
	return !moves[0].joined
}

// movedLocked notes a move for the open inboxes of a component.
func (l *Layer) movedLocked(id, thread string, m move) {
	for _, i := range l.inboxes[id] {
		i.moves[thread] = append(i.moves[thread], m)
	}
}

// Next waits for the next signal and returns it as it is now: reading makes an
// emitted signal active, and it may have ended before it was read. A signal
// that the hook is called for is delivered once the hook has returned. The
// errors are those of [bus.Subscription.Next]; after the end of ctx the next
// call goes on where this one was.
func (i *Inbox) Next(ctx context.Context) (Signal, error) {
	s, err := i.take(ctx)
	if err != nil {
		return Signal{}, err
	}
	h := signals.HeadOf(s)
	if over := i.layer.hookOf(h); over != nil {
		select {
		case <-over:
		case <-ctx.Done():
			i.putBack(s)
			return Signal{}, context.Cause(ctx)
		}
	}
	i.layer.fail(i.layer.activate(ctx, h.ID))
	i.forgetMoves(h)
	if now, held := i.layer.look(h.ID); held {
		return now, nil
	}
	return forgotten(s), nil
}

func (i *Inbox) take(ctx context.Context) (signals.Any, error) {
	i.layer.mu.Lock()
	if len(i.unread) > 0 {
		defer i.layer.mu.Unlock()
		s := i.unread[0]
		i.unread = i.unread[1:]
		return s, nil
	}
	i.layer.mu.Unlock()
	return i.from.Next(ctx)
}

func (i *Inbox) putBack(s signals.Any) {
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	i.unread = append(i.unread, s)
}

// hookOf returns what is closed when the hook for a signal has returned, nil
// if none is running.
func (l *Layer) hookOf(h *signals.Header) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold.last < h.Seq { // read between commit and fold
		l.mu.Unlock()
		l.atEnd(func(uint64) {})
		l.mu.Lock()
	}
	return l.hooks[h.ID]
}

// forgetMoves drops the moves that decide about nothing any more: all before
// the newest one at or before what was read.
func (i *Inbox) forgetMoves(h *signals.Header) {
	i.layer.mu.Lock()
	defer i.layer.mu.Unlock()
	moves := i.moves[h.Thread]
	for len(moves) > 1 && moves[1].from <= h.Seq {
		moves = moves[1:]
	}
	if len(moves) > 0 {
		i.moves[h.Thread] = moves
	}
}

// forgotten returns a signal that the layer does not hold any more.
func forgotten(s signals.Any) Signal {
	h, n := signals.HeadOf(s), noteOf(s)
	return Signal{
		Seq: h.Seq, ID: h.ID, Thread: h.Thread, Source: h.Source, Class: n.Class, Audience: n.Audience,
		Priority: n.Priority, Confidence: n.Confidence, Summary: n.Summary, Details: n.Details, Replaces: n.Replaces,
		Step: n.Step, ExpiresAtStep: n.ExpiresAtStep, EmittedAt: h.Time, State: Emitted,
		Recipients: names(h.Recipients), Components: n.Components,
	}
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
