package natsbus

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// waiting are the callers that wait until the bus was fed with something.
type waiting struct {
	retried *atomic.Uint64
	trips   *trips
	lock    *sync.Mutex // protects the fields below
	state   *waitingState
}

type waitingState struct {
	verdicts map[signals.ID]pending   // of messages, by the id of the first signal
	reached  map[uint64]chan struct{} // closed when the bus was fed with that message
	err      error                    // why nobody waits any more
}

// A pending message waits for its verdict. It is not changed any more.
type pending struct {
	sent    *nats.Msg
	verdict chan verdict
}

// A verdict is what became of a message.
type verdict struct {
	id    signals.ID  // of its first signal
	of    *message    // nil: it was not sent, or could not be read
	first uint64      // its sequence number
	dead  *DeadLetter // nil: it is in the log
	lost  error       // why there is none
}

// err is the error of the publisher.
func (v *verdict) err() error {
	switch {
	case v.lost != nil:
		return v.lost
	case v.dead == nil || v.dead.Reason == Fence:
		return nil
	case v.dead.Reason == Refused:
		return v.dead.Err
	}
	return v.dead
}

func newWaiting() waiting {
	return waiting{new(atomic.Uint64), new(trips), new(sync.Mutex), &waitingState{verdicts: map[signals.ID]pending{}, reached: map[uint64]chan struct{}{}}}
}

// verdictOn returns where the verdict on a message arrives: on that one, which another with
// its id is not.
func (w *waiting) verdictOn(id signals.ID, m *nats.Msg) (<-chan verdict, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	switch {
	case w.state.err != nil:
		return nil, w.state.err
	case w.state.verdicts[id].verdict != nil:
		return nil, bus.ErrDuplicate
	}
	c := make(chan verdict, 1)
	w.state.verdicts[id] = pending{m, c}
	return c, nil
}

// deny tells those who wait for a message with a subject that the servers do not take it.
func (w *waiting) deny(subject string, why error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for id, p := range w.state.verdicts {
		if p.sent.Subject == subject {
			p.verdict <- verdict{lost: why}
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

// fed tells those who wait for a message of the stream, and for the verdicts on what is in
// it. advance records that the bus was fed with it.
func (w *waiting) fed(all []verdict, seq uint64, advance func()) {
	w.lock.Lock()
	defer w.lock.Unlock()
	advance()
	for _, v := range all {
		if p := w.state.verdicts[v.id]; p.verdict != nil && v.of != nil && v.of.says(p.sent) {
			p.verdict <- v
			delete(w.state.verdicts, v.id)
		}
	}
	if len(w.state.reached) == 0 {
		return
	}
	for at, c := range w.state.reached {
		if at <= seq {
			close(c)
			delete(w.state.reached, at)
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
		p.verdict <- verdict{lost: why}
	}
	for _, c := range w.state.reached {
		close(c)
	}
	clear(w.state.verdicts)
	clear(w.state.reached)
}

// trips are how long messages take until they are read back.
type trips struct{ mean atomic.Int64 }

// Between the least and the most patience a message is not sent again unless it takes four
// times as long as the mean.
const (
	leastPatience = 250 * time.Millisecond
	mostPatience  = 5 * time.Second
)

func (t *trips) patience() time.Duration {
	return max(leastPatience, min(4*time.Duration(t.mean.Load()), mostPatience))
}

// add takes one trip into the mean. Of two at once one may be missed.
func (t *trips) add(took time.Duration) {
	mean := t.mean.Load()
	t.mean.Store(mean + (int64(took)-mean)/8)
}
