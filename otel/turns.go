package otel

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents"
)

// turns are the turns of solves that run. What becomes of a turn is known
// after it came back, or although it never does, so its span is ended when its
// solve is over, with the time at which it came back. The zero value is ready.
type turns struct {
	mu  sync.Mutex // protects all, and the turns in it
	all map[solveKey]map[turnKey]*op
}

type turnKey struct {
	agent string
	round int
}

// A solving is a solve that runs, as a context carries it to what happens in
// it.
type solving struct {
	key solveKey

	mu   sync.Mutex // protects last
	last verdict    // how the votes stood when they were last recorded
}

type solvingKey struct{}

func withSolve(ctx context.Context, k solveKey) context.Context {
	return context.WithValue(ctx, solvingKey{}, &solving{key: k})
}

// solvingOf returns nil outside of a solve.
func solvingOf(ctx context.Context) *solving {
	s, _ := ctx.Value(solvingKey{}).(*solving)
	return s
}

func solveOf(ctx context.Context) (k solveKey) {
	if s := solvingOf(ctx); s != nil {
		k = s.key
	}
	return k
}

// open adds a solve.
func (t *turns) open(k solveKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[solveKey]map[turnKey]*op{}
	}
	if t.all[k] == nil {
		t.all[k] = map[turnKey]*op{}
	}
}

// add keeps a turn that begins. One that is taken again takes the place of the
// try before.
func (t *turns) add(p *op) {
	k := solveOf(p.ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.all[k]; of != nil {
		key := turnKey{p.Target, p.Round}
		if before := of[key]; before != nil {
			before.finish(time.Now())
		}
		of[key] = p
	}
}

// back says that a turn came back. It reports false if nobody waits for what
// becomes of it: then the caller ends the span.
func (t *turns) back(p *op) bool {
	k := solveOf(p.ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[k][turnKey{p.Target, p.Round}] != p {
		return false
	}
	p.returned = time.Now()
	return true
}

// mark sets an attribute of a turn.
func (t *turns) mark(ctx context.Context, agent string, round int, set func(trace.Span)) {
	k := solveOf(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.all[k][turnKey{agent, round}]; p != nil {
		set(p.span)
	}
}

// over ends the spans of a solve's turns. Those that have not come back are
// dropped, whether they listen to their context or not.
func (t *turns) over(k solveKey) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.all[k] {
		if p.returned.IsZero() {
			p.span.SetAttributes(keyDropped.Bool(true))
		}
		p.finish(now)
	}
	delete(t.all, k)
}

// finish ends a turn's span when it came back, or now.
func (p *op) finish(now time.Time) {
	if !p.returned.IsZero() {
		now = p.returned
	}
	p.span.End(trace.WithTimestamp(now))
}

// turned records what became of a turn.
func (o *Observer) turned(ctx context.Context, what any) {
	switch w := what.(type) {
	case agents.TurnLate:
		o.turns.mark(ctx, w.Agent, w.Round, func(s trace.Span) { s.SetAttributes(keyTurnLate.Bool(true)) })
	case agents.TurnDropped:
		o.turns.mark(ctx, w.Agent, w.Round, func(s trace.Span) { s.SetAttributes(keyDropped.Bool(true)) })
	}
}
