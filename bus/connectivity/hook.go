package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A Hook is called for every escalation and every critical signal, by Emit,
// after the signal is in the log and before inboxes deliver it and observers
// are called. The mode that it returns is kept for the thread: see
// [Layer.Mode]; 0 requests none. It may call the layer, but must not wait for
// the signal to be delivered. An error or panic is reported to
// [Options].Failure and has no other effect.
type Hook func(context.Context, coordination.Signal) (signals.Effort, error)

func (l *Layer) callHook(ctx context.Context, s coordination.Signal) {
	var mode signals.Effort
	err := guard(func() (err error) {
		mode, err = l.opts.Hook(ctx, clone(s))
		return err
	})
	if err == nil && mode != 0 {
		err = l.request(ctx, &s, mode)
	}
	l.fail(inside("hook", err))
}

// request writes the mode to the log, so that it outlives the process.
func (l *Layer) request(ctx context.Context, s *coordination.Signal, mode signals.Effort) error {
	if err := mode.Check(); err != nil {
		return err
	}
	return l.record(ctx, func(b *batch) error {
		if t := l.threads[s.Thread]; t == nil || t.began > s.Seq {
			return errNothing // the thread was closed meanwhile
		}
		b.requested(s, mode)
		return nil
	})
}
