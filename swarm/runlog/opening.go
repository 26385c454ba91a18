package runlog

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrLog is returned for a log from which no solve can continue: it does not begin
// with a task, has several threads, is already decided, or is not in order.
var ErrLog = errors.New("swarm: cannot resume from the log")

// Opening returns the task of a log from which a solve can continue. The error wraps
// [ErrLog].
func Opening(log []signals.Any) (*signals.Signal[signals.Task], error) {
	if len(log) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrLog)
	}
	task, ok := signals.As[signals.Task](log[0])
	if !ok {
		return nil, fmt.Errorf("%w: it begins with %s, not with a task", ErrLog, log[0].Kind())
	}
	for i, s := range log {
		switch h := s.Head(); {
		case h.Thread != task.Thread:
			return nil, fmt.Errorf("%w: signal %s is of thread %q, not %q", ErrLog, h.ID, h.Thread, task.Thread)
		case i > 0 && h.Seq <= log[i-1].Head().Seq:
			return nil, fmt.Errorf("%w: signal %s has sequence number %d after %d", ErrLog, h.ID, h.Seq, log[i-1].Head().Seq)
		}
	}
	return task, nil
}
