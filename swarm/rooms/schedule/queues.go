package schedule

import (
	"errors"
	"fmt"
)

const (
	credits        = 3  // normal messages for each background one
	backgroundWait = 10 // a background message that waited longer becomes normal
	normalWait     = 20 // a normal message that waited longer becomes urgent
)

var (
	// ErrFull is returned for a message whose queue has no room.
	ErrFull = errors.New("schedule: the queue is full")
	// ErrOrder is returned for a message that did not arrive after all others, and
	// for a pick that the queues would not make.
	ErrOrder = errors.New("schedule: out of order")
)

// A Message waits for an agent.
type Message struct {
	ID       uint64   // its place in the order of arrival, such as a position in a log
	Priority Priority // as stated; see [Pick].Level
}

// A path is the way of messages into a queue: the priority with which they arrived, and
// their level by now.
type path uint8

const (
	urgent path = iota
	normalToUrgent
	backgroundToUrgent
	normal
	backgroundToNormal
	background
	paths
)

// Queues are the messages that wait for one agent, its credits, and the number of
// turns that it has finished. The zero value is empty and has 3 credits. It is not
// safe for concurrent use.
type Queues struct {
	fifos [paths]fifo // a queue is the fifos of its level, merged by arrival
	spent uint8       // credits
	turns uint64
	last  uint64 // the newest message
}

// Len returns the number of messages that wait at a level by now.
func (q *Queues) Len(p Priority) (n int) {
	for _, at := range pathsAt[p] {
		n += q.fifos[at].len()
	}
	return n
}

// Total returns the number of messages that wait.
func (q *Queues) Total() int { return q.Len(Urgent) + q.Len(Normal) + q.Len(Background) }

// Credits returns the credits left, 0 to 3.
func (q *Queues) Credits() int { return credits - int(q.spent) }

// Turns returns the number of finished turns.
func (q *Queues) Turns() uint64 { return q.turns }

// Put adds a message to the queue of its priority. It returns [ErrFull] if that
// queue has room messages or more, which includes those that were promoted to it;
// promotions themselves are never refused, so an agent holds at most three times
// room. It returns [ErrOrder] unless m.ID is greater than all before.
func (q *Queues) Put(m Message, room int) error {
	if err := m.Priority.Check(); err != nil {
		return err
	}
	if m.ID <= q.last {
		return fmt.Errorf("%w: message %d after %d", ErrOrder, m.ID, q.last)
	}
	if n := q.Len(m.Priority); n >= room {
		return fmt.Errorf("%w: %d %s messages wait", ErrFull, n, m.Priority)
	}
	q.last = m.ID
	q.fifos[arrives[m.Priority]].push(entry{m.ID, q.turns})
	return nil
}

// Pick returns the message that is next, and whether there is one. It changes
// nothing: the message waits until [Queues.Finish].
func (q *Queues) Pick() (Pick, bool) {
	if p, ok := q.oldest(Urgent, UrgentFirst); ok {
		return p, true
	}
	first, second := Normal, Background
	why, otherwise := CreditLeft, NoNormal
	if q.Credits() == 0 {
		first, second = Background, Normal
		why, otherwise = BackgroundDue, NoBackground
	}
	if p, ok := q.oldest(first, why); ok {
		return p, true
	}
	return q.oldest(second, otherwise)
}

// oldest returns the pick of the oldest message at a level.
func (q *Queues) oldest(level Priority, why Reason) (p Pick, ok bool) {
	for _, at := range pathsAt[level] {
		if e, some := q.fifos[at].first(); some && (!ok || e.id < p.Message.ID) {
			p, ok = Pick{Message{e.id, stated[at]}, level, why, q.Credits(), q.turns - e.since, at}, true
		}
	}
	return p, ok
}

// A Promotion is a message that moved to a more urgent queue.
type Promotion struct {
	Message Message
	To      Priority
}

// Finish ends the agent's turn for a pick: its message leaves the queue, the pick is
// paid for, and messages that have waited too long are promoted, which it appends to
// dst. A zero pick is a turn for no message. Messages may have arrived since the
// pick, but a pick of another turn is [ErrOrder] and changes nothing.
func (q *Queues) Finish(p Pick, dst []Promotion) ([]Promotion, error) {
	if p.Message.ID != 0 {
		if e, ok := q.fifos[p.at].first(); !ok || e.id != p.Message.ID {
			return dst, fmt.Errorf("%w: message %d is not at the head of its queue", ErrOrder, p.Message.ID)
		}
		q.fifos[p.at].pop()
		q.pay(p.Why)
	}
	q.turns++
	dst = q.age(normal, normalToUrgent, normalWait, dst)
	dst = q.age(backgroundToNormal, backgroundToUrgent, normalWait, dst)
	return q.age(background, backgroundToNormal, backgroundWait, dst), nil
}

func (q *Queues) pay(why Reason) {
	switch why {
	case CreditLeft:
		q.spent++
	case BackgroundDue:
		q.spent = 0
	case UrgentFirst, NoNormal, NoBackground:
	}
}

// age moves the messages that have waited for more than wait turns.
func (q *Queues) age(from, to path, wait uint64, dst []Promotion) []Promotion {
	for {
		e, ok := q.fifos[from].first()
		if !ok || q.turns-e.since <= wait {
			return dst
		}
		q.fifos[from].pop()
		q.fifos[to].push(entry{e.id, q.turns})
		dst = append(dst, Promotion{Message{e.id, stated[from]}, level[to]})
	}
}

var (
	pathsAt = [Background + 1][]path{
		Urgent: {urgent, normalToUrgent, backgroundToUrgent}, Normal: {normal, backgroundToNormal}, Background: {background},
	}
	arrives = [Background + 1]path{Urgent: urgent, Normal: normal, Background: background}
	stated  = [paths]Priority{Urgent, Normal, Background, Normal, Background, Background}
	level   = [paths]Priority{Urgent, Urgent, Urgent, Normal, Normal, Background}
)
