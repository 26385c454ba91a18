package connectivity

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
)

// A Hook is called for every escalation and every critical signal, inside Emit
// and after the signal is in the log, before observers are. The mode it returns
// is kept for the thread, see [Layer.Mode]; 0 asks for nothing. It may call the
// layer. An error or panic is reported to [Options].Failure and harms nobody.
type Hook func(context.Context, Signal) (Mode, error)

// hooked reports whether the hook is to be called.
func (l *Layer) hooked(n *Note) bool {
	return l.opts.Hook != nil && (n.Class.Message() == AboutEscalation || n.Priority == Critical)
}

func (l *Layer) callHook(ctx context.Context, s Signal) {
	id, thread := s.ID, s.Thread
	var mode Mode
	err := guard(func() (err error) {
		mode, err = l.opts.Hook(ctx, s)
		return err
	})
	if err == nil && mode != 0 {
		err = l.request(ctx, thread, id, mode)
	}
	l.fail(inside("hook", err))
}

// request writes down the mode, so that it outlives the process.
func (l *Layer) request(ctx context.Context, thread string, id signals.ID, m Mode) error {
	if err := modeNames.Check(m); err != nil {
		return err
	}
	l.lock()
	f := l.flightLocked(thread)
	h := l.headerLocked(l.nowLocked(), system, thread, nobody, id)
	writeLocked(l, f, &h, Requested{Layer: l.opts.Name, For: id, Mode: m})
	l.departLocked(f)
	l.mu.Unlock()
	_, err := l.fly(ctx, l.system, f)
	return err
}
