package limits

import (
	"context"
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/swarmbus/swarmbus/agents/models"
)

// jitter is the part of a pause that is randomly added or subtracted.
const jitter = 0.25

// repeat calls try until it succeeds, fails permanently or has used up its
// tries.
func (s *Shared) repeat(ctx context.Context, try func() (*models.Answer, error)) (*models.Answer, error) {
	policy := retrypolicy.NewBuilder[*models.Answer]().
		WithMaxAttempts(s.opts.Tries).ReturnLastFailure().
		HandleIf(func(_ *models.Answer, err error) bool { return s.passes(err) }).
		WithBackoff(s.opts.Pause, max(s.opts.Pause, s.opts.MaxPause)+1).WithJitterFactor(jitter).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[*models.Answer]) time.Duration { return asked(e.LastError()) }).
		Build()
	a, err := failsafe.With(policy).WithContext(ctx).Get(try)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return a, err
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
