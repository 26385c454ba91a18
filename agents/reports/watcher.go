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
	Window   time.Duration // within which failures and repetitions are counted; 0 means 10 minutes
	Failures int           // number of failures that is a spike, if they are at least half of the reports in the window; 0 means 5
	Repeats  int           // number of repetitions by a worker on a task that is a storm; 0 means 5
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
	reports []outcome // in the window, oldest first
	failed  int       // number of failed ones
	spiking bool
	repeats map[repeat]*streak
	full    int               // number of repeats at which old ones are dropped
	running map[job]time.Time // time of the last sign of a worker with a running task
	waiting map[job]bool      // blocked, until decided or continued
	due     time.Time         // no worker stalls before
}

type outcome struct {
	at     time.Time
	worker string
	failed bool
}

// A repeat identifies a repeated report of a worker on a task.
type repeat struct {
	job
	kind signals.Kind
	text textHash
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
	for _, d := range []*time.Duration{&w.opts.Window, &w.opts.Silence} {
		if *d == 0 {
			*d = 10 * time.Minute
		}
	}
	for _, n := range []*int{&w.opts.Failures, &w.opts.Repeats} {
		if *n == 0 {
			*n = 5
		}
	}
	if o := w.opts; o.Window < 0 || o.Silence < 0 || o.Failures < 0 || o.Repeats < 0 {
		return nil, problem("watchOptions", fmt.Sprint(o), "negative")
	}
	return w, nil
}

// Watch takes the next signal of the log and returns new advisories. Only
// signals of reports are watched, but any signal advances the log's time.
func (w *Watcher) Watch(s signals.Any) []Advisory {
	s = Typed(s)
	h := signals.HeadOf(s)
	said := w.At(h.Time)
	at := job{h.Source, h.Thread}
	switch p := s.Body().(type) {
	case Progress:
		w.sign(at)
		return slices.Concat(said, w.outcome(at, false), w.again(at, s.Kind(), p.Summary))
	case Completion:
		w.end(at)
		return append(said, w.outcome(at, false)...)
	case Failure:
		w.end(at)
		return slices.Concat(said, w.outcome(at, true), w.again(at, s.Kind(), p.Summary))
	case Block:
		w.end(at)
		w.waiting[at] = true
		return slices.Concat(said, w.outcome(at, false), w.again(at, s.Kind(), p.Summary))
	case Rejected:
		if p.Part != PartReport {
			break
		}
		if _, runs := w.running[at]; runs {
			w.sign(at)
		}
		return append(said, w.again(at, s.Kind(), p.Detail)...)
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
	w.slide()
	said = w.spike()
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
	if len(w.reports) > 0 {
		if leaves := w.reports[0].at.Add(w.opts.Window); due.IsZero() || leaves.Before(due) {
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

// slide drops what has left the window, which includes its bound.
func (w *Watcher) slide() {
	gone := 0
	for gone < len(w.reports) && w.old(w.reports[gone].at) {
		if w.reports[gone].failed {
			w.failed--
		}
		gone++
	}
	w.reports = w.reports[gone:]
}

func (w *Watcher) old(t time.Time) bool { return w.now.After(t.Add(w.opts.Window)) }

func (w *Watcher) isSpike() bool { return w.failed >= w.opts.Failures && 2*w.failed >= len(w.reports) }

func (w *Watcher) outcome(at job, failed bool) []Advisory {
	w.reports = append(w.reports, outcome{w.now, at.worker, failed})
	if failed {
		w.failed++
	}
	return w.spike()
}

// spike reports the beginning of a spike, and records its end. Successes that
// leave the window can begin one, too.
func (w *Watcher) spike() []Advisory {
	before := w.spiking
	w.spiking = w.isSpike()
	if before || !w.spiking {
		return nil
	}
	who, since := map[string]bool{}, time.Time{}
	for _, o := range w.reports {
		if !o.failed {
			continue
		}
		if since.IsZero() {
			since = o.at
		}
		who[o.worker] = true
	}
	return []Advisory{{
		Concern: FailureSpike, Workers: slices.Sorted(maps.Keys(who)), Since: since, Count: w.failed,
		Text: fmt.Sprintf("%d of %d turns failed within %v", w.failed, len(w.reports), w.opts.Window),
	}}
}

// again counts repetitions of a report of a worker on a task.
func (w *Watcher) again(at job, kind signals.Kind, summary string) []Advisory {
	key := repeat{at, kind, hashOf(summary)}
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
