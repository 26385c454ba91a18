// Package retry has what is needed to call again what failed: pauses with jitter, and a
// circuit breaker.
package retry

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// A Backoff gives the pauses between tries, which grow.
type Backoff struct {
	First  time.Duration
	Most   time.Duration // without the jitter; 0: no bound
	Factor float64       // of each pause to the one before
	Jitter float64       // part of a pause that is randomly added or subtracted

	given int
}

// Next returns the next pause.
func (b *Backoff) Next() time.Duration {
	most := float64(b.Most)
	if b.Most <= 0 {
		most = math.MaxInt64 / 4
	}
	pause := min(float64(b.First)*math.Pow(b.Factor, float64(b.given)), most)
	b.given++
	return Jittered(time.Duration(pause), b.Jitter)
}

// Reset makes the next pause the first.
func (b *Backoff) Reset() { b.given = 0 }

// Jittered returns d with a random part of at most the given one added or subtracted.
func Jittered(d time.Duration, part float64) time.Duration {
	return time.Duration(float64(d) * (1 + part*(2*rand.Float64()-1)))
}

// Sleep waits. It returns the cause of the end of ctx if that comes first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A Breaker leaves alone what failed too often in a row, for a while; then a single call
// shows whether it works again. It is safe for concurrent use.
type Breaker struct {
	Failures uint          // in a row that open it
	Rest     time.Duration // for which it is open

	mu      sync.Mutex // protects the fields below
	failed  uint
	until   time.Time // zero: it is closed
	probing bool
}

// A Result is what a call shows.
type Result int

// The results.
const (
	Nothing Result = iota // it was canceled, or did not return
	Works
	Fails
)

// Begin begins a call. If none may be made, closed is false, and left is the rest of the time
// for which the breaker is open: 0 while a call shows whether it works again. Otherwise the
// caller has to call end once.
func (b *Breaker) Begin() (end func(Result), left time.Duration, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return b.count, 0, true
	}
	if left = time.Until(b.until); left > 0 || b.probing {
		return nil, max(0, left), false
	}
	b.probing = true
	return b.shown, 0, true
}

// count counts the result of a call that began while the breaker was closed. While it is open,
// only the call that shows whether it works again counts.
func (b *Breaker) count(r Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.until.IsZero() || r == Nothing:
	case r == Works:
		b.failed = 0
	default:
		if b.failed++; b.failed >= b.Failures {
			b.failed, b.until = 0, time.Now().Add(b.Rest)
		}
	}
}

// shown opens or closes the breaker by the call that was to show whether it works again. One that
// shows nothing leaves that to the next.
func (b *Breaker) shown(r Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing, b.until = false, time.Time{}
	if r != Works {
		b.until = time.Now().Add(b.Rest)
	}
}
