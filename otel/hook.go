package otel

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// An op is a running operation, as a span.
type op struct {
	agents.Op
	observer *Observer
	ctx      context.Context
	span     trace.Span
	began    time.Time
	returned time.Time // of a turn; zero: it has not, or its fate is not awaited

	concludedBy string // the stop reason of a solve that did not decide
}

// Start implements [agents.Hook]: it starts a span, and ends it when the op
// ends. An evaluation of a solve's votes has one if the decision changed.
func (o *Observer) Start(ctx context.Context, about agents.Op) (context.Context, agents.End) {
	if of := solvingOf(ctx); of != nil && about.Name == agents.OpConsensus {
		return ctx, o.weigh(ctx, of, about)
	}
	p := o.begin(ctx, about, time.Now())
	return p.ctx, p.end
}

// begin starts the span of an op that began then.
func (o *Observer) begin(ctx context.Context, about agents.Op, began time.Time) *op {
	about.Target = o.words.few(about.Target)
	p := &op{Op: about, observer: o, began: began}
	s := styleOf(about.Name)
	p.ctx, p.span = o.tracer.Start(ctx, s.name(&about), trace.WithSpanKind(s.kind), trace.WithTimestamp(p.began))
	switch p.Name {
	case agents.OpSolve:
		o.solves.begin(p.solve(), p.Target)
		o.turns.open(p.solve())
		p.ctx = withSolve(p.ctx, p.solve())
	case agents.OpTurn:
		o.turns.add(p)
		p.ctx = context.WithValue(p.ctx, turnOpKey{}, p)
	}
	if p.span.IsRecording() {
		if turn, ok := p.ctx.Value(turnOpKey{}).(*op); ok && turn != p && about.Thread == "" {
			about.Thread, about.Round = turn.Thread, turn.Round
			p.span.SetAttributes(keyAgentName.String(turn.Target))
		}
		p.span.SetAttributes(s.attributes(&about, p.span.SpanContext())...)
		p.hear()
	}
	return p
}

// turnOpKey is where a context carries the turn that it is inside of.
type turnOpKey struct{}

// name returns the name of a span. Rounds include their number, up to a bound,
// because people search for it.
func (s *style) name(about *agents.Op) string {
	if about.Name == agents.OpRound && about.Round < maxRounds {
		return s.verb + " " + strconv.Itoa(about.Round)
	}
	return strings.TrimSpace(s.verb + " " + about.Target)
}

const maxRounds = 100

func (s *style) attributes(about *agents.Op, at trace.SpanContext) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, 6)
	if s.genAI {
		all = append(all, keyGenAI.String(s.verb))
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

// hear links a turn to the signals of its inbox, and also lists them in an
// attribute, because Jaeger's page does not show the attributes of links.
func (p *op) hear() {
	if len(p.Heard) == 0 {
		return
	}
	var texts []string
	for _, s := range p.Heard {
		link(p.span, linkHeard, p.observer.where(s, p.span.SpanContext()))
		if len(texts) < maxMentions {
			texts = append(texts, p.observer.mention(s))
		}
	}
	if more := len(p.Heard) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	p.span.SetAttributes(keyHeard.StringSlice(texts))
}

func (p *op) solve() solveKey { return solveKey{p.span.SpanContext().TraceID(), p.Thread} }

func (p *op) end(result any, err error) {
	p.came(result)
	p.observer.meters.took(p, result, p.failed(err))
	switch {
	case p.Name == agents.OpTurn && p.observer.turns.back(p):
		return // ended with its solve
	case p.Name == agents.OpSolve:
		p.observer.turns.over(p.solve())
	}
	p.span.End()
}

// Trace implements [agents.Hook].
func (o *Observer) Trace(ctx context.Context) *signals.Trace {
	return FromSpan(trace.SpanContextFromContext(ctx))
}
