package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

func TestSolveIsOneTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	r.solve(t, swarm.Options{Name: "team", Agents: []*agents.Agent{proposer("p", "a"), voter("v", "a"), voter("w", "a")}})
	golden(t, "consensus.txt", oteltest.Tree(r.spans(t)))
}

func TestConflictEscalationAndDeadLettersAreEventsAndStatus(t *testing.T) {
	r := newTrace(t, otel.Options{})
	r.solve(t, swarm.Options{Name: "rivals", Conflicts: settle.ByEscalation, Agents: []*agents.Agent{
		proposer("p", "a"), proposer("q", "b"), proposer("liar", "a2"), voter("v", "a"), voter("w", "b"),
	}})
	golden(t, "escalated.txt", oteltest.Tree(r.spans(t), routine...))
}

func TestTurnsThatFailAreErrorsBySortAlone(t *testing.T) {
	r := newTrace(t, otel.Options{})
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq { return agents.Fail(errors.New("the prompt was: secret")) })
	panics := agent("panics", signals.KindTask)
	panics.Reactor = agents.Each(func(context.Context, signals.Any) seq { panic("secret") })
	full := agent("talks", signals.KindTask)
	full.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		d := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
		return agents.Emit(d, d, d)
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{fails, panics, full}, Limits: swarm.Limits{TurnSignals: 1, Rounds: 1}})
	golden(t, "failed.txt", oteltest.Tree(r.spans(t), routine...))
}

// toolSet has a Go function and a server with a tool that fails and one that needs permission.
func toolSet() *tools.Set {
	fails := func(context.Context, json.RawMessage) (tools.Result, error) {
		return tools.Result{Text: "no my secret", IsError: true}, nil
	}
	input := json.RawMessage(`{"type":"object"}`)
	return &tools.Set{
		From: []tools.Source{
			tools.Func("grep", "", tools.Hints{}, func(context.Context, map[string]string) (string, error) { return "my secret", nil }),
			tools.Tool{Spec: tools.Spec{Server: "files", Name: "read", Input: input, Hints: tools.Hints{ReadsOnly: true}}, Call: fails},
			tools.Tool{Spec: tools.Spec{Server: "files", Name: "write", Input: input}, Call: fails},
		},
		May: []tools.Rule{{Tools: "grep"}, {Tools: "files/*"}},
	}
}

// TestCallsOfATurnAreInsideOfIt has an agent that asks a model, which fails
// the second time, and calls tools: no span has their arguments or results.
func TestCallsOfATurnAreInsideOfIt(t *testing.T) {
	r := newTrace(t, otel.Options{})
	asks := agent("asks", signals.KindTask)
	asks.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		provider := []slog.Attr{slog.String(hooks.AttrProvider, "acme"), slog.Int("acme.attempt", 1)}
		_, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpModel, Target: "large", Attributes: provider})
		end([]slog.Attr{
			slog.String(hooks.AttrModel, "large-2"), slog.Int(hooks.AttrInputTokens, 17), slog.Int(hooks.AttrOutputTokens, 4),
			slog.Float64(hooks.AttrCost, 0.25), slog.String(hooks.AttrFinish, "stop"),
		}, nil)
		_, end = hooks.Start(ctx, hooks.Op{Name: hooks.OpModel, Target: "large", Attributes: provider})
		end([]slog.Attr{slog.Int(hooks.AttrInputTokens, 9)}, context.DeadlineExceeded)
		calls, err := toolSet().Begin(ctx)
		if err != nil {
			return agents.Fail(err)
		}
		for _, name := range []string{"grep", "files/read", "files/write"} {
			_, err = calls.Make(ctx, models.Call{ID: name, Name: name, Args: json.RawMessage(`{"path":"my secret"}`)})
		}
		if asking.Asked(err) == nil {
			return agents.Fail(err)
		}
		return agents.Emit()
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{asks}})
	golden(t, "calls.txt", oteltest.Tree(r.spans(t), append(routine[:len(routine):len(routine)], "swarmbus.round")...))
}

