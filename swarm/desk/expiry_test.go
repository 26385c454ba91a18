package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// wiping is a team of one agent that wants to call a tool, and proposes what came of it.
func wiping(ran *atomic.Int32, after asking.Expiry) func(context.Context, desk.Keep) (*desk.Crew, error) {
	return func(context.Context, desk.Keep) (*desk.Crew, error) {
		return &desk.Crew{Build: func(k desk.Keep, _ desk.Show) (swarm.Options, error) {
			may := &tools.Set{Record: cassette.Tools(k.Calls), May: []tools.Rule{{Tools: "wipe", Policy: tools.Ask, Expires: 10 * time.Minute, OnExpiry: after}}, From: []tools.Source{tools.Tool{
				Spec: tools.Spec{Name: "wipe", Input: json.RawMessage(`{"type":"object"}`)},
				Call: func(context.Context, json.RawMessage) (tools.Result, error) {
					ran.Add(1)
					return tools.Result{Text: "wiped"}, nil
				},
			}}}
			return swarm.Options{Quorum: 1, Agents: []*agents.Agent{{ID: "ann", Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
				calls, err := may.Begin(ctx)
				if err != nil {
					return agents.Fail(err)
				}
				all, err := calls.Make(ctx, models.Call{ID: "1", Name: "wipe", Args: json.RawMessage(`{}`)})
				if err != nil {
					return agents.Fail(err)
				}
				return agents.Emit(
					signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "p", Content: all[0].Text, Reasoning: "r"}),
					signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 1, Reasoning: "r"}),
				)
			})}}}, nil
		}}, nil
	}
}

func TestAQuestionThatNobodyAnswersExpires(t *testing.T) {
	t.Parallel()
	for after, want := range map[asking.Expiry]struct {
		stop runlog.StopReason
		said string
	}{
		"":                     {runlog.StopConsensus, "a person has denied the call of wipe: nobody answered within 10m0s"},
		asking.ExpiryDenies:    {runlog.StopConsensus, "nobody answered within 10m0s"},
		asking.ExpiryEscalates: {runlog.StopEscalated, "nobody answered within 10m0s whether ann may call wipe"},
		asking.ExpiryStops:     {runlog.StopExpired, "nobody answered within 10m0s whether ann may call wipe"},
	} {
		for _, restarted := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				ran, path := new(atomic.Int32), filepath.Join(t.TempDir(), "ops.journal")
				team := desk.Team{Name: "ops", Open: wiping(ran, after)}
				opened := func() *desk.Desk {
					store, err := journal.Open(path, nil)
					if err != nil {
						t.Fatal(err)
					}
					d, err := desk.Open(t.Context(), team, desk.NewLocal(store, nil), desk.Options{Continue: true})
					if err != nil {
						t.Fatal(err)
					}
					return d
				}
				d := opened()
				thread := start(t, d, "Do it.")
				time.Sleep(9 * time.Minute)
				one, _ := d.Log().Fold().Solve(thread)
				open := one.Questions.Open()
				if one.Stop != runlog.StopAsked || len(open) != 1 || !strings.Contains(open[0].Call.Detail(), "without an answer within 10m0s: ") {
					t.Fatalf("it is %v, and asks %+v", one.Stop, open)
				}
				if restarted {
					if err := d.Close(t.Context()); err != nil {
						t.Fatal(err)
					}
					d = opened()
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				one, _ = d.Log().Fold().Solve(thread)
				said := one.Detail
				for _, s := range one.Log {
					if p, ok := signals.As[signals.Proposal](s); ok {
						said += p.Payload.Content
					}
				}
				if one.Stop != want.stop || !strings.Contains(said, want.said) || ran.Load() != 0 {
					t.Errorf("%q, restarted %v: it is %v (%s) after %d calls: %s", after, restarted, one.Stop, one.Detail, ran.Load(), said)
				}
				q, _ := one.Questions.Of(open[0].ID)
				if q.Answer == nil || q.Answer.By != asking.ByExpiry {
					t.Errorf("the answer is %+v", q.Answer)
				}
				_, err := d.Answer(t.Context(), thread, asking.Answer{ID: open[0].ID, Verdict: asking.Once, By: "late"})
				if first := (*runlog.AnsweredError)(nil); !errors.As(err, &first) || first.By != asking.ByExpiry {
					t.Errorf("a late answer: %v", err)
				}
				if err := d.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
