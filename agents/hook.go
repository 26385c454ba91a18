package agents

import (
	"context"
	"log/slog"

	"github.com/swarmbus/swarmbus/signals"
)

// A Hook is told what is done and what happens while it is, to trace it or to
// measure it. A context carries it ([WithHook]) to everything that works under
// it: a solve, its rounds and turns, and what a reactor calls in its turn. It
// is called from many goroutines at once, where the work is done, so it must be
// quick.
type Hook interface {
	// Start says that op begins, inside the op of ctx. Work under the context
	// it returns is inside op. The function it returns is called once, when op
	// ends, from any goroutine.
	Start(ctx context.Context, op Op) (context.Context, End)
	// Note says that something happened inside the op of ctx, at one moment:
	// what is a value that tells by its type, such as a conflict.Pair. A hook
	// passes over types that it does not know.
	Note(ctx context.Context, what any)
	// Trace returns where ctx is in a trace, for the headers of what is said
	// there; nil: it is not traced. What it points to is never modified.
	Trace(ctx context.Context) *signals.Trace
}

// End says that an op is over and what came of it. result tells by its type,
// see the names of ops; nil is nothing to tell. err is why it failed.
type End func(result any, err error)

// An Op is a piece of work that takes time.
type Op struct {
	Name   OpName
	Target string // who or what does it, by a name of which there are few; never an id
	Thread string
	Round  int
	Heard  []signals.Any // what a turn reacts to; never modified

	// Attributes are what else is known when it begins: by the keys of
	// attributes below, or by keys of the caller's own. Hooks record them as they
	// are, so nothing that agents say belongs there.
	Attributes []slog.Attr
}

// An OpName says what is done. There are few: those below, and those of
// packages that have others to tell of.
type OpName string

// The ops of agents and swarms, with their targets and results.
const (
	OpSolve     OpName = "solve"     // Target: the swarm; result: *swarm.Result
	OpRound     OpName = "round"     // Target: none; result: nil
	OpTurn      OpName = "turn"      // Target: the agent; result: []signals.Any, what it said
	OpConsensus OpName = "consensus" // Target: the strategy; result: consensus.Decision
)

// The ops of what a reactor calls in its turn, for those who call it: nobody
// else sees the call. Their results are attributes, []slog.Attr: also of a call
// that failed.
const (
	OpModel OpName = "model" // Target: the model asked for
	OpTool  OpName = "tool"  // Target: the tool
)

// The keys of attributes that hooks know.
const (
	AttrProvider     = "provider"      // string: who serves the model
	AttrModel        = "model"         // string: the model that answered
	AttrInputTokens  = "tokens.input"  // int: those of the prompt
	AttrOutputTokens = "tokens.output" // int: those of the answer
	AttrCost         = "cost"          // float: in US dollars
	AttrFinish       = "finish"        // string: why the model stopped, such as "stop" or "length"
	AttrTry          = "try"           // int: 1 for a turn that is taken again, 2 the second time
)

// Notes of those who drive turns, in the context of the round or of the solve.
type (
	// TurnLate says that its round went on without a turn. What comes of it may
	// still be used.
	TurnLate struct {
		Agent string
		Round int
	}
	// TurnDropped says that what comes of a turn, or came of it, is not used.
	TurnDropped struct {
		Agent string
		Round int
	}
)

type hookKey struct{}

// WithHook returns a context that carries h. A nil h leaves what ctx carries.
func WithHook(ctx context.Context, h Hook) context.Context {
	if h == nil {
		return ctx
	}
	return context.WithValue(ctx, hookKey{}, h)
}

func hookOf(ctx context.Context) Hook {
	h, _ := ctx.Value(hookKey{}).(Hook)
	return h
}

// Start tells the hook that ctx carries, if any, that op begins. The caller
// calls end in any case.
func Start(ctx context.Context, op Op) (inside context.Context, end End) {
	if h := hookOf(ctx); h != nil {
		return h.Start(ctx, op)
	}
	return ctx, unwatched
}

func unwatched(any, error) {}

// Note tells the hook that ctx carries, if any, that something happened.
func Note(ctx context.Context, what any) {
	if h := hookOf(ctx); h != nil {
		h.Note(ctx, what)
	}
}

// TraceOf returns where ctx is in a trace, nil if it carries no hook.
func TraceOf(ctx context.Context) *signals.Trace {
	if h := hookOf(ctx); h != nil {
		return h.Trace(ctx)
	}
	return nil
}
