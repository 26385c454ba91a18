package reports

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
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
//
// It keeps the turns and items of two windows, and counts them when one is added or
// leaves a window.
type Watcher struct {
	opts  WatchOptions
	now   time.Time
	due   time.Time         // nothing changes before, unless the log grows; zero: never
	kept  []*event          // of this window and the one before it, oldest first
	holds map[string]bool   // anomalies that were reported and have not ended
	fresh bool              // the report that is being read has something new
	alive map[job]time.Time // last sign of a worker on a running task; zero: blocked until decided
}

type job struct{ worker, task string }

// An event is a turn or an item of a report.
type event struct {
	at    time.Time
	job   job
	of    string // turns or items
	bad   bool   // failed or rejected
	fresh bool   // of a report with something new
	says  string // with worker, task and kind, for comparison; "": it cannot repeat
}

const (
	turns = "more of the turns fail"
	items = "more of the items are rejected"
)

// NewWatcher returns a new watcher. Its error is a [*signals.FieldError] for
// invalid options.
func NewWatcher(o *WatchOptions) (*Watcher, error) {
	w := &Watcher{opts: *cmp.Or(o, new(WatchOptions)), holds: map[string]bool{}, alive: map[job]time.Time{}}
	w.opts.Window, w.opts.Silence = cmp.Or(w.opts.Window, 10*time.Minute), cmp.Or(w.opts.Silence, 10*time.Minute)
	w.opts.Failures, w.opts.Repeats, w.opts.Trend = cmp.Or(w.opts.Failures, 5), cmp.Or(w.opts.Repeats, 5), cmp.Or(w.opts.Trend, 20)
	if o := w.opts; min(o.Window, o.Silence) < 0 || min(o.Failures, o.Repeats, o.Trend) < 0 {
		return nil, problem("watchOptions", fmt.Sprint(o), "negative")
	}
	return w, nil
}

// Watch takes the next signal of the log and returns new advisories. Only
// signals of reports are watched, but any signal advances the log's time.
func (w *Watcher) Watch(s signals.Any) []Advisory {
	s = Typed(s)
	h, text := s.Head(), ""
	said := w.At(h.Time)
	e := &event{at: w.now, job: job{h.Source, h.Thread}, of: turns}
	switch p := s.Body().(type) {
	case Received:
		w.fresh = p.News > 0
		return said
	case Decided:
		for worker := range h.Recipients.All() {
			at := job{worker, h.Thread}
			if _, runs := w.alive[at]; runs {
				w.alive[at] = w.now // it no longer waits
			}
		}
		return append(said, w.look()...)
	case Progress:
		w.alive[e.job], text = w.now, p.Summary
	case Completion:
		delete(w.alive, e.job)
	case Failure:
		delete(w.alive, e.job)
		text, e.bad = p.Summary, true
	case Block:
		w.alive[e.job], text = time.Time{}, p.Summary
	case Rejected:
		e.of, e.bad = items, true
		if p.Part == PartReport {
			text = p.Detail
		}
		if text != "" && !w.alive[e.job].IsZero() {
			w.alive[e.job] = w.now
		}
	case item:
		e.of = items
	default:
		return said
	}
	if text != "" {
		e.says = fmt.Sprintf("%q %q %s %s", e.job.worker, e.job.task, s.Kind(), normal(text))
	}
	e.fresh, w.fresh = w.fresh, false
	w.kept = append(w.kept, e)
	return slices.Concat(said, w.look(), w.storm(e, text))
}

// At advances the watcher's time while the log is idle, and returns new
// advisories. A time before the log's changes nothing.
func (w *Watcher) At(now time.Time) []Advisory {
	w.now = later(w.now, now)
	if w.due.IsZero() || w.now.Before(w.due) {
		return nil
	}
	return w.look()
}

// Due returns the time at which At may have something to say if the log stays idle
// until then; zero: never.
func (w *Watcher) Due() time.Time { return w.due }

// look returns what has begun, and sets when to look again.
func (w *Watcher) look() []Advisory {
	before, now := w.windows()
	w.kept, w.due = w.kept[len(w.kept)-len(before)-len(now):], time.Time{}
	if len(now) > 0 {
		w.lookAfter(now[0].at.Add(w.opts.Window))
		w.lookAfter(w.kept[0].at.Add(2 * w.opts.Window))
	}
	return slices.Concat(w.shares(turns, before, now), w.shares(items, before, now), w.stalls())
}

