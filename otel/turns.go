package otel

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents/hooks"
)

// A solving is a running solve. Contexts carry it to the operations inside the
// solve.
//
// The span of a turn ends with the solve, at the time at which the turn
// returned, because it is not known before then whether its result was used.
// A turn that never returns ends with the solve, too.
type solving struct {
	swarm  string
	thread string

	mu    sync.Mutex // protects the fields below, and the turns
	last  verdict    // the last one recorded
	turns map[turnKey]*op
	marks map[turnKey][]attribute.KeyValue // of turns that have not begun
	ended bool
}

type turnKey struct {
	agent string
	round int
}

type solvingKey struct{}

// solvingOf returns nil outside of a solve.
func solvingOf(ctx context.Context) *solving {
	s, _ := ctx.Value(solvingKey{}).(*solving)
	return s
}

// begun adds a turn. A retry replaces the previous attempt, which ends.
func (s *solving) begun(p *op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := turnKey{p.Target, p.Round}
	p.span.SetAttributes(s.marks[key]...)
	delete(s.marks, key)
	if s.ended {
		return
	}
	if before := s.turns[key]; before != nil {
		before.finish(time.Now())
	}
	s.turns[key] = p
}

// returned records that a turn returned. It reports false if the turn is not
// among those of the solve, so that the caller has to end the span.
func (s *solving) returned(p *op) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[turnKey{p.Target, p.Round}] != p {
		return false
	}
	p.returned = time.Now()
	return true
}

// mark sets an attribute of a turn: when it begins, if it has not. A busy machine
// may start a turn after its round has gone on without it.
func (s *solving) mark(agent string, round int, as attribute.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := turnKey{agent, round}
	if p := s.turns[key]; p != nil {
		p.span.SetAttributes(as)
		return
	}
	if s.marks == nil {
		s.marks = map[turnKey][]attribute.KeyValue{}
	}
	s.marks[key] = append(s.marks[key], as)
}

// end ends the spans of all turns. The result of a turn that has not returned
// is dropped, whether or not the turn has noticed that its context ended.
func (s *solving) end() {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.turns {
		if p.returned.IsZero() {
			p.span.SetAttributes(keyDropped.Bool(true))
		}
		p.finish(now)
	}
	s.turns, s.ended = nil, true
}

// finish ends the span of a turn, at the time at which the turn returned, or
// now.
func (p *op) finish(now time.Time) {
	if !p.returned.IsZero() {
		now = p.returned
	}
	p.failing.Lock()
	defer p.failing.Unlock()
	p.span.End(trace.WithTimestamp(now))
}

// turned marks a turn that was late, or whose result was dropped.
func (o *Observer) turned(ctx context.Context, what any) {
	s := solvingOf(ctx)
	if s == nil {
		return
	}
	switch w := what.(type) {
	case hooks.TurnLate:
		s.mark(w.Agent, w.Round, keyTurnLate.Bool(true))
	case hooks.TurnDropped:
		s.mark(w.Agent, w.Round, keyDropped.Bool(true))
	}
}
