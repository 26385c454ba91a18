package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// callHook calls the hook for a signal.
func (l *Layer) callHook(ctx context.Context, s coordination.Signal) {
	var mode signals.Effort
	l.fail(guard("hook", func() (err error) {
		if mode, err = l.opts.Hook(ctx, clone(s)); err != nil || mode == 0 {
			return err
		}
		return l.request(ctx, &s, mode)
	}))
}

// request writes the mode to the log, so that it outlives the process.
func (l *Layer) request(ctx context.Context, s *coordination.Signal, mode signals.Effort) error {
	if err := mode.Check(); err != nil {
		return err
	}
	return l.record(ctx, func(b *batch) error {
		if began := l.fold.Thread(s.Thread).Began(); began == 0 || began > s.Seq {
			return errNothing // the thread was closed meanwhile
		}
		b.requested(s, mode)
		return nil
	})
}

// release delivers the signal that a hook was called for, if any.
func (l *Layer) release(ctx context.Context, over chan struct{}) {
	if over == nil {
		return
	}
	l.mu.Lock()
	l.events.release(over)
	l.mu.Unlock()
	l.drain(ctx)
}

// hookOf returns a channel that is closed when the hook for a signal has
// returned, or if none is running.
func (l *Layer) hookOf(id signals.ID) <-chan struct{} {
	l.bus.Last() // waits for a commit in progress, which says whether there is one
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.events.hooked[id]; h != nil {
		return h.over
	}
	return over
}

var over = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()
