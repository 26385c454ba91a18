package natsbus

import (
	"sync"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// waiting are the callers that wait until the bus was fed with something.
type waiting struct {
	retried *atomic.Uint64
	lock    *sync.Mutex // protects the fields below
	state   *waitingState
}

type waitingState struct {
	verdicts map[signals.ID]pending   // of messages, by the id of the first signal
	reached  map[uint64]chan struct{} // closed when the bus was fed with that message
	err      error                    // why nobody waits any more
}

// A pending message waits for its verdict.
type pending struct {
	subject string
	verdict chan verdict
}

// A verdict is what became of a message.
type verdict struct {
	seq uint64 // in the stream
	err error  // nil: it is in the log
}

func newWaiting() waiting {
	return waiting{new(atomic.Uint64), new(sync.Mutex), &waitingState{verdicts: map[signals.ID]pending{}, reached: map[uint64]chan struct{}{}}}
}

// verdictOn returns where the verdict on a message with that subject arrives.
func (w *waiting) verdictOn(id signals.ID, subject string) (<-chan verdict, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	switch {
	case w.state.err != nil:
		return nil, w.state.err
	case w.state.verdicts[id].verdict != nil:
		return nil, bus.ErrDuplicate
	}
	c := make(chan verdict, 1)
	w.state.verdicts[id] = pending{subject, c}
	return c, nil
}

// deny tells those who wait for a message with a subject that the servers do not take it.
func (w *waiting) deny(subject string, why error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for id, p := range w.state.verdicts {
		if p.subject == subject {
			p.verdict <- verdict{err: why}
			delete(w.state.verdicts, id)
		}
	}
}

// forget ends the wait for a verdict.
func (w *waiting) forget(id signals.ID) {
	w.lock.Lock()
	defer w.lock.Unlock()
	delete(w.state.verdicts, id)
}

// arrival returns a channel that is closed when the bus was fed with a message, nil if
// done says that it was.
func (w *waiting) arrival(seq uint64, done func() bool) (<-chan struct{}, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	switch {
	case done():
		return nil, nil
	case w.state.err != nil:
		return nil, w.state.err
	}
	c := w.state.reached[seq]
	if c == nil {
		c = make(chan struct{})
		w.state.reached[seq] = c
	}
	return c, nil
}

// fed tells those who wait for a message. advance records that the bus was fed with it.
func (w *waiting) fed(id signals.ID, v verdict, advance func()) {
	w.lock.Lock()
	defer w.lock.Unlock()
	advance()
	if p := w.state.verdicts[id]; p.verdict != nil && !id.IsZero() {
		p.verdict <- v
		delete(w.state.verdicts, id)
	}
	for seq, c := range w.state.reached {
		if seq <= v.seq {
			close(c)
			delete(w.state.reached, seq)
		}
	}
}

// end tells everybody that nothing more is fed.
func (w *waiting) end(why error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.state.err != nil {
		return
	}
	w.state.err = why
	for _, p := range w.state.verdicts {
		p.verdict <- verdict{err: why}
	}
	for _, c := range w.state.reached {
		close(c)
	}
	clear(w.state.verdicts)
	clear(w.state.reached)
}
