package otel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// came records the result of an op.
func (p *op) came(result any) {
	switch r := result.(type) {
	case *swarm.Result:
		p.solved(r)
	case consensus.Decision:
		p.decided(&r)
	case []signals.Any:
		p.span.SetAttributes(keySaid.Int(len(r)))
	case []slog.Attr:
		p.span.SetAttributes(converted(r)...)
	}
}

func (p *op) solved(r *swarm.Result) {
	p.observer.meters.decision(p.ctx, p.began, r.Stop.String(), &r.Decision)
	stop := keyStop.String(r.Stop.String())
	p.concluded(r.Stop == swarm.StopConsensus || r.Stop == swarm.StopRejected, r.Stop.String())
	if !p.span.IsRecording() {
		return
	}
	p.span.AddEvent(eventStop, trace.WithAttributes(stop))
	p.span.SetAttributes(
		stop, keyRounds.Int(r.Rounds), keyTurns.Int(r.Turns.Taken), keySignals.Int(len(r.Log)), keyConflict.Int(len(r.Conflicts)),
	)
	p.span.SetAttributes(decision(&r.Decision)...)
}

// concluded is the status of a solve: Ok if it decided, one way or the other.
func (p *op) concluded(decided bool, why string) {
	if decided {
		p.span.SetStatus(codes.Ok, "")
		return
	}
	p.span.SetStatus(codes.Error, why)
	p.observer.log.LogAttrs(p.ctx, slog.LevelInfo, "no decision", slog.String("thread", p.Thread), slog.String("why", why))
}

func (p *op) decided(d *consensus.Decision) {
	if p.Name == agents.OpSolve {
		p.observer.meters.decision(p.ctx, p.began, "", d)
		p.concluded(d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected, d.Outcome.String())
	}
	if p.span.IsRecording() {
		p.span.SetAttributes(decision(d)...)
	}
}

func decision(d *consensus.Decision) []attribute.KeyValue {
	all := []attribute.KeyValue{
		keyStrategy.String(d.Strategy), keyOutcome.String(d.Outcome.String()), keyVoters.Int(d.Voters),
		keySupport.Float64(d.Support), keyConfidence.Float64(d.Confidence),
	}
	if len(d.Leaders) > 0 {
		all = append(all, keyLeaders.StringSlice(d.Leaders))
	}
	if d.Choice != "" {
		all = append(all, keyChoice.String(d.Choice))
	}
	return all
}

// failed records why an op failed. A turn that was cancelled because it was
// not needed any more did not.
func (p *op) failed(err error) {
	switch {
	case err == nil:
		return
	case p.Name == agents.OpTurn && errors.Is(err, context.Canceled):
		p.span.SetAttributes(keyDropped.Bool(true))
		return
	}
	sort := errorType(err)
	p.span.SetAttributes(keyError.String(sort))
	p.span.SetStatus(codes.Error, p.observer.describe(sort, err))
	p.observer.panicked(p.span, err)
	p.observer.log.LogAttrs(p.ctx, slog.LevelWarn, string(p.Name)+" failed",
		slog.String("target", p.Target), slog.String("thread", p.Thread), slog.Int("round", p.Round), slog.Any("error", err))
}

// panicked records where somebody panicked. What they panicked with may quote
// what agents said; a stack holds addresses in its place.
func (o *Observer) panicked(span trace.Span, err error) {
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
		return
	}
	about := []attribute.KeyValue{keyException.String(fmt.Sprintf("%T", value)), keyStack.String(clip(string(stack)))}
	if o.content != nil {
		about = append(about, keyMessageOf.String(o.describe("", err)))
	}
	span.AddEvent(eventException, trace.WithAttributes(about...))
}

// describe is what a status says: errors quote what agents said, so without
// content only their sort.
func (o *Observer) describe(sort string, err error) string {
	if o.content == nil {
		return sort
	}
	return clip(o.content("", "error", err.Error()))
}

// errorType names the sort of an error, of which there are few.
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
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return fmt.Sprintf("%T", err)
}
