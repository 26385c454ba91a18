package natsbus

import (
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
)

// An outbox has what this process publishes. While fewer than wide messages are on their
// way, each is sent alone. What is published meanwhile waits, and is sent together in an
// envelope: servers and clients work for each message, more than for its bytes.
type outbox struct {
	mu     sync.Mutex // protects the fields below
	flying int        // messages on their way
	queue  []*letter
	alone  bool // no envelopes
}

const (
	wide      = 8
	most      = 32        // messages in an envelope
	mostBytes = 256 << 10 // of messages together; those with more than a sixteenth are sent alone
)

// A letter is a message that is to be sent.
type letter struct {
	*nats.Msg
	size    int
	signals int
	of      *flight // nil: it waits
}

// A flight is a letter or an envelope on its way.
type flight struct{ landed bool }

// add returns the letters that can be sent now, together: this one, or those that wait, of
// which this is one then.
func (o *outbox) add(p *letter) []*letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.alone || p.size > mostBytes/16 || p.signals > maxEnvelope || o.flying < wide && len(o.queue) == 0 {
		p.of = new(flight)
		o.flying++
		return []*letter{p}
	}
	o.queue = append(o.queue, p)
	return o.nextLocked()
}

// land notes that the verdict on a letter has arrived, or is not waited for any more, and
// returns the letters that can be sent.
func (o *outbox) land(p *letter) []*letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.of == nil {
		o.queue = slices.DeleteFunc(o.queue, func(q *letter) bool { return q == p })
	} else if !p.of.landed {
		p.of.landed = true
		o.flying--
	}
	return o.nextLocked()
}

// nextLocked returns the first letters that wait, if they can be sent now: those of the
// first one's thread, so that servers can filter by threads.
func (o *outbox) nextLocked() (next []*letter) {
	if o.flying >= wide || len(o.queue) == 0 {
		return nil
	}
	f, size, signals, thread := new(flight), 0, 0, o.queue[0].thread()
	rest := o.queue[:0]
	for i, p := range o.queue {
		if len(next) == most || size > mostBytes {
			rest = append(rest, o.queue[i:]...)
			break
		}
		if p.thread() != thread || signals+p.signals > maxEnvelope {
			rest = append(rest, p)
			continue
		}
		p.of, size, signals, next = f, size+p.size, signals+p.signals, append(next, p)
	}
	clear(o.queue[len(rest):])
	o.queue = rest
	o.flying++
	return next
}

// separate ends the sending of envelopes.
func (o *outbox) separate() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.alone = true
}
