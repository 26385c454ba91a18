package schedule

import "container/heap"

// byUrgency is the number of choices by urgency between two by waiting.
const byUrgency = 3

// A Seat is the place of a participant, such as an agent or a room, in a [Rota].
type Seat[T any] struct {
	Who T
	// Served is when it was chosen last, or came, on a count that differs between seats and
	// grows with each choice. It must not be modified while the seat waits.
	Served uint64

	level Priority // of its next message; 0: it does not wait
	at    int      // its index in the heap of the level
}

// A Rota chooses the seat with the next turn. The zero value has made no choice and has no
// waiting seats. A choice takes constant time, and adding or removing a waiting seat takes
// time logarithmic in their number. It is not safe for concurrent use.
type Rota[T any] struct {
	run     uint8
	waiting [Background + 1]line[T] // by the level of the next message
}

// Wait makes a seat wait with the priority of its next message, also if it waits already;
// 0: it waits no longer. A seat waits in one rota at a time.
func (r *Rota[T]) Wait(s *Seat[T], level Priority) {
	if s.level == level {
		return
	}
	if s.level != 0 {
		heap.Remove(&r.waiting[s.level], s.at)
	}
	if s.level = level; level != 0 {
		heap.Push(&r.waiting[level], s)
	}
}

// Level returns the most urgent priority that a seat waits with, 0 if none waits.
func (r *Rota[T]) Level() Priority {
	for level := Urgent; level <= Background; level++ {
		if len(r.waiting[level]) > 0 {
			return level
		}
	}
	return 0
}

// Next returns the seat with the next turn, and whether it was chosen because it has waited
// longest; nil if none waits. Three times Next returns the seat with the most urgent
// message, and of several the one that has waited longest. Every fourth time it returns the
// seat that has waited longest, regardless of its message.
func (r *Rota[T]) Next() (next *Seat[T], longest bool) {
	longest = r.run >= byUrgency
	for _, l := range r.waiting {
		if len(l) > 0 && (next == nil || longest && l[0].Served < next.Served) {
			next = l[0]
		}
	}
	return next, longest
}

// Chosen counts a choice of [Rota.Next], once the turn begins. The seat waits no longer and
// was served at the given count.
func (r *Rota[T]) Chosen(s *Seat[T], served uint64) {
	r.Wait(s, 0)
	s.Served = served
	r.run = (r.run + 1) % (byUrgency + 1)
}

// A line is a heap of the seats that wait at one level, the one served longest ago first.
type line[T any] []*Seat[T]

func (l line[T]) Len() int           { return len(l) }
func (l line[T]) Less(i, j int) bool { return l[i].Served < l[j].Served }
func (l line[T]) Swap(i, j int)      { l[i], l[j] = l[j], l[i]; l[i].at, l[j].at = i, j }

// Push implements [heap.Interface].
func (l *line[T]) Push(s any) {
	seat := s.(*Seat[T])
	seat.at = len(*l)
	*l = append(*l, seat)
}

// Pop implements [heap.Interface].
func (l *line[T]) Pop() any {
	last := len(*l) - 1
	s := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return s
}
