package swarm_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// fallen is a voter of a model's group; if that is out, a small model answers in its place.
func fallen(id, model string, out bool, stance signals.Stance) *agents.Agent {
	a := voter(id, nil)
	a.Group = model
	a.Reactor = agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) seq {
		said := []signals.Any{vote(p.Payload.ProposalID, stance, 0.9)}
		if out {
			said = append([]signals.Any{signals.New(signals.Header{Confidence: 1}, agents.Fallback{Model: "scripted:small", For: model, Reason: "it is gone"})}, said...)
		}
		return agents.Emit(said...)
	})
	return a
}

// TestAMemberCannotLeaveItsGroup has an agent whose signals were read by a codec without the kind, as those of
// programs that join.
func TestAMemberCannotLeaveItsGroup(t *testing.T) {
	t.Parallel()
	raw := signals.New(signals.Header{Confidence: 1}, signals.Raw{Type: agents.Fallback{}.Kind(), JSON: `{"model":"mine","for":"x"}`})
	member := voter("v1", map[string]signals.Stance{"a": yes})
	member.Group = "x"
	votes := member.Reactor
	member.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		return func(yield func(signals.Any, error) bool) {
			if yield(raw, nil) {
				votes.React(ctx, turn)(yield)
			}
		}
	})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), member, voter("v2", map[string]signals.Stance{"a": yes})}, Mode: mode.Deliberate})
	r, err := s.Solve(t.Context(), signals.Task{Task: "which?"})
	if err != nil {
		t.Fatal(err)
	}
	if group, _ := r.Decision.Ballots().Group("v1"); group != "x" || len(r.Refused) != 1 || len(r.Fallbacks) > 0 {
		t.Errorf("v1 is of %q, and refused is %v", group, r.Refused)
	}
}

// TestTwoAgentsThatFellBackToOneModelAreOneOpinion has two agents of different vendors whose models are
// out, and one that disagrees with them.
func TestTwoAgentsThatFellBackToOneModelAreOneOpinion(t *testing.T) {
	t.Parallel()
	solve := func(out bool) (share float64, text string) {
		path := filepath.Join(t.TempDir(), "run.journal")
		store, err := journal.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		team := []*agents.Agent{proposer("p", "a", "do a"), fallen("v1", "scripted:large", out, yes), fallen("v2", "scripted:other", out, yes), fallen("v3", "scripted:third", false, signals.Disagree)}
		var b strings.Builder
		s := newSwarm(t, swarm.Options{Agents: team, Mode: mode.Deliberate, Journal: store, Seed: 1})
		var r *solves.Result
		show := transcript.Text(&b, nil)
		for e, err := range s.Stream(t.Context(), signals.Task{Task: "which?"}) {
			if err := cmp.Or(err, show(e)); err != nil {
				t.Fatal(err)
			}
			if end, ok := e.(solves.Stopped); ok {
				r = end.Result
			}
		}
		checkResult(t, r)
		for _, v := range []string{"v1", "v2"} {
			if group, _ := r.Decision.Ballots().Group(v); (group == "scripted:small") != out {
				t.Errorf("out %v: %s is of the group %q", out, v, group)
			}
		}
		if err := errors.Join(s.Shutdown(t.Context()), store.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := replayedFile(t, path); err != nil {
			t.Errorf("out %v: the log says otherwise: %v", out, err)
		}
		return r.Decision.Tallies()[0].For, b.String()
	}
	own, text := solve(false)
	if strings.Contains(text, "in place of") {
		t.Errorf("without an outage:\n%s", text)
	}
	fell, text := solve(true)
	if fell >= own {
		t.Errorf("two votes of one model weigh %v, and %v of two models", fell, own)
	}
	if n := strings.Count(text, "scripted:small answered in place of scripted:large: it is gone"); n != 2 {
		t.Errorf("%d lines say who answered, want one at its place and one at the end:\n%s", n, text)
	}
}
