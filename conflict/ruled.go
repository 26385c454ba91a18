package conflict

import (
	"maps"
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// ruled holds the open conflicts that rules found, from their signals in the log: the
// fold has not found them itself, and knows only the signals of their sides.
type ruled struct {
	threads  map[string][]ruling
	open     int
	firstDue int64 // of the first of them to expire, or earlier
}

type ruling struct {
	pair Pair
	due  int64
}

func newRuled() ruled { return ruled{threads: map[string][]ruling{}, firstDue: math.MaxInt64} }

// add records the conflict of a signal, unless its thread has too many.
func (r *ruled) add(s *signals.Signal[signals.Conflict], most int) []Pair {
	p := Pair{Thread: s.Thread, A: Proposal{Signal: s.Payload.SignalA}, B: Proposal{Signal: s.Payload.SignalB}, DetectedAt: s.Time}
	all := r.threads[s.Thread]
	if len(all) >= most || r.of(s.Thread, p.A.Signal, p.B.Signal) >= 0 {
		return nil
	}
	due := dueOf(&s.Header)
	r.threads[s.Thread] = append(all, ruling{p, due})
	r.open, r.firstDue = r.open+1, min(r.firstDue, due)
	return []Pair{p}
}

// of returns the index of the conflict of two signals, in either order, or -1.
func (r *ruled) of(thread string, x, y signals.ID) int {
	return slices.IndexFunc(r.threads[thread], func(c ruling) bool {
		a, b := c.pair.A.Signal, c.pair.B.Signal
		return a == x && b == y || a == y && b == x
	})
}

// end ends the conflicts of a thread for which over returns true.
func (r *ruled) end(thread string, over func(ruling) bool) (ended []Pair) {
	r.threads[thread] = slices.DeleteFunc(r.threads[thread], func(c ruling) bool {
		if over(c) {
			ended = append(ended, c.pair)
		}
		return over(c)
	})
	r.open -= len(ended)
	if len(r.threads[thread]) == 0 {
		delete(r.threads, thread)
	}
	return ended
}

// expire ends the conflicts of which a side has expired.
func (r *ruled) expire(now int64) (ended []Pair) {
	if r.firstDue >= now {
		return nil
	}
	r.firstDue = math.MaxInt64
	for _, thread := range slices.Sorted(maps.Keys(r.threads)) {
		ended = append(ended, r.end(thread, func(c ruling) bool { return c.due < now })...)
		for _, c := range r.threads[thread] {
			r.firstDue = min(r.firstDue, c.due)
		}
	}
	return ended
}

// settle ends the conflicts that a resolution or a consensus settles.
func (r *ruled) settle(s signals.Any) []Pair {
	switch s := s.(type) {
	case *signals.Signal[Resolution]:
		if i := r.of(s.Thread, s.Payload.SignalA, s.Payload.SignalB); i >= 0 {
			named := r.threads[s.Thread][i].pair
			return r.end(s.Thread, func(c ruling) bool { return c.pair == named })
		}
	case *signals.Signal[signals.Consensus]:
		return r.end(s.Thread, func(ruling) bool { return true })
	}
	return nil
}