// A model's server may send any text for names.
func TestTextsInNamesFromAModelsServerAreNotRecorded(t *testing.T) {
	r := newTrace(t, otel.Options{})
	asks := agent("asks", signals.KindTask)
	asks.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		for _, name := range []string{"acme/models/large-3.1-8b:free", "the prompt was this", strings.Repeat("x", 101)} {
			_, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpModel, Target: "large"})
			end([]slog.Attr{slog.String(hooks.AttrModel, name), slog.String(hooks.AttrFinish, name)}, nil)
		}
		return agents.Emit()
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{asks}})
	var got []string
	for _, s := range r.spans(t) {
		if s.Name == "chat large" {
			got = append(got, s.Attributes["gen_ai.response.model"]+" "+s.Attributes["gen_ai.response.finish_reasons"])
		}
	}
	want := []string{"acme/models/large-3.1-8b:free [acme/models/large-3.1-8b:free]", "other [other]", "other [other]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPanicHasItsStack(t *testing.T) {
	var log bytes.Buffer
	r := newTrace(t, otel.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	panics := agent("panics", signals.KindTask)
	panics.Reactor = agents.Each(func(context.Context, signals.Any) seq { panic("secret") })
	r.solve(t, swarm.Options{Agents: []*agents.Agent{panics}})
	for _, s := range r.spans(t) {
		for _, e := range s.Events {
			if e.Name != "exception" {
				continue
			}
			if stack := e.Attributes["exception.stacktrace"]; !strings.Contains(stack, "TestPanicHasItsStack") || strings.Contains(stack, "secret") {
				t.Errorf("got %s, want where it panicked and not with what", stack)
			}
			if text := log.String(); !strings.Contains(text, "TestPanicHasItsStack") || strings.Contains(text, "secret") {
				t.Errorf("the log has %s, want the stack", text)
			}
			return
		}
	}
	t.Error("no exception was recorded")
}

// TestTraceShowsTheDecisionWithoutContent has voters who agree, change their
// mind, and vote on an unknown proposal, and agents that doubt, challenge and
// ask for help.
func TestTraceShowsTheDecisionWithoutContent(t *testing.T) {
	r := newTrace(t, otel.Options{})
	critic := agent("critic", signals.KindProposal)
	critic.Reactor = agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) seq {
		return agents.Emit(
			signals.New(signals.Header{}, signals.Doubt{TargetSignalID: p.ID, Concern: "hush", Severity: signals.High}),
			signals.New(signals.Header{}, signals.Challenge{TargetSignalID: p.ID, CounterArgument: "hush"}),
		)
	})
	stray := agent("stray", signals.KindProposal, signals.New(signals.Header{Confidence: 1},
		signals.Vote{ProposalID: "b", Stance: signals.Disagree, Weight: 1, Reasoning: "hush"}))
	help := agent("help", signals.KindVote, signals.New(signals.Header{}, signals.Escalation{Reason: "hush"}))
	r.solve(t, swarm.Options{Quorum: 4, Agents: []*agents.Agent{proposer("p", "a"), critic, stray, voter("v", "a"), help}})
	text := oteltest.Tree(r.spans(t), routine...)
	if strings.Contains(text, "hush") {
		t.Error("what agents say was recorded")
	}
	golden(t, "told.txt", text)
}

func TestConversationsOfTwoRunsWithOneSeedAreTwo(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		r := newTrace(t, otel.Options{})
		r.solve(t, swarm.Options{Agents: team()})
		thread := ""
		for _, s := range r.spans(t) {
			ids[s.Attributes["gen_ai.conversation.id"]] = true
			thread = s.Attributes["swarmbus.thread"]
		}
		if thread != "solve-00000001-1" {
			t.Errorf("got thread %q, want that of the seed", thread)
		}
	}
	if len(ids) != 2 {
		t.Errorf("got %v, want an id for each run", ids)
	}
}

// TestLateRetriedAndDroppedTurnsAreMarked has an agent that exceeds its turn's
// timeout, one whose first try passes, and one that returns when its result is
// no longer needed.
func TestLateRetriedAndDroppedTurnsAreMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTrace(t, otel.Options{})
		slow := agent("slow", signals.KindTask)
		slow.TurnTimeout, slow.CanEmit = time.Second, []signals.Kind{signals.KindDiscovery}
		slow.Reactor = agents.Each(func(context.Context, signals.Any) seq {
			time.Sleep(time.Minute) // and ignores its context
			return agents.Emit()
		})
		busy := agent("busy", signals.KindTask)
		busy.CanEmit = slow.CanEmit
		busy.Reactor = agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if turn.Try == 0 {
				return agents.Fail(agents.Retryable(errors.New("busy"), 0))
			}
			return agents.Emit()
		})
		unused := agent("unused", signals.KindProposal)
		unused.CanEmit = slow.CanEmit
		r.solve(t, swarm.Options{Agents: append(team(), slow, busy, unused)})
		told := ""
		for _, s := range r.spans(t) {
			if name, ok := strings.CutPrefix(s.Name, "invoke_agent "); ok && len(name) > 1 {
				told += fmt.Sprintf("%s %s late=%s dropped=%s try=%s\n", name, s.Status,
					s.Attributes["swarmbus.turn.late"], s.Attributes["swarmbus.turn.dropped"], s.Attributes["swarmbus.turn.try"])
			}
		}
		lines := strings.Split(strings.TrimSpace(told), "\n")
		slices.Sort(lines)
		if diff := cmp.Diff([]string{
			"busy Error late= dropped= try=", "busy Unset late= dropped= try=1",
			"slow Unset late=true dropped=true try=", "unused Unset late= dropped=true try=",
		}, lines); diff != "" {
			t.Error(diff)
		}
	})
}
