package limits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/retry"
)

// Options of [New]. Zero values mean the defaults given.
type Options struct {
	// Tries of a call; 0: 8, 1: no retries. The error of a call that was retried, or
	// would have to wait too long, is [models.Error].Final. As long as no call has
	// reached the provider, a call that is not connected is tried at most three times. So is
	// one whose answer breaks off. If another model answers elsewhere ([models.Request].Elsewhere), what
	// failed or was not connected is tried twice, and no outage is waited for. An answer that cannot be read is asked for once more, and
	// the model is told what is wrong with it.
	Tries int
	// Pause is the pause before the second try; it doubles up to MaxPause, each with
	// a random jitter of a quarter. A pause that the provider asks for is never
	// shortened, but extended by a random part of up to two thirds. 0: 0.5s and 30s.
	Pause, MaxPause time.Duration
	// Patience is the longest wait that the provider may ask for; a call that
	// would have to wait longer fails, and so do later ones, without being made,
	// until no more than Patience is left. 0: 1m.
	Patience time.Duration

	Rate  float64 // tries per second, over all calls; 0: no limit
	Burst int     // tries at once; 0: 1
	// Timeout of a try; 0: 2m, <0: none.
	Timeout time.Duration

	// Failures is the number of consecutive failed tries, over all calls, that
	// opens the circuit breaker for the time Rest; then a single try shows whether
	// the provider works again. Refused requests and rate limiting do not count as
	// failures. 0: 10 and 15s.
	Failures uint
	Rest     time.Duration

	// Retrying is called before each retry with the error of the try and the pause
	// that follows, concurrently for concurrent calls. Nil: none.
	Retrying func(err error, pause time.Duration)
	// Noted is called with the [models.Answer.Notes] of an answer that has some,
	// concurrently for concurrent calls. Nil: none.
	Noted func(id models.ID, notes []string)

	Budget *Budget // nil: none
	// Prices of models. A budget in money refuses models without a price; one that is
	// not valid refuses every call.
	Prices map[models.ID]models.Price
}

// Shared is the state that the users of one provider share. It is safe for
// concurrent use.
type Shared struct {
	opts    Options
	rate    *rate.Limiter // nil: no limit
	breaker *retry.Breaker
	reached atomic.Bool // the provider has responded

	mu    sync.Mutex // protects the field below
	until time.Time  // end of the wait that the provider asked for
}

// New returns a Shared.
func New(o Options) *Shared {
	o.Tries = max(1, cmp.Or(o.Tries, 8))
	o.Pause, o.MaxPause = cmp.Or(o.Pause, 500*time.Millisecond), cmp.Or(o.MaxPause, 30*time.Second)
	o.Patience, o.Timeout = cmp.Or(o.Patience, time.Minute), cmp.Or(o.Timeout, 2*time.Minute)
	o.Failures, o.Rest = cmp.Or(o.Failures, 10), cmp.Or(o.Rest, 15*time.Second)
	o.Budget = cmp.Or(o.Budget, NewBudget(Spend{}))
	s := &Shared{opts: o, breaker: &retry.Breaker{Failures: o.Failures, Rest: o.Rest}}
	if o.Rate > 0 {
		s.rate = rate.NewLimiter(rate.Limit(o.Rate), max(1, o.Burst))
	}
	return s
}

// Limit returns the model within the limits.
func (s *Shared) Limit(m models.Model) models.Model { return &limited{m, s} }

type limited struct {
	models.Model
	*Shared
}

// Ask implements [models.Model].
func (l *limited) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	shown := false
	if show := r.Show; show != nil {
		again := *r
		again.Show = func(p models.Piece) {
			shown = true
			show(p)
		}
		r = &again
	}
	return l.repeat(ctx, r.Elsewhere, func(last error) (*models.Answer, error) {
		if shown {
			r.Show(models.Piece{Again: true})
			shown = false
		}
		var failed *models.Error
		if errors.As(last, &failed) && failed.Problem == models.ErrMalformed && len(r.Messages) > 0 {
			told := *r
			told.Messages = append(slices.Clip(r.Messages), models.User("Your last answer could not be read: "+failed.Detail+". Answer again, in full."))
			return l.try(ctx, &told)
		}
		return l.try(ctx, r)
	})
}

var _ models.Payer = (*limited)(nil)

// Reserve implements [models.Payer].
func (l *limited) Reserve(ctx context.Context, r *models.Request, n int) (release func(), ok bool) {
	bound, err := l.bound(r)
	if err != nil {
		return func() {}, false // no call would be made
	}
	return l.opts.Budget.hold(ctx, l.ID(), bound, n)
}

// errPanicked is the error of a call that did not return.
var errPanicked = errors.New("the call panicked")

