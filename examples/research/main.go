// Command research shows two workers that report their turns and a conductor who
// is asked: findings with evidence, a learning that changes the plan, a blocker
// that is answered, an approval that is refused, and what was held back and why.
// What the workers say is scripted, as JSON that a model could have written.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

const task = "slow-checkout"

// A study is the research and those who watch it.
type study struct {
	out     io.Writer
	now     atomic.Pointer[time.Time] // the clock, which stands until the script moves it
	bus     *bus.Bus
	desk    *reporting.Desk
	workers map[string]*reporting.Worker
	ears    map[string]*bus.Subscription
	asked   []reports.Request
	err     error
}

func run(ctx context.Context, out io.Writer) error {
	s := &study{
		out:     out,
		workers: map[string]*reporting.Worker{}, ears: map[string]*bus.Subscription{},
	}
	begin := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	s.now.Store(&begin)
	b, err := bus.New(&bus.Options{Clock: s.clock, Mint: signals.SeededMint("research"), Sweep: -1})
	if err != nil {
		return err
	}
	defer b.Close()
	s.bus = b
	if s.desk, err = reporting.New(b, &reporting.Options{Conductor: s.Escalated}); err != nil {
		return err
	}
	for _, id := range []string{"ann", "bob"} {
		if s.workers[id], err = s.desk.Worker(reports.Worker{ID: id, Task: task, Research: true}); err != nil {
			return err
		}
		if s.ears[id], err = b.Subscribe(bus.SubscribeOptions{Agent: id, Kinds: []signals.Kind{reports.Decided{}.Kind()}}); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	watching.Go(func() { _ = s.desk.Watch(ctx, task, nil) }) // until then
	s.find(ctx)
	s.learn(ctx)
	s.block(ctx)
	s.approve(ctx)
	s.look(ctx)
	s.think(ctx)
	return s.err
}

// Escalated makes the study the conductor: it notes what it is asked.
func (s *study) Escalated(_ context.Context, r reports.Request) error {
	s.asked = append(s.asked, r)
	s.say("conductor", "is asked by %s (%s, %s): %s", r.Worker, r.Escalation.Kind, r.Urgency, r.Reason)
	return nil
}

func (s *study) find(ctx context.Context) {
	s.head("1. Findings need evidence and confidence")
	s.report(ctx, "ann", `{"turn_id": "ann-1", "worker_id": "ann", "task_id": "slow-checkout", "model": "scripted", "status": "running",
		"summary": "Read the traces of Monday.",
		"findings": [
			{"finding_id": "f1", "claim": "84% of the slow requests wait for a database connection.", "confidence": 0.9,
			 "evidence_refs": ["https://traces.example/monday"], "novel": true},
			{"finding_id": "f2", "claim": "The disk may be slow as well.", "confidence": 0.4,
			 "evidence_refs": ["https://disks.example/7"], "novel": true}],
		"learnings": [], "escalations": [], "artifacts": [{"artifact_id": "a1", "kind": "dataset", "ref": "traces-monday.csv"}]}`)
	s.report(ctx, "bob", `{"turn_id": "bob-1", "worker_id": "bob", "task_id": "slow-checkout", "model": "scripted", "status": "running",
		"summary": "Read the code of the client.",
		"findings": [
			{"finding_id": "f1", "claim": "The client retries five times without a pause.", "confidence": 0.95,
			 "evidence_refs": ["client.go:112"], "novel": true},
			{"finding_id": "f2", "claim": "Retries are the root of all evil.", "confidence": 0.9, "evidence_refs": [], "novel": true}],
		"learnings": [], "escalations": [], "artifacts": []}`)
}

func (s *study) learn(ctx context.Context) {
	s.head("2. A learning changes the plan")
	s.pass(time.Minute)
	seen, _ := s.desk.Receipt("ann", "ann-1")
	s.report(ctx, "bob", `{"turn_id": "bob-2", "worker_id": "bob", "task_id": "slow-checkout", "model": "scripted", "status": "running",
		"summary": "Put the traces beside the code.",
		"findings": [{"finding_id": "f3", "claim": "the client RETRIES five times, without a pause", "confidence": 0.95,
			"evidence_refs": ["client.go:112"], "novel": false}],
		"learnings": [{"learning_id": "l1", "insight": "Retries fill the pool: fix the client before the database.",
			"confidence": 0.85, "supports": ["f1", "`+seen.Accepted[0].ID.String()+`"], "changes_plan": true}],
		"escalations": [], "artifacts": []}`)
	for entry := range s.bus.History(bus.Filter{Kinds: []signals.Kind{reports.ResearchLearning{}.Kind()}}) {
		if l, ok := signals.As[reports.ResearchLearning](entry); ok && l.Payload.ChangesPlan {
			s.say("plan", "is now: %s", l.Payload.Insight)
		}
	}
}

func (s *study) block(ctx context.Context) {
	s.head("3. A blocker is answered")
	ask := func(turn, reason string) {
		s.report(ctx, "ann", `{"turn_id": "`+turn+`", "worker_id": "ann", "task_id": "slow-checkout", "model": "scripted", "status": "blocked",
			"summary": "Wants to compare with Sunday.", "findings": [], "learnings": [],
			"escalations": [{"escalation_id": "e1", "kind": "blocker", "reason": "`+reason+`", "urgency": "medium",
				"options": ["grant access", "use Monday alone"], "recommended_option": "grant access", "requires_human": false}],
			"artifacts": []}`)
	}
	ask("ann-2", "No access to the traces of Sunday.")
	s.pass(30 * time.Second)
	ask("ann-3", "no access to the traces of Sunday!!")
	s.decide(ctx, reports.Decision{Request: s.asked[0].ID, By: "conductor", Verdict: reports.Answered, Option: "grant access", Text: "until Friday"})
}

func (s *study) approve(ctx context.Context) {
	s.head("4. An approval is refused")
	s.report(ctx, "bob", `{"turn_id": "bob-3", "worker_id": "bob", "task_id": "slow-checkout", "model": "scripted", "status": "blocked",
		"summary": "Has a change for the client.", "findings": [], "learnings": [],
		"escalations": [{"escalation_id": "e1", "kind": "approval", "reason": "Try the change in production.", "urgency": "high",
			"options": [], "recommended_option": "", "requires_human": true}],
		"artifacts": [{"artifact_id": "a1", "kind": "file", "ref": "client.patch"}]}`)
	request := s.asked[1].ID
	s.decide(ctx, reports.Decision{Request: request, By: "conductor", Verdict: reports.Approved})
	s.decide(ctx, reports.Decision{Request: request, By: "eve", Human: true, Verdict: reports.Refused, Text: "on staging first"})
	s.decide(ctx, reports.Decision{Request: request, By: "dan", Human: true, Verdict: reports.Approved})
}

// look reads the log: what was held back, what was counted, and what the watcher
// says when nobody has said anything for eleven minutes.
func (s *study) look(ctx context.Context) {
	s.head("5. The log says what was held back, and why")
	for entry := range s.bus.History(bus.Filter{Kinds: []signals.Kind{reports.Rejected{}.Kind()}}) {
		if r, ok := signals.As[reports.Rejected](entry); ok {
			s.say(r.Source, "%s, %s: %s", r.Payload.Part, r.Payload.Reason, r.Payload.Detail)
		}
	}
	for _, id := range []string{"ann", "bob"} {
		c := s.desk.Counts()[reports.Reporter{Worker: id, Model: "scripted"}]
		s.say(id, "%d reports, %d items accepted, %d rejected", c.Reports, c.Accepted.Total(), c.Rejected.Total())
	}
	ear, err := s.bus.Subscribe(bus.SubscribeOptions{Kinds: []signals.Kind{reports.Advisory{}.Kind()}})
	s.note(err)
	s.pass(11 * time.Minute)
	_, err = s.bus.System().Publish(ctx, signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: "It is noon.", Relevance: 0.1}))
	s.note(err)
	for range s.workers {
		entry, err := ear.Next(ctx)
		s.note(err)
		if a, ok := signals.As[reports.Advisory](entry); ok {
			s.say(a.Source, "%s: %s", a.Payload.Concern, a.Payload.Text)
		}
	}
	ear.Close()
}

