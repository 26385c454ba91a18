package agents

import (
	"context"
	"iter"
	"reflect"

	"github.com/swarmbus/swarmbus/signals"
)

// A Reactor is the logic of an agent: a function from a turn to signals. It
// stops when the loop over its signals stops and when ctx ends. Its signals need
// no source, thread, round or time. It is called once for each turn, and once
// more for each retry of a turn (see [Retryable]), never for two turns of one
// solve at once.
type Reactor interface {
	React(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error]
}

// Func is a function as a [Reactor].
type Func func(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error]

// React calls f.
func (f Func) React(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error] { return f(ctx, t) }

// Each is a [Reactor] that reacts to one signal at a time: it is called for
// each of [Turn.New], in order. ctx carries the turn: see [TurnOf]. A zero
// ReplyTo is set to the signal it reacts to.
type Each func(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error]

// React yields the signals that f returns for each new signal.
func (f Each) React(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error] {
	return Reactors{f}.React(ctx, t)
}

// On reacts to each new signal with payload type P, and ignores others.
func On[P signals.Payload](f func(ctx context.Context, s *signals.Signal[P]) iter.Seq2[signals.Any, error]) Each {
	return func(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
		if typed, ok := signals.As[P](s); ok {
			return f(ctx, typed)
		}
		return Emit()
	}
}

// Reactors react to each new signal one after the other.
type Reactors []Each

// React yields the signals of each function for the first new signal, then for
// the next.
func (all Reactors) React(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		ctx = withTurn(ctx, t)
		for _, s := range t.New {
			for _, f := range all {
				for out, err := range orFail(f(ctx, s)) {
					if !yield(reply(out, s), err) {
						return
					}
				}
			}
		}
	}
}

// reply fills in ReplyTo.
func reply(out, to signals.Any) signals.Any {
	if isNil(out) {
		return out
	}
	h := out.Head()
	if !h.ReplyTo.IsZero() {
		return out
	}
	h.ReplyTo = to.Head().ID
	return signals.With(out, h)
}

// isNil reports whether s is nil or holds a nil pointer, which has no header.
func isNil(s signals.Any) bool { return s == nil || reflect.ValueOf(s).IsNil() }

// orFail returns said, or an error in place of nil.
func orFail(said iter.Seq2[signals.Any, error]) iter.Seq2[signals.Any, error] {
	if said == nil {
		return Fail(ErrNil)
	}
	return said
}

// Emit yields the given signals.
func Emit(all ...signals.Any) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// each yields all of said, and reports whether the caller wants more.
func each(said iter.Seq2[signals.Any, error], yield func(signals.Any, error) bool) bool {
	for s, err := range said {
		if !yield(s, err) {
			return false
		}
	}
	return true
}

// Fail yields err.
func Fail(err error) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) { yield(nil, err) }
}
