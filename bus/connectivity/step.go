package connectivity

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

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
	defer l.drain(ctx)
	err = l.commit(ctx, func(b *batch) error {
		t := l.threadLocked(thread)
		step = t.step + 1
		b.step(thread, step)
		if due := t.expiring[step]; due != nil {
			b.ended(system, thread, coordination.Expired, due.oldest())
		}
		return nil
	}, func(changes []change) {
		// Ends are written grouped by recipients, but reported in log order.
		slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.record.Seq, b.record.Seq) })
		l.tellLocked(thread, changes, false)
	})
	if err != nil {
		return 0, err
	}
	return step, nil
}

// atOnce is the maximum number of signals that one transition ends, to keep it
// small.
const atOnce = 1000

// ended adds the ends of signals, grouped by recipients, so that exactly the recipients
// of a signal learn of its end. Only if there would be too many entries, others learn of
// it too.
func (b *batch) ended(by, thread string, s coordination.State, all iter.Seq[*record]) {
	var order []*expiries
	byNames := map[string]*expiries{}
	var current *expiries
	for r := range all {
		if current == nil || len(current.ids) == atOnce || !current.to.Equal(r.to) {
			names := strings.Join(r.to.Names(), "\n") // names have no line breaks
			current = byNames[names]
			if current == nil || len(current.ids) == atOnce {
				current = &expiries{to: r.to}
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
// causes no events: first resolve the signals that someone waits for, and
// answer critical ones. Closing an unknown thread is not an error.
func (l *Layer) CloseThread(ctx context.Context, thread string) error {
	if err := checkNames("", thread); err != nil {
		return err
	}
	defer l.drain(ctx)
	return l.commit(ctx, func(b *batch) error {
		if t := l.threads[thread]; t != nil {
			b.closed(thread, l.sinceLocked(t, b.at.Seq))
			return nil
		}
		delete(l.resolvers, thread)
		return errNothing
	}, func([]change) { delete(l.resolvers, thread) })
}
