package swarm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

func from(source string, s signals.Any) signals.Any {
	return signals.With(s, signals.Header{Source: source, Confidence: 1})
}

// refusedAsSecond fails unless an answer was refused because ceo was first.
func refusedAsSecond(t *testing.T, how string, err error) {
	t.Helper()
	var first *runlog.AnsweredError
	if !errors.As(err, &first) || first.By != "ceo" || !errors.Is(err, runlog.ErrLog) || !strings.Contains(err.Error(), `"ceo" answered`) {
		t.Errorf("%s: %v, want it refused because ceo was first", how, err)
	}
}

func TestTheSecondAnswerIsRefusedAndSaysWhoWasFirst(t *testing.T) {
	j := new(journal.Memory)
	o := swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation, Journal: j, Seed: 7}
	first := newSwarm(t, o)
	asked := escalated(t, first)
	shutdown(t, first)
	s := newSwarm(t, o) // another process
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resume(t.Context(), past[0].Log, from("ceo", answer("b")))
	if err != nil || r.Stop != runlog.StopConsensus || r.Answer != "do b" {
		t.Fatal(r, err)
	}
	n := j.Last()
	_, err = s.Resume(t.Context(), asked.Log, from("cto", answer("a")))
	refusedAsSecond(t, "with the log from before", err)
	_, err = s.Resume(t.Context(), r.Log, from("cto", answer("a")))
	refusedAsSecond(t, "with the whole log", err)
	shutdown(t, s)
	third := newSwarm(t, o)
	if past, err = third.Results(); err != nil {
		t.Fatal(err)
	}
	_, err = third.Resume(t.Context(), past[0].Log, from("cto", answer("a")))
	refusedAsSecond(t, "in another process", err)
	if j.Last() != n {
		t.Errorf("the journal grew from %d to %d records", n, j.Last())
	}
}

// A question that is asked after an answer is a question of its own.
func TestAQuestionAfterAnAnswerIsAnsweredToo(t *testing.T) {
	asks := &agents.Agent{ID: "asks", Listens: []signals.Kind{signals.KindTask, signals.KindMemory}, Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
		return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "really?"}))
	})}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{asks}})
	r := solve(t, s)
	for _, who := range []string{"ceo", "cto"} {
		if r.Stop != runlog.StopEscalated {
			t.Fatalf("%v: %v", r.Stop, sources(r.Log))
		}
		again, err := s.Resume(t.Context(), r.Log, from(who, answer("yes")))
		if err != nil {
			t.Fatal(err)
		}
		r = again
	}
}

func TestASolveThatWasBrokenOffTakesNoAnswerBeforeItAsks(t *testing.T) {
	whole := new(journal.Memory)
	o := swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation, Journal: whole, Seed: 7}
	escalated(t, newSwarm(t, o))
	o.Journal = cut(t, whole, whole.Last()-1) // it asks, but not that it stopped
	s := newSwarm(t, o)
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resume(t.Context(), past[0].Log, answer("a")); !errors.Is(err, runlog.ErrLog) || !strings.Contains(err.Error(), "broken off") {
		t.Errorf("got %v", err)
	}
	r, err := s.Resume(t.Context(), past[0].Log, nil)
	if err != nil || r.Stop != runlog.StopEscalated {
		t.Fatal(r, err)
	}
	if r, err = s.Resume(t.Context(), r.Log, answer("a")); err != nil || r.Answer != "do a" {
		t.Error(r, err)
	}
}

