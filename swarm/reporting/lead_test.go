package reporting_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/reporting"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

type lead struct {
	mu    sync.Mutex
	heard []reports.Request
	err   error
}

func (l *lead) Escalated(_ context.Context, r reports.Request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, r)
	return l.err
}

func TestTheConductorIsNotifiedOfAcceptedEscalationsOnly(t *testing.T) {
	b, l := bustest.New(t, nil), new(lead)
	d := newDesk(t, b.Bus, l.Escalated)
	ann := worker(t, d, "ann")
	filed := file(t, ann, asking("ann", "t1", "no key"))
	if len(l.heard) != 1 || filed.ConductorErr != nil {
		t.Fatalf("heard %v, %v", l.heard, filed.ConductorErr)
	}
	r := l.heard[0]
	if r.Worker != "ann" || r.Reason != "no key" || r.Seq == 0 || r.ID != filed.Accepted[1].ID {
		t.Errorf("notified of %+v", r)
	}
	file(t, ann, asking("ann", "t1", "no key"))       // the same report
	file(t, ann, asking("ann", "t2", "no key"))       // cooldown
	file(t, ann, asking("ann", "t3", " "))            // invalid
	file(t, ann, report("ann", "t4"))                 // none
	_, err := ann.Report(t.Context(), []byte("help")) // no report
	if err == nil || len(l.heard) != 1 {
		t.Errorf("notified %d times, %v", len(l.heard), err)
	}
	if err := d.Advise(t.Context(), "latency", reports.Advisory{Concern: reports.Stall, Text: "silence"}); err != nil || len(l.heard) != 1 {
		t.Errorf("an advisory: notified %d times, %v", len(l.heard), err)
	}
	if open := d.Open(); len(open) != 1 || open[0].ID != r.ID {
		t.Errorf("open %v", open)
	}
}

func TestAFailingConductorLeavesTheEscalationOpen(t *testing.T) {
	b := bustest.New(t, nil)
	d := newDesk(t, b.Bus, func(_ context.Context, r reports.Request) error {
		if r.Reason == "one" {
			panic("no")
		}
		return errors.New("not now")
	})
	ann := worker(t, d, "ann")
	for _, reason := range []string{"one", "two"} {
		if filed := file(t, ann, asking("ann", reason, reason)); filed.ConductorErr == nil || len(filed.Accepted) != 2 {
			t.Errorf("%s: %v %s", reason, filed.ConductorErr, filed)
		}
	}
	if n := len(d.Open()); n != 2 {
		t.Errorf("%d open", n)
	}
}

func TestConductorMayDecideInsideTheCall(t *testing.T) {
	b := bustest.New(t, nil)
	var d *reporting.Desk
	d = newDesk(t, b.Bus, func(ctx context.Context, r reports.Request) error {
		return d.Decide(ctx, reports.Decision{Request: r.ID, By: "policy", Verdict: reports.Refused, Text: "no"})
	})
	inbox := b.Expect(bus.SubscribeOptions{Agent: "ann", Kinds: []signals.Kind{reports.Decided{}.Kind()}})
	deaf := b.Expect(bus.SubscribeOptions{Agent: "bob", Kinds: []signals.Kind{reports.Decided{}.Kind()}})
	filed := file(t, worker(t, d, "ann"), asking("ann", "t1", "no key"))
	got := inbox.Exactly(bustest.From("policy", reports.Decided{}.Kind()))
	if filed.ConductorErr != nil || len(d.Open()) != 0 || got[0].Head().ReplyTo != filed.Accepted[1].ID {
		t.Errorf("%v, %v", filed.ConductorErr, got)
	}
	deaf.Nothing()
}

func TestEscalationsExpireByTheBusesClock(t *testing.T) {
	b := bustest.New(t, nil)
	d := newDesk(t, b.Bus, nil)
	filed := file(t, worker(t, d, "ann"), asking("ann", "t1", "no key"))
	b.Advance(24*time.Hour + 1)
	err := d.Decide(t.Context(), reports.Decision{Request: filed.Accepted[1].ID, By: "lead", Verdict: reports.Refused})
	if len(d.Open()) != 0 || !errors.Is(err, reports.ErrExpired) {
		t.Errorf("open %v, %v", d.Open(), err)
	}
}

func TestAnEscalationEndsASolveThatGoesOnWithTheAnswer(t *testing.T) {
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	publisher, err := b.Agent("conductor", bus.Permissions{CanEmit: []signals.Kind{signals.KindEscalation}})
	if err != nil {
		t.Fatal(err)
	}
	desk := newDesk(t, b, reporting.Escalate(publisher))
	ann := worker(t, desk, "ann")
	react := func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
		r := asking("ann", fmt.Sprint("t", turn.Round), "which database may be stopped?")
		r.TaskID = turn.Thread
		for _, s := range turn.New {
			if answer, ok := signals.As[signals.Memory](s); ok {
				return agents.Emit(agents.Propose("p", "stop "+answer.Payload.Content, 0.9, "as answered"), agents.Agree("p", 0.9, "so it is"))
			}
		}
		if _, err := ann.Report(ctx, encoded(t, r)); err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Discovery{Finding: "there are two databases"}))
	}
	voter := &agents.Agent{ID: "bob", Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, "fine"))
	})}
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{{ID: "ann", Reactor: agents.Func(react)}, voter}, Bus: b, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Shutdown(context.Background()) }()
	result, err := s.Solve(t.Context(), signals.Task{Task: "free some memory"})
	if err != nil {
		t.Fatal(err)
	}
	if result.Stop != runlog.StopEscalated || result.Question == nil || result.Question.Reason != "ann: which database may be stopped?" {
		t.Fatalf("%s %+v", result.Stop, result.Question)
	}
	if got, want := result.Question.Context, "blocker, high urgency"; got != want {
		t.Errorf("asked with %q, want %q", got, want)
	}
	open := desk.Open()
	if len(open) != 1 {
		t.Fatalf("%d open", len(open))
	}
	if err := desk.Decide(t.Context(), reports.Decision{Request: open[0].ID, By: "person", Human: true, Verdict: reports.Answered, Text: "the old one"}); err != nil {
		t.Fatal(err)
	}
	log := slices.Collect(b.History(bus.Filter{Threads: []string{result.Thread}}))
	result, err = s.Resume(t.Context(), log, signals.New(signals.Header{Confidence: 1}, signals.Memory{Content: "the old one", Category: "answer", Importance: 1}))
	if err != nil {
		t.Fatal(err)
	}
	if result.Stop != runlog.StopConsensus || result.Answer != "stop the old one" {
		t.Errorf("%s %q %v", result.Stop, result.Answer, result.Detail)
	}
}
