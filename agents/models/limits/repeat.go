package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/swarmbus/swarmbus/agents/models"
)

// jitter is the part of a pause that is randomly added or subtracted.
const jitter = 0.25

// unreached is how often a call is tried while the provider's server cannot be
// connected to, and never could: its address may be wrong, or nothing runs there.
const unreached = 3

// repeat calls try until it succeeds, fails permanently or has used up its
// tries.
func (s *Shared) repeat(ctx context.Context, try func() (*models.Answer, error)) (*models.Answer, error) {
	var last error
	failed := 0 // connections, before any call has reached the server
	policy := retrypolicy.NewBuilder[*models.Answer]().
		WithMaxAttempts(s.opts.Tries).ReturnLastFailure().
		HandleIf(func(_ *models.Answer, err error) bool { return s.passes(err) && failed < unreached }).
		WithBackoff(s.opts.Pause, max(s.opts.Pause, s.opts.MaxPause)+1).WithJitterFactor(jitter).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[*models.Answer]) time.Duration { return asked(e.LastError()) }).
		OnRetryScheduled(func(e failsafe.ExecutionScheduledEvent[*models.Answer]) {
			if s.opts.Retrying != nil {
				s.opts.Retrying(e.LastError(), e.Delay)
			}
		}).
		Build()
	a, err := failsafe.With(policy).WithContext(ctx).Get(func() (*models.Answer, error) {
		a, err := try()
		if err != nil && ctx.Err() == nil {
			last = err
		}
		if s.unreachable(err) {
			failed++
		}
		return a, err
	})
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil && last != nil: // as text, since the call did not fail of it
		return nil, fmt.Errorf("%w, after: %s", context.Cause(ctx), last.Error())
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, s.final(err)
}

// unreachable reports whether err says that the server cannot be reached, and no call has
// ever reached it.
func (s *Shared) unreachable(err error) bool {
	var failed *models.Error
	return errors.As(err, &failed) && failed.Problem == models.ErrConnection && failed.Unbilled && !s.reached.Load()
}

// final marks errors of calls that were retried here as final, so that callers do not
// retry them again.
func (s *Shared) final(err error) error {
	var failed *models.Error
	if !errors.As(err, &failed) || !failed.Temporary() || s.opts.Tries == 1 && failed.After <= s.opts.Patience {
		return err
	}
	final := *failed
	final.Final = true
	return &final
}

// passes reports whether a retry may help, soon enough.
func (s *Shared) passes(err error) bool {
	var failed *models.Error
	return errors.As(err, &failed) && failed.Temporary() && failed.After <= s.opts.Patience
}

// asked returns a pause that the jitter cannot make shorter than the provider
// asks for, or -1 if it asks for none.
func asked(err error) time.Duration {
	var failed *models.Error
	if !errors.As(err, &failed) || failed.After <= 0 {
		return -1
	}
	return time.Duration(float64(failed.After) / (1 - jitter))
}
