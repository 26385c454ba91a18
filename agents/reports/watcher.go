package reports

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// WatchOptions are the windows of a [Watcher]. Nil and zero fields mean the
// defaults.
type WatchOptions struct {
	Window   time.Duration // within which failures, repetitions and rejections are counted; 0 means 10 minutes
	Failures int           // number of failures that is a spike, if they are at least half of the reports in the window; 0 means 5
	Repeats  int           // number of repetitions by a worker on a task that is a storm; 0 means 5
	Trend    int           // number of turns, or items, that the window and the one before it need for a trend; 0 means 20
	Silence  time.Duration // time after which a worker with a running task counts as stalled; 0 means 10 minutes
}

// A Watcher reads the log and reports anomalies: see [Concern]. It is a fold with
// sliding windows, by the log's time, and reports an anomaly once, and again only
// after it has ended. It has no clock, publishes nothing and notifies no one; its
// advisories are for people and logs, not for the conductor. It is not safe for
// concurrent use.
type Watcher struct {
	opts    WatchOptions
	now     time.Time
	turns   shares // bad ones failed
	items   shares // bad ones were rejected
	spiking bool
	fresh   bool // the report that is being read has something new
	repeats map[repeat]*streak
	full    int               // number of repeats at which old ones are dropped
	running map[job]time.Time // time of the last sign of a worker with a running task
	waiting map[job]bool      // blocked, until decided or continued
	due     time.Time         // no worker stalls before
}

// A repeat identifies a repeated report of a worker on a task.
type repeat struct {
	job
	kind signals.Kind
	text string // normalized
}

type job struct{ worker, task string }

// A streak holds the newest times of a repeat, at most as many as make a storm.
type streak struct {
	times    []time.Time
	storming bool
}

// NewWatcher returns a new watcher. Its error is a [*signals.FieldError] for
// invalid options.
func NewWatcher(o *WatchOptions) (*Watcher, error) {
	w := &Watcher{repeats: map[repeat]*streak{}, running: map[job]time.Time{}, waiting: map[job]bool{}}
	if o != nil {
		w.opts = *o
	}
	orDefault(&w.opts.Window, 10*time.Minute)
	orDefault(&w.opts.Silence, 10*time.Minute)
	orDefault(&w.opts.Failures, 5)
	orDefault(&w.opts.Repeats, 5)
	orDefault(&w.opts.Trend, 20)
	if o := w.opts; min(o.Window, o.Silence) < 0 || min(o.Failures, o.Repeats, o.Trend) < 0 {
		return nil, problem("watchOptions", fmt.Sprint(o), "negative")
	}
	w.turns.window, w.items.window = w.opts.Window, w.opts.Window
	return w, nil
}

// Watch takes the next signal of the log and returns new advisories. Only
// signals of reports are watched, but any signal advances the log's time.
func (w *Watcher) Watch(s signals.Any) []Advisory {
	s = Typed(s)
	h := s.Head()
	said := w.At(h.Time)
	at := job{h.Source, h.Thread}
	switch p := s.Body().(type) {
	case Received:
		w.fresh = p.News > 0
	case Progress:
		w.sign(at)
		return slices.Concat(said, w.turn(at, false), w.again(at, s.Kind(), p.Summary))
	case Completion:
		w.end(at)
		return append(said, w.turn(at, false)...)
	case Failure:
		w.end(at)
		return slices.Concat(said, w.turn(at, true), w.again(at, s.Kind(), p.Summary))
	case Block:
		w.end(at)
		w.waiting[at] = true
		return slices.Concat(said, w.turn(at, false), w.again(at, s.Kind(), p.Summary))
	case Rejected:
		said = append(said, w.item(at, true)...)
		if p.Part != PartReport {
			break
		}
		if _, runs := w.running[at]; runs {
			w.sign(at)
		}
		return append(said, w.again(at, s.Kind(), p.Detail)...)
	case item:
		return append(said, w.item(at, false)...)
	case Decided:
		for worker := range h.Recipients.All() {
			at := job{worker, h.Thread}
			if _, runs := w.running[at]; runs || w.waiting[at] {
				w.sign(at) // it no longer waits
			}
		}
	}
	return said
}

