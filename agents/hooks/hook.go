// Package hooks reports the operations of agents and swarms as they happen, for
// tracing and metrics. A context carries a [Hook] to everything that runs under it:
//
//	ctx = hooks.With(ctx, hook)
//
//	ctx, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpTool, Target: "search"})
//	found, err := search(ctx)
//	end(nil, err)
//
// Without a hook, [Start] and [Note] do nothing and allocate nothing. Package otel has
// a hook that records spans and metrics.
package hooks

import (
	"context"
	"log/slog"

	"github.com/swarmbus/swarmbus/signals"
)

// A Hook is called for operations and for events during them, for tracing or
// metrics. A context carries it ([With]) to everything that runs under it:
// a solve, its rounds and turns, and what a reactor calls in its turn. It is
// called concurrently, by the goroutines that do the work, so it must be quick.
type Hook interface {
	// Start is called when op begins, inside the op of ctx. Work under the
	// returned context is inside op. The returned function is called once, when
	// op ends, from any goroutine.
	Start(ctx context.Context, op Op) (context.Context, End)
	// Note is called for an event inside the op of ctx. The type of what
	// identifies the event: a conflict.Pair, for example. []slog.Attr are
	// attributes of the op that are known while it runs, with the keys below. A
	// hook ignores types that it does not know.
	Note(ctx context.Context, what any)
	// Trace returns the trace context of ctx, for the headers of signals
	// emitted there; nil: not traced. What it points to is never modified.
	Trace(ctx context.Context) *signals.Trace
}

// End is called when an op ends. The type of result depends on the op: see the
// names of ops; nil: no result. err is the error of a failed op.
type End func(result any, err error)

// An Op is a piece of work that takes time.
type Op struct {
	Name   OpName
	Target string // who or what does it: a name of low cardinality, never an id
	Thread string
	Round  int
	Heard  []signals.Any // signals that a turn reacts to; never modified
	// Cause is the trace context of the message for which the op is done, if ctx is inside of
	// no op. The op is inside of the one in which the message was sent. A turn that has one
	// is part of the same turn in the process of its swarm.
	Cause *signals.Trace

	// Attributes describe the op at its beginning, with the keys below or the
	// caller's own. Hooks record them unchanged, so they must not hold anything
	// that agents say.
	Attributes []slog.Attr
}

// An OpName names a sort of operation: one of those below, or one of another
// package.
type OpName string

// The ops of agents and swarms, with their targets and results.
const (
	OpSolve     OpName = "solve"     // Target: the swarm; result: *solves.Result
	OpRound     OpName = "round"     // Target: none; result: nil
	OpTurn      OpName = "turn"      // Target: the agent; result: []signals.Any, its signals
	OpConsensus OpName = "consensus" // Target: the strategy; result: solves.Evaluation, or a consensus.Decision outside of solves
)

// The ops of calls that a reactor makes in its turn. The caller has to report
// them, as no one else sees the call. Their results are attributes,
// []slog.Attr, also for a call that failed.
const (
	OpModel OpName = "model" // Target: the model asked for
	OpTool  OpName = "tool"  // Target: the tool, by a name that the program declares, never one that a model makes up
)

// The ops of messages outside of solves. Their results are nil.
const (
	OpSend    OpName = "send"    // Target: the kind of the message
	OpProcess OpName = "process" // Target: the kind of the message that an agent answers; inside: its turn
)

// The keys of attributes that hooks know.
const (
	AttrProvider     = "provider"      // string: the provider of the model
	AttrModel        = "model"         // string: the model that answered
	AttrInputTokens  = "tokens.input"  // int: tokens of the prompt
	AttrOutputTokens = "tokens.output" // int: tokens of the answer
	AttrCost         = "cost"          // float: in US dollars
	AttrFinish       = "finish"        // string: why the model stopped, such as "stop" or "length"
	AttrTry          = "try"           // int: 1 for the first retry of a turn, 2 for the second
	AttrPolicy       = "policy"        // string: the policy of a call of a tool: "allow", "ask" or "deny"
	AttrOutcome      = "outcome"       // string: how a call of a tool ended, such as "done" or "denied"

	AttrMost        = "request.max_tokens"   // int: the maximum of the answer
	AttrTemperature = "request.temperature"  // float
	AttrSeed        = "request.seed"         // int
	AttrOutput      = "output.type"          // string: "json" if a schema was asked for, else "text"
	AttrCachedRead  = "tokens.cached"        // int: tokens of the prompt that the provider had cached
	AttrResponse    = "response.id"          // string: the provider's id of the answer
	AttrFirstChunk  = "first_chunk"          // duration: until the answer began to arrive
	AttrServer      = "server.address"       // string: the host of the server that is asked
	AttrPort        = "server.port"          // int
	AttrCall        = "tool.call.id"         // string: the provider's id of the call of a tool
	AttrToolType    = "tool.type"            // string: "function"
	AttrMCPMethod   = "mcp.method.name"      // string: what an MCP server is asked for
	AttrMCPProtocol = "mcp.protocol.version" // string
	AttrTransport   = "network.transport"    // string: "pipe" or "tcp"
)

// Notes of the driver of turns, in the context of the round or of the solve.
type (
	// TurnLate says that the round continued without a turn. Its result may
	// still be used.
	TurnLate struct {
		Agent string
		Round int
	}
	// TurnDropped says that the result of a turn is not used.
	TurnDropped struct {
		Agent string
		Round int
	}
)

type hookKey struct{}

// With returns a context that carries h. If h is nil, it returns ctx.
func With(ctx context.Context, h Hook) context.Context {
	if h == nil {
		return ctx
	}
	return context.WithValue(ctx, hookKey{}, h)
}

func hookOf(ctx context.Context) Hook {
	h, _ := ctx.Value(hookKey{}).(Hook)
	return h
}

// Start calls the hook that ctx carries, if any, for the beginning of op. The
// caller must always call end.
func Start(ctx context.Context, op Op) (inside context.Context, end End) {
	if h := hookOf(ctx); h != nil {
		return h.Start(ctx, op)
	}
	return ctx, unwatched
}

func unwatched(any, error) {}

// Note calls the hook that ctx carries, if any, for an event.
func Note(ctx context.Context, what any) {
	if h := hookOf(ctx); h != nil {
		h.Note(ctx, what)
	}
}

// TraceOf returns the trace context of ctx, or nil if ctx carries no hook.
func TraceOf(ctx context.Context) *signals.Trace {
	if h := hookOf(ctx); h != nil {
		return h.Trace(ctx)
	}
	return nil
}
