package reporting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Conductor is notified of accepted escalations. It is called once for
// each, after it is in the log, by the goroutine that reports, without holding
// a lock and possibly concurrently. It should be quick: decide later with
// [Desk.Decide], or at once inside the call. An error is returned to the
// reporter ([Filed].ConductorErr); the escalation stays open in any case.
type Conductor func(ctx context.Context, r reports.Request) error

// Options of a desk. Nil and zero fields mean the defaults.
type Options struct {
	Gate reports.Options
	// Conductor is notified of escalations; nil: they only wait in [Desk.Open].
	Conductor Conductor
	// Watch are the windows of a watcher of what is filed, whose advisories follow the report behind
	// which it makes them. It says nothing while nobody reports, as [Desk.Watch] does. Nil: none.
	Watch *reports.WatchOptions
	// Log is an earlier log, in order and without gaps, that is longer than the history
	// of the bus, which must have been fed with it. Nil: the history is all there is.
	Log iter.Seq[signals.Any]
}

// A Desk takes reports and publishes what a gate accepts of them on a bus. All
// its methods may be called concurrently, and inside handlers of the bus and
// conductors. It starts no goroutine. Make one with [New].
type Desk struct {
	bus       *bus.Bus
	log       *bus.Layer
	conductor Conductor

	// mu protects the gate. To change the gate, the bus's lock must be held
	// too, and taken first, so that a decision made at the end of the log still
	// holds when it is committed. The bus is never called with mu held.
	mu      sync.Mutex
	gate    *reports.Gate
	read    uint64             // up to where the log is folded
	watcher *reports.Watcher   // nil: none
	advised []reports.Advisory // by the watcher, and not published yet
	own     []uint64           // sequence numbers behind it of what the desk has folded itself
}

// New returns a desk on b with the state of the bus's history, and of whatever the
// bus is fed with later. No one is notified of what is in them: undecided escalations
// are in [Desk.Open]. It reserves the kinds of reports: from then on the bus
// refuses them from agents. Its errors are those of [reports.NewGate] and
// [bus.Bus.Layer].
func New(b *bus.Bus, o *Options) (*Desk, error) {
	o = cmp.Or(o, new(Options))
	gate, err := reports.NewGate(&o.Gate)
	if err != nil {
		return nil, err
	}
	log, err := b.Layer("reports", reports.Kinds()...)
	if err != nil {
		return nil, fmt.Errorf("reporting: %w", err)
	}
	d := &Desk{bus: b, log: log, conductor: o.Conductor, gate: gate}
	if o.Watch != nil {
		if d.watcher, err = reports.NewWatcher(o.Watch); err != nil {
			return nil, err
		}
	}
	if o.Log != nil {
		for s := range o.Log {
			d.applyLocked(s)
			d.read = s.Head().Seq
		}
	}
	return d, nil
}

// catchUp folds what the bus was fed with.
func (d *Desk) catchUp() {
	last := d.bus.Last()
	d.mu.Lock()
	after := d.read
	d.mu.Unlock()
	if last <= after {
		return
	}
	fed := slices.Collect(d.bus.History(bus.Filter{Kinds: reports.Kinds(), After: after}))
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range fed {
		if seq := s.Head().Seq; seq > d.read && seq <= last && !slices.Contains(d.own, seq) {
			d.applyLocked(s)
		}
	}
	d.read = max(d.read, last)
	d.own = slices.DeleteFunc(d.own, func(seq uint64) bool { return seq <= d.read })
}

// applyLocked folds a signal of the log, and returns what there is to advise. The caller holds mu.
func (d *Desk) applyLocked(s signals.Any) []reports.Advisory {
	d.gate.Apply(s)
	if d.watcher == nil {
		return nil
	}
	return d.watcher.Watch(s)
}

// adviseNow publishes what the watcher has to advise; what the bus refuses waits for the next report.
func (d *Desk) adviseNow(ctx context.Context, thread string) {
	d.mu.Lock()
	all := d.advised
	d.advised = nil
	d.mu.Unlock()
	if err := d.Advise(ctx, thread, all...); err != nil {
		d.mu.Lock()
		d.advised = append(all, d.advised...)
		d.mu.Unlock()
	}
}

// Filed is the result of a report.
type Filed struct {
	reports.Receipt
	// ConductorErr is the error of notifying the conductor of an escalation, or nil.
	ConductorErr error
}

// A Worker is the handle through which one worker reports.
type Worker struct {
	desk *Desk
	self reports.Worker
}

// Worker returns the handle of a worker. The error is a [*signals.FieldError]
// for an invalid name.
func (d *Desk) Worker(w reports.Worker) (*Worker, error) {
	var l signals.Limits
	err := cmp.Or(l.Name("worker", w.ID), l.Name("task", cmp.Or(w.Task, "any")), l.Name("model", cmp.Or(w.Model, "any")))
	if err != nil {
		return nil, err
	}
	return &Worker{d, w}, nil
}