// windows returns the events of the window before this one, and of this one.
func (w *Watcher) windows() (before, now []*event) {
	since := func(n time.Duration) int {
		bound := w.now.Add(-n * w.opts.Window)
		return sort.Search(len(w.kept), func(i int) bool { return !w.kept[i].at.Before(bound) })
	}
	return w.kept[since(2):since(1)], w.kept[since(1):]
}

// lookAfter has the watcher look again when the time has passed: bounds are inclusive.
func (w *Watcher) lookAfter(t time.Time) {
	if t = t.Add(1); w.due.IsZero() || t.Before(w.due) {
		w.due = t
	}
}

// begins reports whether something holds that did not before.
func (w *Watcher) begins(what string, holds bool) bool {
	before := w.holds[what]
	if delete(w.holds, what); holds {
		w.holds[what] = true
	}
	return holds && !before
}

// shares reports that many turns fail, and a trend: that the share of bad events is
// larger than in the window before, by three standard errors, which is a coincidence
// once in 700 windows, with at least so many events in each. Events that leave a window
// can begin either.
func (w *Watcher) shares(of string, before, now []*event) (said []Advisory) {
	was, wasBad := count(before, of)
	is, bad := count(now, of)
	w0, n := float64(len(wasBad)), float64(len(bad))
	p, q, all := n/is, w0/was, (n+w0)/(is+was)
	if w.begins(of, min(is, was) >= float64(w.opts.Trend) && p-q > 3*math.Sqrt(all*(1-all)*(1/is+1/was))) {
		said = append(said, advise(Trend, bad, "%s: %.0f%% within %v, %.0f%% in the %[3]v before", of, 100*p, w.opts.Window, 100*q))
	}
	if of == turns && w.begins("spike", len(bad) >= w.opts.Failures && 2*n >= is) {
		said = append(said, advise(FailureSpike, bad, "%d of %v turns failed within %v", len(bad), is, w.opts.Window))
	}
	return said
}

// count returns the number of turns, or items, and the bad ones.
func count(all []*event, of string) (n float64, bad []*event) {
	for _, e := range all {
		if e.of == of {
			if n++; e.bad {
				bad = append(bad, e)
			}
		}
	}
	return n, bad
}

// storm reports that a worker says the same on a task too often. A report with
// something new repeats nothing, whatever its summary.
func (w *Watcher) storm(e *event, text string) []Advisory {
	var same []*event
	_, now := w.windows()
	for _, o := range now {
		if o.says == e.says {
			if same = append(same, o); o.fresh {
				same = nil
			}
		}
	}
	if e.says == "" || !w.begins(e.says, len(same) >= w.opts.Repeats) {
		return nil
	}
	const what = "%s said the same on %s %d times within %v: %s"
	return []Advisory{advise(RetryStorm, same, what, e.job.worker, e.job.task, len(same), w.opts.Window, clip(text))}
}

// stalls reports workers with a running task that have gone silent.
func (w *Watcher) stalls() (said []Advisory) {
	for at, since := range w.alive {
		switch limit := since.Add(w.opts.Silence); {
		case since.IsZero():
		case !w.now.After(limit):
			w.lookAfter(limit)
		default:
			delete(w.alive, at) // reported once
			text := fmt.Sprintf("%s has said nothing on %s for more than %v", at.worker, at.task, w.opts.Silence)
			said = append(said, Advisory{Concern: Stall, Workers: List{at.worker}, Since: since, Text: text})
		}
	}
	slices.SortFunc(said, func(a, b Advisory) int {
		return cmp.Or(slices.Compare(a.Workers, b.Workers), cmp.Compare(a.Text, b.Text))
	})
	return said
}

// advise counts events, in log order, and names their workers.
func advise(c Concern, of []*event, format string, args ...any) Advisory {
	workers := map[string]bool{}
	for _, e := range of {
		workers[e.job.worker] = true
	}
	return Advisory{c, slices.Sorted(maps.Keys(workers)), of[0].at, len(of), fmt.Sprintf(format, args...)}
}
