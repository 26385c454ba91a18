package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/swarmbus/swarmbus/internal/retry"
)

// Limits are shared by all callers of a source's tools. Zero values mean the defaults
// given.
type Limits struct {
	Rate  float64 `json:"rate,omitempty"`  // calls per second; 0: no limit
	Burst int     `json:"burst,omitempty"` // calls at once; 0: 1
	// Failures is the number of consecutive calls without a result that opens the circuit
	// breaker for the time Rest; calls that end with their caller's context do not count. Then a single call shows whether the source works again.
	// 0: 5 and 15s.
	Failures uint          `json:"failures,omitempty"`
	Rest     time.Duration `json:"rest,omitempty"`
}

// ErrOpen is wrapped by the error of a call that an open circuit breaker did not make.
var ErrOpen = errors.New("tools: too many calls in a row got no result")

// Limit returns a source with the tools of from, whose calls are limited.
func Limit(from Source, l Limits) Source {
	s := &limited{from: from, breaker: &retry.Breaker{Failures: cmp.Or(l.Failures, 5), Rest: cmp.Or(l.Rest, 15*time.Second)}}
	if l.Rate > 0 {
		s.rate = rate.NewLimiter(rate.Limit(l.Rate), max(1, l.Burst))
	}
	return s
}

type limited struct {
	from    Source
	rate    *rate.Limiter // nil: no limit
	breaker *retry.Breaker
}

// Tools implements [Source].
func (l *limited) Tools(ctx context.Context) ([]Tool, error) {
	all, err := l.from.Tools(ctx)
	limited := make([]Tool, len(all))
	for i, t := range all {
		limited[i] = Tool{t.Spec, func(ctx context.Context, args json.RawMessage) (Result, error) { return l.call(ctx, t, args) }}
	}
	return limited, err
}

func (l *limited) call(ctx context.Context, t Tool, args json.RawMessage) (r Result, err error) {
	if l.rate != nil {
		if err := l.rate.Wait(ctx); err != nil {
			return Result{}, err
		}
	}
	end, left, closed := l.breaker.Begin()
	if !closed {
		return Result{}, fmt.Errorf("%w: try again in %v", ErrOpen, left.Round(time.Second))
	}
	returned := false
	defer func() { end(shows(ctx, returned, err)) }()
	r, err = t.Call(ctx, args)
	returned = true
	return r, err
}

// shows returns what a call shows of its source. A refusal shows that it works; a call
// that panicked, or that its caller ended, shows nothing. One that took longer than
// [Set.Timeout] got no result.
func shows(ctx context.Context, returned bool, err error) retry.Result {
	var refusal *RefusalError
	switch {
	case !returned, err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTooLong):
		return retry.Nothing
	case err != nil && !errors.As(err, &refusal):
		return retry.Fails
	}
	return retry.Works
}
