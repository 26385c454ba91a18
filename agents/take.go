package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
)

// The errors of a turn that its reactor did not return itself.
var (
	// ErrTurnFull is returned by a turn with more signals than allowed.
	ErrTurnFull = errors.New("agents: too many signals in the turn")
	// ErrNil is returned by a turn whose reactor returned a nil iterator, or yielded a
	// nil signal without an error.
	ErrNil = errors.New("agents: reactor returned a nil iterator or yielded a nil signal (Emit() yields none)")
	// ErrNoReturn is the error of a turn whose reactor ended its goroutine
	// (runtime.Goexit), and of a call that did so or panicked.
	ErrNoReturn = errors.New("agents: call panicked or ended its goroutine instead of returning")
)

// Take runs one turn and returns the agent's signals. An error of the reactor, a
// panic ([*PanicError]), the end of ctx or of TurnTimeout, or more than t.Most
// signals ([ErrTurnFull]) end the turn; the signals before that are returned
// with the error. A nil signal is an error too ([ErrNil]), but the other
// signals are kept.
//
// A vote without a weight gets its header's confidence as weight. Right behind a
// challenge with an alternative follows a proposal of the same agent with that content,
// if the agent may propose, or a vote for the proposal of the turn that says so already, if it may vote.
//
// In a turn with a Debate the agent argues: see [Debater].
//
// A [hooks.Hook] that ctx carries sees the turn as an [hooks.OpTurn], and the turn's signals
// carry its trace context.
func (a *Agent) Take(ctx context.Context, t *Turn) (said []signals.Any, err error) {
	op := hooks.Op{Name: hooks.OpTurn, Target: a.ID, Thread: t.Thread, Round: t.Round, Heard: t.New, Cause: t.Cause}
	if t.Try > 0 {
		op.Attributes = []slog.Attr{slog.Int(hooks.AttrTry, t.Try)}
	}
	ctx, end := hooks.Start(ctx, op)
	err = ErrNoReturn // unless take returns
	defer func() { end(said, err) }()
	t.Agent = cmp.Or(t.Agent, a.ID)
	t.trace = hooks.TraceOf(ctx)
	return a.take(ctx, t)
}

func (a *Agent) take(ctx context.Context, t *Turn) (said []signals.Any, err error) {
	if a.TurnTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.TurnTimeout)
		defer cancel()
	}
	defer func() {
		if v := recover(); v != nil {
			err = Panicked(withTurn(ctx, t), a.ID, v)
		}
	}()
	most := t.Most
	if most <= 0 {
		most = 16
	}
	if a.Strategies != nil {
		t.Strategy = a.Strategies.Choose(t.Rand())
	}
	var missing error
	for s, err := range a.react(withTurn(ctx, t), t) {
		switch {
		case err != nil:
			return said, fmt.Errorf("agents: %s: %w", a.ID, err)
		case ctx.Err() != nil:
			return said, context.Cause(ctx)
		case isNil(s):
			missing = fmt.Errorf("agents: %s: %w", a.ID, ErrNil)
			continue
		case len(said) == most:
			return said, fmt.Errorf("agents: %s: %w: %d", a.ID, ErrTurnFull, most)
		}
		said = append(said, t.complete(s))
		if p := a.alternative(t, s, len(said)); p != nil && len(said) < most {
			said = append(said, p)
		}
	}
	return said, cmp.Or(ctx.Err(), missing)
}

// react runs the custom actions on the signals routed to them, in log order, then the
// arguments of a debate, and then the reactor on the new signals. With neither actions
// nor a debate the reactor decides what to do about a turn without new signals.
func (a *Agent) react(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error] {
	if len(t.Routed) == 0 && t.Debate == nil {
		return orFail(a.Reactor.React(ctx, t))
	}
	return func(yield func(signals.Any, error) bool) {
		for _, r := range t.Routed {
			for out, err := range a.act(ctx, r) {
				if !yield(reply(out, r.Signal), err) {
					return
				}
			}
		}
		if t.Debate != nil && !each(a.argue(ctx, t), yield) {
			return
		}
		if len(t.New) > 0 && !a.debates(t) {
			orFail(a.Reactor.React(ctx, t))(yield)
		}
	}
}

func (a *Agent) act(ctx context.Context, r Routed) iter.Seq2[signals.Any, error] {
	if f := a.Actions[r.Action]; f != nil {
		return orFail(f(ctx, r.Signal))
	}
	return Fail(&signals.FieldError{Field: "agent.actions", Value: r.Action, Problem: "no such action"})
}

// complete fills in a signal's header from the turn. A source and thread that
// the agent set itself are kept; the log checks them. A trace context of its own
// is replaced in a traced turn: with another trace, span or sampling decision an
// agent could file its signals elsewhere, or leave them out of the trace.
func (t *Turn) complete(s signals.Any) signals.Any {
	_ = s.Kind() // if the payload's method panics, it does so in the agent's turn
	h := s.Head()
	h.Source, h.Thread = cmp.Or(h.Source, t.Agent), cmp.Or(h.Thread, t.Thread)
	h.Round = int32(t.Round)
	if t.trace != nil {
		h.Trace = t.trace
	}
	if vote, ok := signals.As[signals.Vote](s); ok && vote.Payload.Weight == 0 {
		weighed := vote.Payload
		weighed.Weight = h.Confidence
		s = signals.New(h, weighed)
	}
	return signals.With(s, h)
}
