package agents

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/signals"
)

// A Reactor is what thinks: it hears one signal and says any number, or fails.
// It stops when the loop over it does and when ctx ends. ctx carries the
// [Turn]. What it says needs no source, thread, round or time; a ReplyTo that
// is zero becomes the signal it reacted to.
type Reactor interface {
	React(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error]
}

// Func is a function as a [Reactor].
type Func func(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error]

// React calls f.
func (f Func) React(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
	return f(ctx, s)
}

// On is a reactor to the signals with payload type P; to others it says
// nothing.
func On[P signals.Payload](f func(ctx context.Context, s *signals.Signal[P]) iter.Seq2[signals.Any, error]) Reactor {
	return Func(func(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
		if typed, ok := signals.As[P](s); ok {
			return f(ctx, typed)
		}
		return Say()
	})
}

// Reactors react one after the other.
type Reactors []Reactor

// React yields what each reactor says, in order.
func (all Reactors) React(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		for _, r := range all {
			for out, err := range r.React(ctx, s) {
				if !yield(out, err) {
					return
				}
			}
		}
	}
}

// Say yields the given signals.
func Say(all ...signals.Any) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// Fail yields err.
func Fail(err error) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) { yield(nil, err) }
}
