package connectivity

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// AdvanceStep moves a thread to its next step and returns it. Signals that
// expire at this step end, each with an event. It takes time linear in those
// signals.
func (l *Layer) AdvanceStep(ctx context.Context, thread string) (step int, err error) {
	if err := checkNames("", thread); err != nil {
		return 0, err
	}
	err = l.commit(ctx, func(b *batch) error {
		t := l.fold.Thread(thread)
		step = t.Step() + 1
		b.step(thread, step)
		b.ended(bus.System, thread, coordination.Expired, t.Due(step))
		return nil
	}, nil)
	if err != nil {
		return 0, err
	}
	return step, nil
}

// atOnce is the maximum number of signals that one transition ends, to keep it
// small.
const atOnce = 1000

// ended adds the ends of signals, grouped by recipients, so that exactly the recipients
// of a signal are notified of its end. Other components are notified too only if there would
// be too many entries.
func (b *batch) ended(by, thread string, s coordination.State, all []*coordination.Record) {
	var order []*expiries
	byNames := map[string]*expiries{}
	var current *expiries
	for _, r := range all {
		if current == nil || len(current.ids) == atOnce || !current.to.Equal(r.To()) {
			names := strings.Join(r.To().Names(), "\n") // names have no line breaks
			current = byNames[names]
			if current == nil || len(current.ids) == atOnce {
				current = &expiries{to: r.To()}
				byNames[names] = current
				order = append(order, current)
			}
		}
		current.ids = append(current.ids, r.ID)
	}
	if len(order) > atOnce {
		order = together(order)
	}
	for _, e := range order {
		b.transition(by, thread, s, e.to, e.ids...)
	}
}

// together merges expiries into fewer ones for the union of their recipients. A
// step that ends a hundred thousand signals, each with a different recipient,
// would be more entries than the bus takes at once.
func together(all []*expiries) (fewer []*expiries) {
	var names []string
	var ids []signals.ID
	size := 0
	flush := func() {
		if len(ids) > 0 {
			fewer = append(fewer, &expiries{signals.To(names...), ids})
		}
		names, ids, size = nil, nil, 0
	}
	for _, e := range all {
		more := len(e.to.String())
		if e.to.Everyone() || e.to.Equal(noRecipients) || more > signals.DefaultTextBytes/2 {
			fewer = append(fewer, e)
			continue
		}
		if len(ids)+len(e.ids) > atOnce || size+more > signals.DefaultTextBytes {
			flush()
		}
		names, ids, size = slices.AppendSeq(names, e.to.All()), append(ids, e.ids...), size+more
	}
	flush()
	return fewer
}

// expiries are signals with the same recipients that end together.
type expiries struct {
	to  signals.Recipients
	ids []signals.ID
}

// CloseThread forgets a thread: its signals, step, mode, coordinator,
// components and resolver. A later signal starts the thread anew. Closing
// causes no events: first resolve the signals whose events other components wait
// for, and answer critical ones. Closing an unknown thread is not an error.
func (l *Layer) CloseThread(ctx context.Context, thread string) error {
	if err := checkNames("", thread); err != nil {
		return err
	}
	return l.commit(ctx, func(b *batch) error {
		if l.fold.Thread(thread).Began() > 0 {
			b.closed(thread, l.fold.Since(b.next, thread))
			return nil
		}
		delete(l.resolvers, thread)
		return errNothing
	}, nil)
}

// Complete notifies the recipients of signals that ended in a thread whose log was cut right
// after the note or the step that ended them. Call it for a thread that continues, after
// [Rebuild] or [Layer.Adopt]: the log then equals one that was not cut. It writes nothing if
// nothing is missing, and calls no observer.
func (l *Layer) Complete(ctx context.Context, thread string) error {
	return l.commit(ctx, func(b *batch) error {
		by, all := l.fold.Thread(thread).Unnotified()
		if len(all) == 0 {
			return errNothing
		}
		b.ended(cmp.Or(by, bus.System), thread, all[0].State, all)
		return nil
	}, nil)
}
