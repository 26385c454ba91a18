package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/retry"
)

// jitter is the part of a pause that is randomly added or subtracted.
const jitter = 0.25

// unreached is how often a call is tried while the provider's server cannot be
// connected to, and never could: its address may be wrong, or nothing runs there.
const unreached = 3

// What is broken is no outage: the same request would most often get the same. These are the
// tries of a call whose answers cannot be read, or break off.
const (
	malformed = 2
	cutOff    = 3
)

// tries returns the tries of a call by the problem that ends them before [Options.Tries] do.
func tries(elsewhere bool) map[*models.Problem]int {
	most := map[*models.Problem]int{models.ErrMalformed: malformed, models.ErrCutOff: cutOff}
	if elsewhere {
		most[models.ErrOverloaded], most[models.ErrConnection], most[models.ErrTimeout], most[models.ErrOpen] = 2, 2, 1, 1
	}
	return most
}

// repeat calls try until it succeeds, fails permanently or has used up its
// tries. It is told the error of the last one. elsewhere says that another model answers if
// this one does not.
func (s *Shared) repeat(ctx context.Context, elsewhere bool, try func(last error) (*models.Answer, error)) (*models.Answer, error) {
	var last error
	unconnected := 0 // tries before any has reached the server
	left := tries(elsewhere)
	pauses := retry.Backoff{First: s.opts.Pause, Most: max(s.opts.Pause, s.opts.MaxPause), Factor: 2, Jitter: jitter}
	for n := 1; ; n++ {
		a, err := try(last)
		if err == nil {
			return a, nil
		}
		if ctx.Err() == nil {
			last = err
		}
		if s.unreachable(err) {
			unconnected++
		}
		var failed *models.Error
		if errors.As(err, &failed) && left[failed.Problem] > 0 {
			if left[failed.Problem]--; left[failed.Problem] == 0 {
				n = s.opts.Tries // this was the last
			}
		}
		if ctx.Err() == nil && (n == s.opts.Tries || !s.passes(err) || unconnected == unreached) {
			return nil, s.final(err)
		}
		pause, asked := asked(err)
		if !asked {
			pause = pauses.Next()
		}
		if ctx.Err() == nil && s.opts.Retrying != nil {
			s.opts.Retrying(err, pause)
		}
		if ctx.Err() == nil && retry.Sleep(ctx, pause) == nil {
			continue
		}
		if last != nil { // as text, since the call did not fail of it
			return nil, fmt.Errorf("%w, after: %s", context.Cause(ctx), last.Error())
		}
		return nil, context.Cause(ctx)
	}
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

// asked returns the pause that the provider asks for, which the jitter does not make shorter.
func asked(err error) (time.Duration, bool) {
	var failed *models.Error
	if !errors.As(err, &failed) || failed.After <= 0 {
		return 0, false
	}
	return retry.Jittered(time.Duration(float64(failed.After)/(1-jitter)), jitter), true
}
