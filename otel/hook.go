package otel

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// An op is one under way, as a span.
type op struct {
	agents.Op
	observer *Observer
	ctx      context.Context
	span     trace.Span
	began    time.Time
}

// Start implements [agents.Hook]: it starts a span, and ends it when the op
// ends.
func (o *Observer) Start(ctx context.Context, about agents.Op) (context.Context, agents.End) {
	p := &op{Op: about, observer: o, began: time.Now()}
	s := styleOf(about.Name)
	about.Target = o.words.few(about.Target)
	name := strings.TrimSpace(s.verb + " " + about.Target)
	p.ctx, p.span = o.tracer.Start(ctx, name, trace.WithSpanKind(s.kind), trace.WithAttributes(s.attributes(&about)...))
	if p.span.IsRecording() && about.Heard != nil {
		p.hear()
	}
	return p.ctx, p.end
}

func (s *style) attributes(about *agents.Op) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, 5)
	if s.genAI {
		all = append(all, keyGenAI.String(s.verb))
	}
	for _, key := range s.target {
		all = append(all, key.String(about.Target))
	}
	if about.Thread != "" {
		all = append(all, keyConversation.String(about.Thread))
	}
	if about.Round > 0 {
		all = append(all, keyRound.Int(about.Round))
	}
	return append(all, converted(about.Attributes)...)
}

// hear links a turn to where the signals of its inbox were said.
func (p *op) hear() {
	p.span.SetAttributes(keyHeard.Int(len(p.Heard)))
	for _, s := range p.Heard {
		h := s.Head()
		link(p.span, linkHeard, ToSpan(h.Trace), keyDestination.String(string(s.Kind())), keyMessage.String(h.ID.String()))
	}
}

func (p *op) end(result any, err error) {
	defer p.span.End()
	p.came(result)
	p.failed(err)
}

// Trace implements [agents.Hook].
func (o *Observer) Trace(ctx context.Context) *signals.Trace {
	return FromSpan(trace.SpanContextFromContext(ctx))
}
