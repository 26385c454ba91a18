package swarm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A round has a call that a person is asked about, and an escalation. Both are answered once, in any
// order of trying, and neither is asked again.
func TestAnEscalationDoesNotDropTheQuestionOfACall(t *testing.T) {
	for name, journaled := range map[string]bool{"in a journal": true, "in a log": false} {
		t.Run(name, func(t *testing.T) {
			var turns []string
			team := askingTeam(&turns)
			team = append(team, reacts("boss", func(_ context.Context, t *agents.Turn) seq {
				if t.Round != 2 {
					return agents.Emit()
				}
				return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "May we?"}))
			}))
			opts := swarm.Options{Agents: team, Quorum: 3}
			if journaled {
				opts.Journal = &journal.Memory{}
			}
			s := startOn(t, opts)
			defer shutdown(t, s)
			result := solve(t, s)
			if result.Stop != runlog.StopAsked {
				t.Fatalf("%s: %s", result.Stop, result.Detail)
			}
			yes := signals.New(signals.Header{Source: "ada", Confidence: 1}, signals.Memory{Content: "Yes.", Category: "answer"})
			answers := func() error {
				if opts.Journal != nil {
					return solves.Leave(t.Context(), opts.Journal, result.Thread, yes)
				}
				_, err := s.Resume(t.Context(), result.Log, yes)
				return err
			}
			for _, answered := range []bool{false, true} {
				if answered {
					if err := s.Answer(t.Context(), result.Thread, asking.Answer{ID: result.Questions[0].ID, Verdict: asking.Once, By: "ada"}); err != nil {
						t.Fatal(err)
					}
				}
				if answered && !journaled {
					continue // such a log does not say whether the solve went on
				}
				if err := answers(); !errors.Is(err, runlog.ErrLog) || !strings.Contains(err.Error(), "about the call of a tool") {
					t.Errorf("an answer to the escalation, the call answered %v: %v", answered, err)
				}
			}
			result, err := s.Resume(t.Context(), result.Log, nil)
			if err != nil || result.Stop != runlog.StopEscalated || result.Detail != "May we?" && !strings.HasPrefix(result.Detail, "May we?") {
				t.Fatalf("%v: %+v", err, result)
			}
			result, err = s.Resume(t.Context(), result.Log, yes)
			asked := slices.DeleteFunc(slices.Clone(result.Log), func(s signals.Any) bool { return s.Kind() != asking.KindAsked })
			if err != nil || result.Stop != runlog.StopConsensus || len(asked) != 1 {
				t.Errorf("%s (%v) after %d questions about calls: %q", result.Stop, err, len(asked), turns)
			}
		})
	}
}

// One question expires, and somebody outside is asked what to do; another one still waits.
func TestAQuestionThatExpiresDoesNotDropAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns []string
		team := append(askingTeam(&turns), reacts("maid", func(ctx context.Context, t *agents.Turn) seq {
			c := write(t)
			c.Expires, c.OnExpiry = time.Minute, asking.ExpiryEscalates
			if c = asking.New(c); t.Round == 2 && asking.Of(ctx, c) == nil {
				return agents.Fail(&asking.Error{Calls: []asking.Call{c}})
			}
			return agents.Emit()
		}))
		s := startOn(t, swarm.Options{Agents: team, Quorum: 3, Journal: &journal.Memory{}, Clock: time.Now})
		defer shutdown(t, s)
		result := solve(t, s)
		time.Sleep(time.Hour)
		for range 2 {
			var err error
			if result, err = s.Resume(t.Context(), result.Log, nil); err != nil || result.Stop != runlog.StopAsked {
				t.Fatalf("%s: %s, %v", result.Stop, result.Detail, err)
			}
		}
		open := slices.DeleteFunc(slices.Clone(result.Questions), func(q runlog.Question) bool { return !q.Open || q.Call == nil })
		if len(open) != 1 || open[0].Asks != "clerk" {
			t.Fatalf("what waits is %+v", open)
		}
		if err := s.Answer(t.Context(), result.Thread, asking.Answer{ID: open[0].ID, Verdict: asking.Once, By: "ada"}); err != nil {
			t.Fatal(err)
		}
		result, err := s.Resume(t.Context(), result.Log, nil)
		if err != nil || result.Stop != runlog.StopEscalated {
			t.Fatalf("%s: %s, %v", result.Stop, result.Detail, err)
		}
		result, err = s.Resume(t.Context(), result.Log, signals.New(signals.Header{Source: "ada", Confidence: 1}, signals.Memory{Content: "Go on.", Category: "answer"}))
		asked := slices.DeleteFunc(slices.Clone(result.Log), func(s signals.Any) bool { return s.Kind() != asking.KindAsked })
		if err != nil || result.Stop != runlog.StopConsensus || len(asked) != 2 {
			t.Errorf("%s (%v) after %d questions about calls: %q", result.Stop, err, len(asked), turns)
		}
	})
}

// Two contend and the model of the third does not answer: its vote may decide, so that nobody is asked until it does.
func TestNobodyIsAskedInAnOutageOfAVoter(t *testing.T) {
	up := false
	third := reacts("third", func(_ context.Context, t *agents.Turn) seq {
		if !up {
			return agents.Fail(agents.Retryable(errors.New("connection refused"), 0))
		}
		return agents.Emit(agents.Agree("a", 1, "better"), agents.Disagree("b", 1, "worse"))
	})
	team := []*agents.Agent{
		says("one", agents.Propose("a", "do a", 1, ""), agents.Agree("a", 1, "mine")),
		says("two", agents.Propose("b", "do b", 1, ""), agents.Agree("b", 1, "mine")), third,
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := swarm.New(swarm.Options{Agents: team, Conflicts: settle.ByEscalation, Strategy: consensus.Voting{}, Threshold: .6})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, _ := s.Solve(t.Context(), signals.Task{Task: "which one?"})
		if r.Stop != runlog.StopError || !strings.Contains(r.Detail, "connection refused") {
			t.Fatalf("%v: %s", r.Stop, r.Detail)
		}
		up = true
		if r, err = s.Resume(t.Context(), r.Log, nil); err != nil || r.Answer != "do a" {
			t.Errorf("resumed: %v %q: %s, %v", r.Stop, r.Answer, r.Detail, err)
		}
	})
}
