package swarm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// What a tool returned was said by who called it, who alone takes it back and says it again.
// Eve says it in ann's name after ann took it back.
func TestAgentCannotPublishAnotherAgentsToolResult(t *testing.T) {
	t.Parallel()
	scan := signals.ToolResult{ToolName: "db", Result: "scan", TriggeredBy: "ann"}
	speaks := func(id string, say func(t *agents.Turn) []signals.Any) *agents.Agent {
		return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq { return agents.Emit(say(t)...) })}
	}
	ann := speaks("ann", func(t *agents.Turn) []signals.Any {
		switch t.Round {
		case 1:
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, scan), propose("a", "add")}
		case 2:
			f := t.Said[0].Head().ID
			return []signals.Any{signals.New(signals.Header{Confidence: 1, ReplyTo: f}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1}), signals.Retract(f, "wrong")}
		}
		return nil
	})
	eve := speaks("eve", func(t *agents.Turn) []signals.Any {
		if t.Round == 3 {
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, scan)}
		}
		return []signals.Any{propose("e", "else")}
	})
	s := startOn(t, swarm.Options{Agents: []*agents.Agent{ann, eve}, Threshold: 1, Quorum: 2, Limits: swarm.Limits{Rounds: 4}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "what?"})
	if err != nil {
		t.Fatal(err)
	}
	var refused []*signals.FieldError
	for _, f := range r.Refused {
		if field := (*signals.FieldError)(nil); errors.As(f.Err, &field) && f.Kind == signals.KindToolResult {
			refused = append(refused, field)
		}
	}
	if len(refused) != 1 || refused[0].Field != "triggeredBy" || refused[0].Value != "ann" {
		t.Errorf("refused %v of %v", refused, r.Refused)
	}
	if len(r.Fallen) != 1 {
		t.Errorf("%d votes have fallen, want ann's", len(r.Fallen))
	}
	framed := signals.New(signals.Header{Confidence: 1, Source: "person"}, scan)
	if _, err := s.Resume(t.Context(), r.Log, framed); !errors.As(err, new(*signals.FieldError)) {
		t.Errorf("an answer with a tool's result in the name of ann: %v", err)
	}
}

// What an agent only says that a tool returned moves nobody; what a tool returned to it does.
func TestOnlyWhatAToolReturnedMovesASeat(t *testing.T) {
	t.Parallel()
	slow := signals.ToolResult{ToolName: "scan", Result: "x is slow", TriggeredBy: "bob"}
	states := func(context.Context) signals.Any {
		forged := slow
		forged.Witnessed = true
		return signals.New(signals.Header{Confidence: 1}, forged)
	}
	runs := func(ctx context.Context) signals.Any { return agents.Returned(ctx, slow) }
	for want, result := range map[runlog.StopReason]func(context.Context) signals.Any{
		runlog.StopDeadlock: states, runlog.StopConsensus: runs,
	} {
		stands := func(id, own string, later func(ctx context.Context, t *agents.Turn) []signals.Any) *agents.Agent {
			return &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) seq {
				if t.Round == 1 {
					return agents.Emit(propose(own, own), agents.Agree(own, 1, "known"))
				}
				return agents.Emit(later(ctx, t)...)
			})}
		}
		ann := stands("ann", "x", func(_ context.Context, t *agents.Turn) (all []signals.Any) {
			for _, s := range t.New {
				if s.Kind() == signals.KindToolResult {
					all = append(all, signals.New(signals.Header{Confidence: 1, ReplyTo: s.Head().ID}, signals.Vote{ProposalID: "y", Stance: signals.Agree, Weight: 1}))
				}
			}
			return all
		})
		bob := stands("bob", "y", func(ctx context.Context, t *agents.Turn) []signals.Any {
			if t.Round > 2 {
				return nil
			}
			return []signals.Any{result(ctx)}
		})
		s := startOn(t, swarm.Options{Agents: []*agents.Agent{ann, bob}})
		r, err := s.Solve(t.Context(), signals.Task{Task: "what?"})
		if err != nil || (r.Stop == runlog.StopConsensus) != (want == runlog.StopConsensus) {
			t.Errorf("stopped by %v: %s, want %v; %v", r.Stop, r.Detail, want, err)
		}
	}
}
