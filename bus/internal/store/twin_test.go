package store

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A twin is the simplest possible implementation of the log.
type twin struct {
	size      int
	all       []twinEntry // everything ever appended
	floor     int         // all before have left
	evictedTo uint64
	counts    counts
	lost      []loss
}

type twinEntry struct {
	signal signals.Any // as the log returns it
	due    int64
	gone   bool
}

// A loss is an entry that has left the history.
type loss struct {
	seq     uint64
	expired bool
}

func (w *twin) held() (out []int) {
	for w.floor < len(w.all) && w.all[w.floor].gone {
		w.floor++
	}
	for i := w.floor; i < len(w.all); i++ {
		if !w.all[i].gone {
			out = append(out, i)
		}
	}
	return out
}

func (w *twin) lose(i int, now int64) {
	e := &w.all[i]
	e.gone = true
	seq, expired := e.signal.Head().Seq, e.due < now
	w.lost = append(w.lost, loss{seq, expired})
	if expired {
		w.counts.Expired++
	} else {
		w.counts.Evicted++
		w.evictedTo = seq
	}
}

func (w *twin) evict(now int64) {
	if len(w.all)-w.floor <= w.size {
		return
	}
	for held := w.held(); len(held) > w.size || len(held) > 0 && len(w.all)-held[0] > 2*w.size+slack; held = held[1:] {
		w.lose(held[0], now)
	}
}

// expire removes what has expired of the entries from..to.
func (w *twin) expire(now int64, from, to int) {
	for _, i := range w.held() {
		if i >= from && i < to && w.all[i].due < now {
			w.lose(i, now)
		}
	}
}

func (w *twin) due(now int64) bool {
	return slices.ContainsFunc(w.held(), func(i int) bool { return w.all[i].due < now })
}

func (w *twin) find(id signals.ID) int {
	for _, i := range slices.Backward(w.held()) {
		if w.all[i].signal.Head().ID == id {
			return i
		}
	}
	return -1
}

// picks reports whether a filter selects an entry.
func (e *twinEntry) picks(f Filter) bool {
	switch h := e.signal.Head(); {
	case h.Seq <= f.After, h.Confidence < f.MinConfidence,
		f.Kinds != nil && !slices.Contains(f.Kinds, e.signal.Kind()),
		f.Threads != nil && !slices.Contains(f.Threads, h.Thread),
		f.Source != "" && h.Source != f.Source,
		!f.Since.IsZero() && h.Time.Before(f.Since),
		!f.Until.IsZero() && h.Time.After(f.Until),
		!f.ReplyTo.IsZero() && h.ReplyTo != f.ReplyTo:
		return false
	}
	return true
}

func (w *twin) pick(f Filter, now int64) (out []string) {
	for _, i := range w.held() {
		if e := &w.all[i]; e.due >= now && e.picks(f) {
			out = append(out, shown(e.signal))
		}
	}
	return out
}
