package seat

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/retry"
	"github.com/swarmbus/swarmbus/signals"
)

// An Outcome is the result of a turn.
type Outcome struct {
	Said     []signals.Any
	Err      error
	Tries    int    // beyond the first
	Strategy string // chosen by the agent
}

// retries of a turn that fails with a temporary error ([agents.Retryable]).
const retries = 3

// Start runs the turn in a goroutine of its own, which wg counts, and calls done when it
// has returned. Temporary failures are retried, after about 0.5, 0.75 and
// 1.1 s, each with a random jitter of a half, or after as long as the error asks for.
func (t *Turn) Start(ctx context.Context, of Span, wg *sync.WaitGroup, done func()) {
	t.limit(time.Now(), of)
	ctx, t.stop = context.WithCancelCause(ctx)
	ctx, t.cancel = context.WithDeadlineCause(ctx, t.ends, errTime)
	wg.Go(func() {
		defer t.stop(nil)
		defer t.cancel()
		defer done()
		t.take(ctx)
	})
}

// take runs the turn, and retries it while its error is temporary and there is time.
// Its outcome is sent even if the agent ends the goroutine.
func (t *Turn) take(ctx context.Context) {
	var o Outcome
	defer func() { t.done <- o }()
	wait := retry.Backoff{First: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.5}
	for last := error(nil); ; o.Tries++ {
		again := *t.Turn // each try starts from a fresh copy
		again.Try = o.Tries
		o.Said, o.Err = nil, agents.ErrNoReturn
		o.Said, o.Err = t.Seat.Agent.Take(ctx, &again)
		o.Strategy = again.Strategy
		after, passes := agents.IsRetryable(o.Err)
		if o.Err != nil && ctx.Err() != nil && last != nil {
			o.Err = fmt.Errorf("%w, after: %w", o.Err, last) // the reason why there was no time
		}
		if !passes || o.Tries == retries || !sleep(ctx, max(after, wait.Next())) {
			return
		}
		last = o.Err
	}
}

// sleep reports whether the time elapsed before ctx ended. It does not wait for the
// deadline of ctx where that comes first.
func sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	return retry.Sleep(ctx, d) == nil && ctx.Err() == nil
}
