package reporting

import (
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Watch runs a [reports.Watcher] on the desk's bus until ctx ends or the bus is closed,
// and publishes its advisories in a thread, as [Desk.Advise] does. It reads the bus's
// history first; what that has been advised of is not said again, so a watcher may be
// run after a restart. The time is the bus's: windows slide with it while the log is
// idle, too, if it goes at the pace of the machine's, and otherwise with each signal.
//
// Its errors are that of [reports.NewWatcher], those of the bus, and the cause of ctx's
// end. It calls no conductor.
func (d *Desk) Watch(ctx context.Context, thread string, o *reports.WatchOptions) error {
	w, err := reports.NewWatcher(o)
	if err != nil {
		return err
	}
	last := d.bus.Last()
	log, err := d.bus.System().Subscribe(bus.SubscribeOptions{Past: true, After: last})
	if err != nil {
		return err
	}
	defer log.Close()
	said := d.watchPast(w, last)
	for {
		if err := d.Advise(ctx, thread, said...); err != nil {
			return err
		}
		if said, err = d.watchNext(ctx, w, log); err != nil {
			return err
		}
	}
}

// watchPast returns the advisories on the history that are not in it.
func (d *Desk) watchPast(w *reports.Watcher, last uint64) (unsaid []reports.Advisory) {
	for s := range d.bus.History(bus.Filter{}) {
		if s.Head().Seq > last {
			break
		}
		unsaid = append(unsaid, w.Watch(s)...)
		if a, ok := reports.Typed(s).Body().(reports.Advisory); ok {
			unsaid = slices.DeleteFunc(unsaid, func(b reports.Advisory) bool {
				return a.Concern == b.Concern && slices.Equal(a.Workers, b.Workers) && a.Since.Equal(b.Since)
			})
		}
	}
	return unsaid
}

// watchNext returns the advisories on the next signal, or on the time at which there
// may be some without one.
func (d *Desk) watchNext(ctx context.Context, w *reports.Watcher, log *bus.Subscription) ([]reports.Advisory, error) {
	now := d.now()
	if s, err := log.Poll(); s != nil || err != nil { // signals published up to now come before the silence
		if err != nil {
			return nil, err
		}
		return w.Watch(s), nil
	}
	if said := w.At(now); len(said) > 0 {
		return said, nil
	}
	idle, cancel := ctx, context.CancelFunc(func() {})
	if due := w.Due(); !due.IsZero() {
		idle, cancel = context.WithTimeout(ctx, max(due.Sub(now), time.Millisecond))
	}
	defer cancel()
	s, err := log.Next(idle)
	switch {
	case err == nil:
		return w.Watch(s), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case idle.Err() != nil:
		return nil, nil // look at the clock again
	}
	return nil, err
}

// now returns the time of the bus.
func (d *Desk) now() (now time.Time) {
	// Nothing is published, so that only the clock is read.
	_ = d.log.Append(context.Background(), func(_ uint64, t time.Time) (none []signals.Any, _ error) { now = t; return none, nil }, nil)
	return now
}