// At advances the watcher's time while the log is idle, and returns new
// advisories. A time before the log's changes nothing.
func (w *Watcher) At(now time.Time) (said []Advisory) {
	if !now.After(w.now) {
		return nil
	}
	w.now = now
	w.turns.slide(now)
	w.items.slide(now)
	said = append(w.failing(), w.rejecting()...)
	if !now.After(w.due) {
		return said
	}
	w.due = now.Add(w.opts.Silence)
	for _, at := range slices.SortedFunc(maps.Keys(w.running), compareJobs) {
		since := w.running[at]
		if due := since.Add(w.opts.Silence); !now.After(due) {
			if due.Before(w.due) {
				w.due = due
			}
			continue
		}
		delete(w.running, at) // reported once
		said = append(said, Advisory{
			Concern: Stall, Workers: List{at.worker}, Since: since,
			Text: fmt.Sprintf("%s has said nothing on %s for more than %v", at.worker, at.task, w.opts.Silence),
		})
	}
	return said
}

// Due returns the time at which At may have something to say if the log stays idle
// until then; zero: never.
func (w *Watcher) Due() (due time.Time) {
	if len(w.running) > 0 {
		due = w.due
	}
	for _, leaves := range []time.Time{w.turns.due(), w.items.due()} {
		if due.IsZero() || !leaves.IsZero() && leaves.Before(due) {
			due = leaves
		}
	}
	if !due.IsZero() {
		due = due.Add(1) // bounds are inclusive
	}
	return due
}

// sign records a sign of life of a worker. Its silence limit is now the latest
// of all.
func (w *Watcher) sign(at job) {
	delete(w.waiting, at)
	w.running[at] = w.now
}

func (w *Watcher) end(at job) {
	delete(w.waiting, at)
	delete(w.running, at)
}

func (w *Watcher) old(t time.Time) bool { return w.now.After(t.Add(w.opts.Window)) }

func (w *Watcher) turn(at job, failed bool) []Advisory {
	w.turns.add(sample{w.now, at.worker, failed})
	return w.failing()
}

func (w *Watcher) item(at job, rejected bool) []Advisory {
	w.items.add(sample{w.now, at.worker, rejected})
	return w.rejecting()
}

func (w *Watcher) rejecting() []Advisory {
	return w.items.trend("more of the items are rejected", w.opts.Trend)
}

// failing reports the beginning of a spike, or of a trend, and records its end.
// Successes that leave the window can begin one, too.
func (w *Watcher) failing() []Advisory {
	before := w.spiking
	n, failed := w.turns.current()
	w.spiking = failed >= w.opts.Failures && 2*failed >= n
	said := w.turns.trend("more of the turns fail", w.opts.Trend)
	if before || !w.spiking {
		return said
	}
	who, since := w.turns.workers()
	return append(said, Advisory{
		Concern: FailureSpike, Workers: who, Since: since, Count: failed,
		Text: fmt.Sprintf("%d of %d turns failed within %v", failed, n, w.opts.Window),
	})
}

// again counts repetitions of a report of a worker on a task. A report with something
// new is none, whatever its summary.
func (w *Watcher) again(at job, kind signals.Kind, summary string) []Advisory {
	key := repeat{at, kind, normal(summary)}
	if w.fresh {
		w.fresh = false
		delete(w.repeats, key)
		return nil
	}
	s := w.repeats[key]
	if s == nil {
		w.forget()
		s = new(streak)
		w.repeats[key] = s
	}
	s.times = append(s.times, w.now)
	if more := len(s.times) - w.opts.Repeats; more > 0 {
		s.times = slices.Delete(s.times, 0, more)
	}
	before := s.storming
	s.storming = len(s.times) == w.opts.Repeats && !w.old(s.times[0])
	if before || !s.storming {
		return nil
	}
	return []Advisory{{
		Concern: RetryStorm, Workers: List{at.worker}, Since: s.times[0], Count: len(s.times),
		Text: fmt.Sprintf("%s said the same on %s %d times within %v: %s", at.worker, at.task, len(s.times), w.opts.Window, clip(summary)),
	}}
}

// forget drops what was not repeated within the window, whenever there is twice
// as much as was left the last time.
func (w *Watcher) forget() {
	if len(w.repeats) < w.full {
		return
	}
	maps.DeleteFunc(w.repeats, func(_ repeat, s *streak) bool { return w.old(s.times[len(s.times)-1]) })
	w.full = max(256, 2*len(w.repeats))
}

func compareJobs(a, b job) int {
	return slices.Compare([]string{a.worker, a.task}, []string{b.worker, b.task})
}
