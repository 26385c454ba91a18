package otel

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An op is a running operation with its span.
type op struct {
	hooks.Op
	observer *Observer
	ctx      context.Context
	span     trace.Span
	solve    *solving // nil outside of solves
	began    time.Time
	returned time.Time // of a turn that has returned before its solve ended

	concludedBy string // the stop reason of a solve that did not decide

	failing sync.Mutex // held while a failure is recorded, and while the solve ends the span of a turn
}

// Start implements [hooks.Hook]: it starts a span that ends with the op. An
// evaluation of a solve's votes has a span only if the decision changed.
func (o *Observer) Start(ctx context.Context, about hooks.Op) (context.Context, hooks.End) {
	if of := solvingOf(ctx); of != nil && about.Name == hooks.OpConsensus {
		return ctx, o.weigh(ctx, of, about)
	}
	p := o.begin(ctx, about, time.Now())
	return p.ctx, p.end
}

// begin starts the span of an op.
func (o *Observer) begin(ctx context.Context, about hooks.Op, began time.Time) *op {
	if about.Name == hooks.OpTurn && about.Cause != nil {
		about.Name, about.Heard = opTake, nil // the turn's own span, in the swarm's process, has the links
	}
	thread := about.Thread
	about.Target, about.Thread = o.words.few(about.Target), o.name("thread", about.Thread)
	p := &op{Op: about, observer: o, began: began}
	s := styleOf(about.Name)
	if cause := ToSpan(about.Cause); cause.IsValid() && !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, cause)
	}
	p.ctx, p.span = o.tracer.Start(ctx, s.name(&about), trace.WithSpanKind(s.kind), trace.WithTimestamp(p.began))
	p.inside(thread)
	if p.span.IsRecording() {
		if turn, ok := p.ctx.Value(turnOpKey{}).(*op); ok && turn != p && (about.Thread == "" || about.Thread == turn.Thread) {
			about.Thread, about.Round = turn.Thread, turn.Round
			p.span.SetAttributes(keyAgentName.String(turn.Target))
		}
		p.span.SetAttributes(s.attributes(&about, p.span.SpanContext())...)
		p.hear()
	}
	return p
}

// inside makes the op part of its solve, and of the context of what happens
// inside it.
func (p *op) inside(thread string) {
	o := p.observer
	p.solve = solvingOf(p.ctx)
	if p.Name == hooks.OpSolve {
		p.solve = &solving{swarm: p.Target, thread: thread, turns: map[turnKey]*op{}}
		o.solves.begin(p.solve, p.span.SpanContext())
		p.ctx = context.WithValue(p.ctx, solvingKey{}, p.solve)
	} else if p.solve != nil && p.Name != hooks.OpConsensus {
		o.solves.add(p.solve, p.span.SpanContext())
	}
	if p.Name == hooks.OpTurn && p.solve != nil {
		p.solve.begun(p)
	}
	switch {
	case p.isTurn():
		p.ctx = context.WithValue(p.ctx, turnOpKey{}, p)
	case p.Name == hooks.OpModel:
		p.ctx = context.WithValue(p.ctx, modelOpKey{}, p)
	}
}

// isTurn reports whether the op is a turn, in the process of its swarm or in that of its agent.
func (p *op) isTurn() bool { return p.Name == hooks.OpTurn || p.Name == opTake }

// The keys of the turn, and of the call of a model, in contexts inside it.
type (
	turnOpKey  struct{}
	modelOpKey struct{}
)

// name returns the name of a span. That of a round includes its number, up to
// a bound, because people search for it.
func (s *style) name(about *hooks.Op) string {
	if about.Name == hooks.OpRound && about.Round < maxRounds {
		return s.verb + " " + strconv.Itoa(about.Round)
	}
	return strings.TrimSpace(s.verb + " " + about.Target)
}

const maxRounds = 100

func (s *style) attributes(about *hooks.Op, at trace.SpanContext) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, 6)
	if s.genAI {
		all = append(all, keyGenAI.String(s.verb))
	}
	if s.messaging != "" {
		all = append(all, keySystem.String(system), keyOperation.String(s.verb), keyType.String(s.messaging))
	}
	for _, key := range s.target {
		all = append(all, key.String(about.Target))
	}
	if about.Thread != "" {
		all = append(all, keyConversation.String(conversation(about.Thread, at)), keyThread.String(about.Thread))
	}
	if about.Round > 0 {
		all = append(all, keyRound.Int(about.Round))
	}
	return append(all, converted(about.Attributes)...)
}

// conversation returns an id that is unique to a run: with a fixed seed the
// threads of all runs have the same names.
func conversation(thread string, at trace.SpanContext) string {
	id := at.TraceID()
	return thread + "@" + hex.EncodeToString(id[:4])
}

// hear links a turn to the publishes of its inbox, and also lists the signals in
// an attribute, because Jaeger's page does not show the attributes of links.
func (p *op) hear() {
	if len(p.Heard) == 0 {
		return
	}
	var texts []string
	for _, s := range p.Heard {
		link(p.span, linkHeard, p.observer.where(s, p.span.SpanContext(), p.solve))
		if len(texts) < maxMentions {
			texts = append(texts, p.observer.mention(s))
		}
	}
	if more := len(p.Heard) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	p.span.SetAttributes(keyHeard.StringSlice(texts))
}

func (p *op) end(result any, err error) {
	p.record(result)
	p.observer.meters.took(p, result, p.failed(err))
	switch {
	case p.Name == hooks.OpTurn && p.solve != nil && p.solve.returned(p):
		return // its span ends with the solve
	case p.Name == hooks.OpSolve:
		p.observer.over(p.solve, decisionOf(result))
	}
	p.span.End()
}

// decisionOf returns the decision that a solve ended with, or nil.
func decisionOf(result any) *consensus.Decision {
	switch r := result.(type) {
	case *solves.Result:
		return &r.Decision
	case solves.Evaluation:
		return &r.Decision
	case consensus.Decision:
		return &r
	}
	return nil
}

// Trace implements [hooks.Hook].
func (o *Observer) Trace(ctx context.Context) *signals.Trace {
	return FromSpan(trace.SpanContextFromContext(ctx))
}
