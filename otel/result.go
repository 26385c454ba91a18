package otel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// record sets the attributes of the result of an op.
func (p *op) record(result any) {
	switch r := result.(type) {
	case *solves.Result:
		p.solved(r)
	case solves.Evaluation:
		p.decided(&r.Decision)
		p.span.SetAttributes(p.observer.withheld(r.Obstacles)...)
	case consensus.Decision:
		p.decided(&r)
	case []signals.Any:
		p.span.SetAttributes(keySaid.Int(len(r)))
	case []slog.Attr:
		p.span.SetAttributes(converted(r)...)
	}
}

func (p *op) solved(r *solves.Result) {
	if r.Stop == runlog.StopAsked {
		p.span.SetAttributes(keyDecided.Bool(false)) // a person is asked: it has not failed
	} else {
		p.concluded(r.Stop == runlog.StopConsensus || r.Stop == runlog.StopRejected, r.Stop.String())
	}
	if !p.span.IsRecording() {
		return
	}
	if r.Planned != nil {
		p.span.SetAttributes(keyMode.String(r.Planned.Mode.String()))
	}
	p.span.SetAttributes(append(p.observer.decision(&r.Decision),
		keyStop.String(r.Stop.String()), keyReason.String(p.observer.reason(r)), keySeed.String(strconv.FormatUint(r.Seed, 10)),
		keyRounds.Int(r.Rounds), keySignals.Int(len(r.Log)), keyConflict.Int(len(r.Conflicts)),
		keyTaken.Int(r.Turns.Taken), keyTurnsFailed.Int(r.Turns.Failed), keyTurnsDropped.Int(r.Turns.Dropped),
		keyTurnsLate.Int(r.Turns.Late), keyRetried.Int(r.Turns.Retried), keyRefused.Int(r.Turns.Refused),
	)...)
	if spent := r.SpentInAll(); spent.Calls > 0 {
		p.span.SetAttributes(keyInputTokens.Int(spent.InputTokens), keyOutputTokens.Int(spent.OutputTokens), keyCost.Float64(spent.Dollars))
	}
	if len(r.LeftBehind) > 0 {
		p.span.SetAttributes(keyLeftBehind.StringSlice(r.LeftBehind))
	}
	if r.Stop == runlog.StopEscalated && r.Question != nil {
		p.span.SetAttributes(keyEscalatedBy.String(r.Question.Asks), keyOptions.StringSlice(p.observer.proposals(r.Question.Options)))
	}
	p.span.SetAttributes(p.observer.settlement(r)...)
	if o := p.observer; o.content != nil {
		p.span.SetAttributes(keyInput.String(o.messages("user", "", r.Task.Kind(), "task", r.Task.Task)))
		if r.Answer != "" {
			p.span.SetAttributes(keyOutput.String(o.messages("assistant", "stop", signals.KindConsensus, "decision", r.Answer)))
		}
	}
}

// concluded sets the status of a solve, which failed if it did not decide.
func (p *op) concluded(decided bool, why string) {
	p.span.SetAttributes(keyDecided.Bool(decided))
	if decided {
		return
	}
	p.concludedBy = why
	fail(p.span, why, why)
	p.observer.log.LogAttrs(p.ctx, slog.LevelInfo, "no decision", slog.String("thread", p.Thread), slog.String("why", why))
}

func (p *op) decided(d *consensus.Decision) {
	if p.Name == hooks.OpSolve {
		p.concluded(d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected, d.Outcome.String())
	}
	if p.span.IsRecording() {
		p.span.SetAttributes(append(p.observer.decision(d), keyReason.String(p.observer.votes(d)))...)
	}
}