// try makes one try. It waits for the budget first, so that the rate and the wait
// that the provider asked for hold for the moment when the call is made.
func (l *limited) try(ctx context.Context, r *models.Request) (a *models.Answer, err error) {
	bound, err := l.bound(r)
	if err != nil {
		return nil, err
	}
	held, err := l.opts.Budget.reserve(ctx, l.ID(), bound)
	switch {
	case errors.Is(err, models.ErrBudget):
		return nil, l.error(models.ErrBudget, err)
	case err != nil:
		return nil, err
	}
	began := false
	err = errPanicked
	defer func() { l.settle(held, began, a, err) }()
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	began = true
	a, err = l.inTime(ctx, r)
	l.heed(err)
	if err == nil && len(a.Notes) > 0 && l.opts.Noted != nil {
		l.opts.Noted(l.ID(), a.Notes)
	}
	return a, err
}

// most is the highest number of tokens that an answer may be allowed.
const most = 1e9

// bound returns the maximum cost of the call.
func (l *limited) bound(r *models.Request) (Spend, error) {
	price, known := l.opts.Prices[l.ID()]
	if err := price.Validate(); err != nil {
		return Spend{}, l.error(models.ErrInvalid, err)
	}
	if !known && l.opts.Budget.needsPrices() {
		return Spend{}, l.error(models.ErrPrice, nil)
	}
	if r.Most < 1 || r.Most > most {
		return Spend{}, l.error(models.ErrInvalid, fmt.Errorf("an answer of at most %d tokens", r.Most))
	}
	input := Bound(r)
	return Spend{input + r.Most, price.Highest(input, r.Most)}, nil
}

// settle books the tokens and cost of the call, if it began.
func (l *limited) settle(held reservation, began bool, a *models.Answer, err error) {
	var failed *models.Error
	switch {
	case !began:
		l.opts.Budget.used(held, Spend{})
	case err == nil && a.Counted(): // else the server does not report it, or reports nonsense
		if price, known := l.opts.Prices[l.ID()]; known {
			a.Cost = price.Cost(a.Usage)
		}
		l.opts.Budget.used(held, Spend{a.Usage.Tokens(), a.Cost})
	case errors.As(err, &failed) && failed.Unbilled:
		l.opts.Budget.used(held, Spend{})
	default:
		l.opts.Budget.unknown(held)
	}
}

// inTime makes the call through the circuit breaker and with the timeout of a
// try.
func (l *limited) inTime(ctx context.Context, r *models.Request) (a *models.Answer, err error) {
	end, left, closed := l.breaker.Begin()
	if !closed {
		err := l.error(models.ErrOpen, nil)
		err.After = left
		return nil, err
	}
	err = errPanicked
	defer func() { end(l.shows(ctx, err)) }()
	inside, cancel := ctx, context.CancelFunc(func() {})
	if l.opts.Timeout > 0 {
		inside, cancel = context.WithTimeout(ctx, l.opts.Timeout)
	}
	defer cancel()
	a, err = l.Model.Ask(inside, r)
	if err != nil && inside.Err() != nil && ctx.Err() == nil {
		err = &models.Error{Model: l.ID(), Problem: models.ErrTimeout, Detail: l.opts.Timeout.String(), Err: err}
	}
	return a, err
}

// shows returns what a call shows of the provider. Refused requests and rate limiting show
// that it works; a canceled call shows nothing, nor does a panic, nor a call to a server that
// was never reached: a rest does not help.
func (l *limited) shows(ctx context.Context, err error) retry.Result {
	var failed *models.Error
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, errPanicked)), l.unreachable(err):
		return retry.Nothing
	case errors.As(err, &failed) && failed.Temporary() && failed.Problem != models.ErrRateLimited:
		return retry.Fails
	}
	return retry.Works
}

// error returns the error of a call that was not made.
func (l *limited) error(problem *models.Problem, why error) *models.Error {
	e := &models.Error{Model: l.ID(), Problem: problem, Unbilled: true}
	if why != nil {
		e.Detail = why.Error()
	}
	return e
}

// errLater is the error of a call that was not made.
var errLater = errors.New("the provider has asked to wait")

// wait waits until a try may begin.
func (l *limited) wait(ctx context.Context) error {
	for {
		for left := l.pause(); left > 0; left = l.pause() {
			if left > l.opts.Patience {
				e := l.error(models.ErrRateLimited, errLater)
				e.After = left
				return e
			}
			if err := retry.Sleep(ctx, left); err != nil {
				return err
			}
		}
		var err error
		if l.rate != nil {
			err = l.rate.Wait(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil: // its time would be after the deadline
			return l.error(models.ErrTimeout, err)
		case l.pause() <= 0: // else the provider has asked to wait meanwhile
			return nil
		}
	}
}

// pause returns the remaining wait that the provider asked for.
func (s *Shared) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Until(s.until)
}

// heed remembers that the provider responded, and makes all calls wait for as long as
// it asked one to wait.
func (s *Shared) heed(err error) {
	var failed *models.Error
	isFailure := errors.As(err, &failed)
	if err == nil || isFailure && failed.Status != 0 {
		s.reached.Store(true)
	}
	if !isFailure || failed.Status == 0 || !failed.Temporary() || failed.After <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if until := time.Now().Add(failed.After); until.After(s.until) {
		s.until = until
	}
}
