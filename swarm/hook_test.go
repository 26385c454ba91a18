package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A tree is a hook that keeps ops as lines, each below what it is inside of.
type tree struct {
	mu   sync.Mutex // protects the fields below and those of its nodes
	root node
	open int
	ops  byte // given out as span ids
}

type node struct {
	line     string
	children []*node
	trace    *signals.Trace
}

type nodeKey struct{}

func (t *tree) inside(ctx context.Context) *node {
	if n, ok := ctx.Value(nodeKey{}).(*node); ok {
		return n
	}
	return &t.root
}

func (t *tree) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
	t.ops++
	n := &node{trace: &signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{t.ops}}}
	n.line = strings.TrimSpace(fmt.Sprintf("%s %s", op.Name, op.Target))
	parent := t.inside(ctx)
	parent.children = append(parent.children, n)
	return context.WithValue(ctx, nodeKey{}, n), func(result any, err error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open--
		switch r := result.(type) {
		case *solves.Result:
			n.line += ": " + r.Stop.String()
		case solves.Evaluation:
			n.line += ": " + r.Decision.Outcome.String()
		}
		if err != nil {
			n.line += " !"
		}
	}
}

func (t *tree) Note(ctx context.Context, what any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.inside(ctx)
	switch what.(type) {
	case conflict.Pair:
		n.line += " (conflict)"
	case *signals.Signal[signals.Escalation]:
		n.line += " (escalation)"
	case solves.Refused:
		n.line += " (refused)"
	}
}

func (t *tree) Trace(ctx context.Context) *signals.Trace { return t.inside(ctx).trace }

func (n *node) lines(indent string) []string {
	all := []string{indent + n.line}
	for _, c := range n.children {
		all = append(all, c.lines(indent+"  ")...)
	}
	return all
}

func TestHookSeesASolveAsATree(t *testing.T) {
	hook := &tree{}
	p := proposer("p", "a", "do a")
	p.CanEmit = []signals.Kind{signals.KindProposal, signals.KindVote}
	s := newSwarm(t, swarm.Options{Name: "team", Hook: hook, Agents: []*agents.Agent{
		p, voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": yes}),
	}})
	solve(t, s)
	want := []string{
		"  solve team: consensus",
		"    round",
		"      turn p",
		"      consensus confidence-weighted: pending",
		"    round",
		"      turn v",
		"      consensus confidence-weighted: pending",
		"      turn w",
		"      consensus confidence-weighted: reached",
	}
	hook.sorted()
	if diff := cmp.Diff(want, hook.root.lines("")[1:]); diff != "" {
		t.Error(diff)
	}
	if hook.open != 0 {
		t.Errorf("%d ops did not end", hook.open)
	}
}

// sorted puts the turns of a round, which begin at once, between the
// evaluations, which come one after the other.
func (t *tree) sorted() {
	for _, round := range t.root.children[0].children {
		var turns, rest []*node
		for _, c := range round.children {
			if strings.HasPrefix(c.line, "turn") {
				turns = append(turns, c)
			} else {
				rest = append(rest, c)
			}
		}
		if len(turns) == 2 && turns[0].line > turns[1].line {
			turns[0], turns[1] = turns[1], turns[0]
		}
		round.children = nil
		for i := range rest {
			if i < len(turns) {
				round.children = append(round.children, turns[i])
			}
			round.children = append(round.children, rest[i])
		}
	}
}

func TestHookSeesConflictEscalationAndRefusal(t *testing.T) {
	hook := &tree{}
	liar := proposer("liar", "a", "not what a was")
	s := newSwarm(t, swarm.Options{Hook: hook, Conflicts: settle.ByEscalation, Agents: []*agents.Agent{
		proposer("p", "a", "do a"), proposer("q", "b", "do b"), liar,
		voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes}),
	}})
	if r := solve(t, s); r.Stop != runlog.StopEscalated {
		t.Fatalf("got %v, want escalated", r.Stop)
	}
	if got, want := hook.root.children[0].children[0].line, "round (conflict) (refused)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := hook.root.children[0].line, "solve swarm (escalation): escalated"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSignalsCarryWhereTheyWereSaid(t *testing.T) {
	hook := &tree{}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": yes}),
	}})
	r, err := s.Solve(hooks.With(t.Context(), hook), signals.Task{Task: "which one?"})
	if err != nil {
		t.Fatal(err)
	}
	places := map[*signals.Trace]string{}
	var place func(*node)
	place = func(n *node) {
		places[n.trace], _, _ = strings.Cut(n.line, ":")
		for _, c := range n.children {
			place(c)
		}
	}
	place(&hook.root)
	var got []string
	for _, s := range r.Log {
		if s.Kind() == runlog.KindBegan {
			continue
		}
		got = append(got, string(s.Kind())+" in "+places[s.Head().Trace])
	}
	want := []string{"task:new in solve swarm", "proposal in turn p", "vote in turn v", "vote in turn w", "consensus:reached in solve swarm"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
