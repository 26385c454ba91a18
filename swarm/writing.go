package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/synthesis"
)

// write has the answer written, unless there is no writer, the text is in the log, or the solve
// may go on. Its cost is booked under the writer's name.
func (r *solve) write(ctx context.Context) {
	w, stop := r.opts.Coordination.Writer, r.result.Stop
	written := func(s signals.Any) bool { return s.Kind() == synthesis.Kind }
	if w == nil || stop.GoesOn() || stop == runlog.StopEscalated || slices.ContainsFunc(r.thread.Log, written) {
		return
	}
	said := synthesis.Ask(r.spent.Counting(ctx, w.Name()), w, r.result.Brief())
	h := signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}
	if err := r.tryAnnounce(ctx, signals.New(h, said)); err != nil {
		r.unfit("the answer cannot be recorded", err)
	}
}