// Report files a report as JSON ([reports.Schema]). When it returns, all accepted and
// rejected parts are in the log, contiguously, and the conductor has been notified of an
// accepted escalation. For a report that was filed before it returns the same receipt
// again and changes nothing.
//
// The error is a [*reports.RefusedError] for an invalid report or one of
// another worker, which is recorded in the log, or else an error of publishing:
// then nothing is in the log, no one was notified, and the same report can be
// filed again.
func (w *Worker) Report(ctx context.Context, data []byte) (Filed, error) {
	return w.report(ctx, data, signals.ID{})
}

// report files a report, of a turn that is in the log or of none.
func (w *Worker) report(ctx context.Context, data []byte, turn signals.ID) (Filed, error) {
	d := w.desk
	var j reports.Judgement
	said, err := d.commit(ctx, func(now time.Time) ([]signals.Any, error) {
		j = d.gate.Judge(w.self, data, turn, now)
		return j.Signals, nil
	})
	if err != nil {
		return Filed{}, err
	}
	if len(said) == 0 {
		return Filed{Receipt: j.Receipt}, j.Err
	}
	defer d.adviseNow(ctx, w.self.Task)
	return Filed{reports.ReceiptOf(said...), d.notify(ctx, said)}, j.Err
}

// commit atomically publishes and folds the signals that decide returns, and returns
// them as they are in the log.
func (d *Desk) commit(ctx context.Context, decide func(now time.Time) ([]signals.Any, error)) (all []signals.Any, err error) {
	d.catchUp()
	err = d.log.Append(ctx, func(_ uint64, now time.Time) ([]signals.Any, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return decide(now)
	}, func(entries []signals.Any) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, s := range entries {
			d.advised = append(d.advised, d.applyLocked(s)...)
			d.own = append(d.own, s.Head().Seq)
		}
		all = entries
	})
	if err != nil {
		return nil, err // what is in the log later is folded then, and all is not read any more
	}
	return all, nil
}

// notify calls the conductor for escalations just accepted. It is the only
// place that does, and is never called for signals read from a log.
func (d *Desk) notify(ctx context.Context, accepted []signals.Any) (err error) {
	if d.conductor == nil {
		return nil
	}
	for _, s := range accepted {
		if request, known := d.Request(s.Head().ID); known {
			err = errors.Join(err, d.escalated(ctx, request))
		}
	}
	return err
}

// escalated calls the conductor and recovers from a panic.
func (d *Desk) escalated(ctx context.Context, r reports.Request) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("reporting: the conductor panicked: %v", v)
		}
	}()
	return d.conductor(ctx, r)
}

// Decide answers an escalation. The answer is in the log when it returns, as a
// signal for the worker. Repeating the same answer is not an error; its errors
// are those of [reports.Gate.Decide] and of publishing.
func (d *Desk) Decide(ctx context.Context, a reports.Decision) error {
	_, err := d.commit(ctx, func(now time.Time) ([]signals.Any, error) {
		s, err := d.gate.Decide(a, now)
		if s == nil || err != nil {
			return nil, err
		}
		return []signals.Any{s}, nil
	})
	return err
}

// Advise publishes the advisories of a watcher under the watcher's name. No one
// is notified.
func (d *Desk) Advise(ctx context.Context, thread string, all ...reports.Advisory) error {
	if len(all) == 0 {
		return nil
	}
	_, err := d.commit(ctx, func(time.Time) (said []signals.Any, _ error) {
		for _, a := range all {
			said = append(said, signals.New(signals.Header{Source: "watcher", Thread: thread, Confidence: 1, TTL: -1}, a))
		}
		return said, nil
	})
	return err
}

// Open returns the escalations that wait for a decision and have not expired, in
// log order.
func (d *Desk) Open() (open []reports.Request) {
	now := d.now()
	d.look(func(g *reports.Gate) { open = g.Open(now) })
	return open
}

// Request returns the escalation whose signal has that id, decided or not.
func (d *Desk) Request(id signals.ID) (r reports.Request, known bool) {
	d.look(func(g *reports.Gate) { r, known = g.Request(id) })
	return r, known
}

// Receipt returns the receipt of a turn's report, and whether the desk knows
// it.
func (d *Desk) Receipt(worker, turn string) (r reports.Receipt, known bool) {
	d.look(func(g *reports.Gate) { r, known = g.Receipt(worker, turn) })
	return r, known
}

// Counts returns the numbers of accepted and rejected parts, by worker and
// model.
func (d *Desk) Counts() (counts map[reports.Reporter]reports.Counts) {
	d.look(func(g *reports.Gate) { counts = g.Counts() })
	return counts
}

// look reads the state of the log.
func (d *Desk) look(f func(*reports.Gate)) {
	d.catchUp()
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d.gate)
}