// clock is the bus's.
func (s *study) clock() time.Time { return *s.now.Load() }

// pass moves it.
func (s *study) pass(d time.Duration) {
	later := s.clock().Add(d)
	s.now.Store(&later)
}

func (s *study) report(ctx context.Context, worker, data string) {
	filed, err := s.workers[worker].Report(ctx, []byte(data))
	s.note(err)
	s.say("desk", "%s", filed)
}

func (s *study) decide(ctx context.Context, d reports.Decision) {
	if err := s.desk.Decide(ctx, d); err != nil {
		s.say(d.By, "may not decide: %v", err)
		return
	}
	s.say(d.By, "has %s", d.Verdict)
	for _, id := range []string{"ann", "bob"} {
		entry, err := s.ears[id].Poll()
		s.note(err)
		if answer, ok := signals.As[reports.Decided](entry); ok {
			s.say(id, "hears from %s: %s", answer.Source, strings.TrimSpace(answer.Payload.Option+" "+answer.Payload.Text))
		}
	}
}

func (s *study) head(text string) { fmt.Fprintf(s.out, "%s\n", text) }

func (s *study) say(who, format string, args ...any) {
	fmt.Fprintf(s.out, "   %-10s %s\n", who, fmt.Sprintf(format, args...))
}

func (s *study) note(err error) {
	if s.err == nil {
		s.err = err
	}
}