// decision returns the attributes of a decision: the state of the votes, and what
// would change it.
func (o *Observer) decision(d *consensus.Decision) []attribute.KeyValue {
	b := d.Ballots()
	all := make([]attribute.KeyValue, 0, 24)
	all = append(all,
		keyStrategy.String(d.Strategy), keyOutcome.String(d.Outcome.String()), keyVoters.Int(d.Voters),
		keySupport.Float64(d.Support), keyConfidence.Float64(d.Confidence), keyThreshold.Float64(b.Threshold()), keyQuorum.Int(b.Quorum()),
	)
	if len(d.Leaders) > 0 {
		all = append(all, keyLeaders.StringSlice(o.proposals(d.Leaders)))
	}
	if d.Choice != "" {
		all = append(all, keyChoice.String(o.proposal(d.Choice)))
	}
	if short := b.Threshold() - d.Support; short > 0 {
		all = append(all, keyShortfall.Float64(short))
	}
	if missing := b.Missing(); len(missing) > 0 {
		all = append(all, keyMissing.StringSlice(missing[:min(len(missing), maxMentions)]))
	}
	return all
}

// failed records why an op failed and returns the sort of error, or "" if the op
// did not fail. A turn that was cancelled because it was no longer needed did not
// fail, but one that was not and returns such an error of its own did.
func (p *op) failed(err error) (sort string) {
	switch {
	case err == nil || p.concludedBy != "":
		return p.concludedBy
	case p.isTurn() && errors.Is(err, context.Canceled) && errors.Is(p.ctx.Err(), context.Canceled):
		p.span.SetAttributes(keyDropped.Bool(true))
		return ""
	case p.isTurn() && asking.Asked(err) != nil:
		p.span.SetAttributes(keyAsked.Bool(true))
		return ""
	}
	sort = errorType(err)
	text := p.observer.describe(sort, err)
	p.failing.Lock()
	fail(p.span, sort, text)
	p.failing.Unlock()
	about := []slog.Attr{slog.String("target", p.Target), slog.String("thread", p.Thread), slog.Int("round", p.Round), slog.String("error", text)}
	if stack := p.observer.panicked(p.span, err); stack != "" {
		about = append(about, slog.String("stack", stack))
	}
	p.observer.log.LogAttrs(p.ctx, slog.LevelWarn, string(p.Name)+" failed", about...)
	return sort
}

// panicked records the stack of a panic, and returns it; "": there was none. The value of the panic may quote what
// agents said and is content; a stack has only addresses of arguments.
func (o *Observer) panicked(span trace.Span, err error) string {
	var agent *agents.PanicError
	var handler *bus.PanicError
	var value any
	var stack []byte
	switch {
	case errors.As(err, &agent):
		value, stack = agent.Value, agent.Stack
	case errors.As(err, &handler):
		value, stack = handler.Value, handler.Stack
	default:
		return ""
	}
	about := []attribute.KeyValue{keyException.String(fmt.Sprintf("%T", value)), keyStack.String(clip(string(stack)))}
	if o.content != nil {
		about = append(about, keyMessageOf.String(o.describe("", err)))
	}
	span.AddEvent(eventException, trace.WithAttributes(about...))
	return clip(string(stack))
}

// describe returns the text of an error for a status or a log. Errors may quote
// what agents said, so without content it is only their sort.
func (o *Observer) describe(sort string, err error) string {
	if o.content == nil {
		return sort
	}
	return clip(o.content("", "error", err.Error()))
}

// errorType returns the sort of an error. There are few sorts.
func errorType(err error) string {
	var turn *agents.PanicError
	var handler *bus.PanicError
	switch {
	case errors.As(err, &turn), errors.As(err, &handler):
		return "panic"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, agents.ErrTurnFull):
		return "turn_full"
	case errors.Is(err, signals.ErrInvalid):
		return "invalid"
	}
	for sentinel, sort := range sorts {
		if errors.Is(err, sentinel) {
			return sort
		}
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	sort := fmt.Sprintf("%T", err)
	if strings.HasPrefix(sort, "*errors.") || strings.HasPrefix(sort, "*fmt.") {
		return otherError
	}
	return sort
}

// otherError is the error.type of an error without a type, by the conventions.
const otherError = "_OTHER"

// sorts are the sentinel errors of buses and swarms.
var sorts = map[error]string{
	swarm.ErrSignals: "signal_limit", bus.ErrClosed: "closed", bus.ErrExpired: "expired", bus.ErrDuplicate: "duplicate", bus.ErrBacklog: "backlog", bus.ErrLagged: "lagged",
	conflict.ErrProposals: "proposal_limit", agents.ErrNoReturn: "no_return", conflict.ErrNotOpen: "not_open",
}
