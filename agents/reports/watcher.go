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
	Window   time.Duration // in which failures and repetitions are counted; 0 means 10 minutes
	Failures int           // that are a spike, if they are at least half of the reports in the window; 0 means 5
	Repeats  int           // of the same by a worker on a task that are a storm; 0 means 5
	Silence  time.Duration // after which a worker whose task is running has stalled; 0 means 10 minutes
}

// A Watcher reads the log and points out what is unusual: see [Concern]. It is a
// fold with sliding windows, by the log's time, and says each thing once: again
// only after it was over. It has no clock, publishes nothing and tells nobody; what
// it says is for people and logs, and not for the conductor. It must not be used
// concurrently.
type Watcher struct {
	opts    WatchOptions
	now     time.Time
	reports []outcome // in the window, oldest first
	failed  int       // of them
	spiking bool
	repeats map[repeat]*streak
	full    int               // how many repeats there may be before old ones are dropped
	running map[job]time.Time // of the last sign of a worker whose task runs
	waiting map[job]bool      // blocked, until it is decided or goes on
	due     time.Time         // no worker stalls before
}

type outcome struct {
	at     time.Time
	worker string
	failed bool
}

// A repeat is a worker doing the same on a task.
type repeat struct {
	job
	kind signals.Kind
	text textHash
}

type job struct{ worker, task string }

// A streak is the newest times of the same, at most as many as a storm has.
type streak struct {
	times    []time.Time
	storming bool
}

// NewWatcher returns a watcher that has seen nothing. Its error is a
// [*signals.FieldError] about the options.
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

// Watch takes the next signal of the log and returns what there is to say. Only
// signals of reports count; any signal's time is the log's.
func (w *Watcher) Watch(s signals.Any) []Advisory {
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
	case Decided:
		for worker := range h.Recipients.All() {
			at := job{worker, h.Thread}
			if _, runs := w.running[at]; runs || w.waiting[at] {
				w.sign(at) // it waits no longer
			}
		}
	}
	return said
}

// At tells the watcher what time it is, when nothing happens in the log, and
// returns what there is to say of that. A time before the log's changes nothing.
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
		delete(w.running, at) // said once
		said = append(said, Advisory{
			Concern: Stall, Workers: List{at.worker}, Since: since,
			Text: fmt.Sprintf("%s has said nothing on %s for more than %v", at.worker, at.task, w.opts.Silence),
		})
	}
	return said
}

// sign notes that a worker is at it. Its silence ends after everybody else's.
func (w *Watcher) sign(at job) {
	delete(w.waiting, at)
	w.running[at] = w.now
}

func (w *Watcher) end(at job) {
	delete(w.waiting, at)
	delete(w.running, at)
}

// slide forgets what has left the window. What is exactly as old is in it.
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

// spike says that one has begun, and notes that one is over. Successes that leave
// the window can begin one, too.
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

// again counts the same report of a worker on a task.
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

// forget drops what was not repeated for longer than the window, whenever there
// is twice as much as was left the last time.
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
