package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// write is the call that the clerk of a team asks about in a turn.
func write(t *agents.Turn) asking.Call {
	return asking.New(asking.Call{
		Thread: t.Thread, Agent: t.Agent, Turn: t.Round, Call: 1, Tool: "write", Args: `{"to":"ops"}`, Rule: "write: ask", Why: "this tool needs a person's approval",
	})
}

// askingTeam has a clerk that asks in its second turn before it votes, between one that
// proposes and one that votes. Turns are those of the clerk. In those of failing it fails.
func askingTeam(turns *[]string, failing ...int) []*agents.Agent {
	votes := voter("clerk", map[string]signals.Stance{"a": yes}).Reactor
	clerk := reacts("clerk", func(ctx context.Context, t *agents.Turn) seq {
		*turns = append(*turns, fmt.Sprintf("round %d: %d new", t.Round, len(t.New)))
		switch {
		case slices.Contains(failing, t.Round):
			return agents.Fail(errors.New("no model"))
		case t.Round == 2 && asking.Of(ctx, write(t)) == nil:
			return agents.Fail(&asking.Error{Calls: []asking.Call{write(t)}})
		case t.Round < 2:
			return agents.Emit()
		}
		return votes.React(ctx, t)
	})
	return []*agents.Agent{planner(), clerk, voter("critic", map[string]signals.Stance{"a": yes})}
}

const asks = `clerk wants to call write with {"to":"ops"}: this tool needs a person's approval`

// TestATurnThatAsksStopsTheSolveAndIsTakenAgain goes on with the journal in another swarm,
// before the answer and after it.
func TestATurnThatAsksStopsTheSolveAndIsTakenAgain(t *testing.T) {
	for name, failing := range map[string][]int{"the first time": nil, "after it failed": {1}} {
		t.Run(name, func(t *testing.T) {
			var turns []string
			store := &journal.Memory{}
			open := func() *swarm.Swarm {
				return startOn(t, swarm.Options{Agents: askingTeam(&turns, failing...), Journal: store, Quorum: 3})
			}
			s := open()
			result, err := s.Solve(t.Context(), signals.Task{Task: "t"})
			var before []signals.Any
			for range 2 {
				if err != nil || result.Stop != runlog.StopAsked || result.Detail != asks || result.Turns.Failed > len(failing) {
					t.Fatalf("%s: %s, %d turns failed, %v", result.Stop, result.Detail, result.Turns.Failed, err)
				}
				shutdown(t, s)
				all, err := solves.List(store)
				if err != nil || len(all) != 1 || all[0].Stop != runlog.StopAsked || all[0].Detail != asks {
					t.Fatalf("in the journal: %+v, %v", all, err)
				}
				for where, q := range map[string][]runlog.Question{"result": result.Questions, "journal": all[0].Questions} {
					if len(q) != 1 || q[0].Asks != "clerk" || !q[0].Open || q[0].Call.Args != `{"to":"ops"}` || q[0].ID != q[0].Call.ID {
						t.Errorf("the %s has the questions %+v", where, q)
					}
				}
				if before = all[0].Log; turns != nil {
					s, turns = open(), nil
					if result, err = s.Resume(t.Context(), before, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			shutdown(t, s)
			s = open()
			defer shutdown(t, s)
			q := result.Questions[0]
			for _, agent := range []string{"clerk", " Critic", bus.System} {
				var refused *signals.FieldError
				if err := s.Answer(t.Context(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Once, By: agent}); !errors.As(err, &refused) || refused.Field != "by" {
					t.Errorf("%q allows a call of its own team: %v", agent, err)
				}
			}
			if err := s.Answer(t.Context(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Once, By: "ada"}); err != nil {
				t.Fatal(err)
			}
			var first *runlog.AnsweredError
			err = s.Answer(t.Context(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Deny, By: "bob"})
			if !errors.As(err, &first) || first.By != "ada" || first.Question.Answer.Verdict != asking.Once {
				t.Errorf("a second answer: %v", err)
			}
			turns = nil
			result, err = s.Resume(t.Context(), before, nil)
			if err != nil || result.Stop != runlog.StopConsensus || !slices.Equal(turns, []string{"round 2: 2 new"}) {
				t.Errorf("%s: %s after %q, %v", result.Stop, result.Detail, turns, err)
			}
			if q := result.Questions; len(q) != 1 || q[0].Open || q[0].Answer.By != "ada" {
				t.Errorf("the questions are %+v", q)
			}
			if _, err := replayed(t, store); err != nil {
				t.Error(err)
			}
		})
	}
}

// Without a journal the log is what the result has, and what the bus has after it.
func TestAnAnswerCountsInAProgramWithoutAJournal(t *testing.T) {
	var turns []string
	s := startOn(t, swarm.Options{Agents: askingTeam(&turns)})
	result := solve(t, s)
	q := result.Questions[0]
	if err := s.Answer(t.Context(), q.Thread, asking.Answer{ID: "other", Verdict: asking.Once}); err == nil || err.Error() != `signals: tool:answered.id = "other": not that of a call of a tool that is asked about` {
		t.Errorf("an answer to nothing: %v", err)
	}
	if err := s.Answer(t.Context(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Deny, Reason: " "}); err == nil || !strings.Contains(err.Error(), "required to deny") {
		t.Errorf("a denial without a reason: %v", err)
	}
	if err := s.Answer(t.Context(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Once}); err != nil {
		t.Fatal(err)
	}
	result, err := s.Resume(t.Context(), result.Log, nil)
	if err != nil || result.Stop != runlog.StopConsensus {
		t.Errorf("%s: %s, %v", result.Stop, result.Detail, err)
	}
}
