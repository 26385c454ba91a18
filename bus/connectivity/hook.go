package connectivity

import "context"

// A Hook is called for every escalation and every critical signal, inside Emit
// and after the signal is in the log, before inboxes deliver it and observers
// are called. The mode it returns is kept for the thread, see [Layer.Mode]; 0
// asks for nothing. It may call the layer, but not wait for somebody to get the
// signal. An error or panic is reported to [Options].Failure and harms nobody.
type Hook func(context.Context, Signal) (Mode, error)

func (l *Layer) callHook(ctx context.Context, s Signal) {
	var mode Mode
	err := guard(func() (err error) {
		mode, err = l.opts.Hook(ctx, s.clone())
		return err
	})
	if err == nil && mode != 0 {
		err = l.request(ctx, &s, mode)
	}
	l.fail(inside("hook", err))
}

// request writes down the mode, so that it outlives the process.
func (l *Layer) request(ctx context.Context, s *Signal, mode Mode) error {
	if err := modeNames.Check(mode); err != nil {
		return err
	}
	return l.record(ctx, func(b *batch) error {
		if t := b.fold.threads.get(s.Thread); t == nil || t.began > s.Seq {
			return errNothing // the thread was closed meanwhile
		}
		b.requested(s, mode)
		return nil
	})
}