// A process may be killed between any two signals of an answer.
func TestTheAnswerOfASolveThatWasBrokenOffIsTheFirst(t *testing.T) {
	for _, policy := range []settle.Policy{settle.ByEscalation, settle.ByDebate} { // one asks, one ends undecided
		whole := new(journal.Memory)
		o := swarm.Options{Agents: torn(), Conflicts: policy, Journal: whole, Quorum: 1, Seed: 7}
		s := newSwarm(t, o)
		asked := solve(t, s)
		n := whole.Last()
		want, err := s.Resume(t.Context(), asked.Log, from("ceo", vote("a", yes, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for cutAt := n + 1; cutAt < whole.Last(); cutAt++ {
			o.Journal = cut(t, whole, cutAt)
			s := newSwarm(t, o)
			past, err := s.Results()
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Resume(t.Context(), past[0].Log, from("cto", vote("b", yes, 1)))
			refusedAsSecond(t, "the first is in the log", err)
			r, err := s.Resume(t.Context(), past[0].Log, nil)
			if err != nil || r.Stop != want.Stop || r.Answer != want.Answer {
				t.Errorf("cut after %d: %+v, %v", cutAt, r, err)
			}
			if diff := cmp.Diff(sources(want.Log), sources(r.Log)); diff != "" {
				t.Errorf("cut after %d: %s", cutAt, diff)
			}
		}
	}
}

// An answer settles the conflicts before it, not those that it opens.
func TestAnAnswerMayProposeAnotherRival(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation})
	asked := escalated(t, s)
	r, err := s.Resume(t.Context(), asked.Log, propose("c", "do c"))
	if err != nil || r.Stop != runlog.StopEscalated {
		t.Fatalf("%v, %v", r.Stop, err)
	}
	resolved := 0
	for _, said := range sources(r.Log) {
		if said == "system conflict:resolved" {
			resolved++
		}
	}
	if resolved != len(asked.Conflicts) || len(r.Conflicts) <= len(asked.Conflicts) {
		t.Errorf("%d of %d conflicts are resolved, want %d", resolved, len(r.Conflicts), len(asked.Conflicts))
	}
}

func TestAnAnswerThatTheBusRefusesLeavesNothingBehind(t *testing.T) {
	j, b := new(journal.Memory), made(bus.New(&bus.Options{Limits: signals.Limits{TextBytes: 1000}}))
	t.Cleanup(b.Close)
	s := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation, Journal: j, Bus: b})
	asked := escalated(t, s)
	n := j.Last()
	if r, err := s.Resume(t.Context(), asked.Log, answer(strings.Repeat("b", 2000))); err == nil || len(r.Log) != len(asked.Log) {
		t.Errorf("%v, it says %v", err, sources(r.Log[len(asked.Log):]))
	}
	if j.Last() != n || b.Last() != n {
		t.Errorf("the log grew from %d to %d", n, b.Last())
	}
	if r, err := s.Resume(t.Context(), asked.Log, answer("b")); err != nil || r.Answer != "do b" {
		t.Error(r, err)
	}
}

// After a refused answer the question is still open.
func TestAPersonAnswersWithWhatAgentsMaySay(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation})
	asked := escalated(t, s)
	for _, wrong := range []signals.Any{
		signals.New(signals.Header{}, signals.Consensus{ProposalID: "a", Decision: "do a", Confidence: 1}),
		signals.New(signals.Header{}, signals.Task{Task: "another"}),
		signals.New(signals.Header{}, runlog.Answered{By: "x", AnswerID: asked.Log[0].Head().ID}),
		signals.New(signals.Header{}, signals.Escalation{Reason: "I do not know", Context: "at all"}),
	} {
		if r, err := s.Resume(t.Context(), asked.Log, wrong); err == nil || r != nil {
			t.Errorf("a %s: %v, %v", wrong.Kind(), r, err)
		}
	}
	if r, err := s.Resume(t.Context(), asked.Log, answer("b")); err != nil || r.Answer != "do b" {
		t.Error(r, err)
	}
}

// A publisher outside the swarm may escalate, even if no agent speaks after it.
func TestAnEscalationFromOutsideStopsTheSolveAtTheEndOfItsRound(t *testing.T) {
	var s *swarm.Swarm
	quiet := &agents.Agent{ID: "quiet", Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		desk, err := s.Bus().Agent("desk", bus.Permissions{})
		if err == nil {
			_, err = desk.Publish(ctx, signals.New(signals.Header{Thread: turn.Thread}, signals.Escalation{Reason: "no access"}))
		}
		if err != nil {
			t.Error(err)
		}
		return agents.Emit()
	})}
	s = newSwarm(t, swarm.Options{Agents: []*agents.Agent{quiet}})
	if r := solve(t, s); r.Stop != runlog.StopEscalated || r.Rounds != 1 || r.Question.Asks != "desk" {
		t.Errorf("%v after %d rounds: %v", r.Stop, r.Rounds, r.Question)
	}
}
