package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func TestASolveIsStartedStreamedAndExplained(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	f := s.follow("/api/feed")
	d := s.solve(orders)
	if d.State != api.Decided || d.Answer == "" || d.Leader.Proposal != "outbox" {
		t.Fatalf("the solve is %s: %s", d.State, d.Detail)
	}
	if len(d.Debates) == 0 || len(d.Debates[0].Arguments) < 2 || len(d.Conflicts) < 2 || len(d.Decision.Dissent) == 0 || d.Turn == nil {
		t.Errorf("debates %d, conflicts %d, decision %+v, turn %+v", len(d.Debates), len(d.Conflicts), d.Decision, d.Turn)
	}
	if len(d.Costs) != 6 || d.Cost.Dollars == 0 {
		t.Errorf("costs %+v", d.Costs)
	}
	// The feed's signals are those of the solve.
	var said []api.Said
	var steps []api.Step
	var votes []api.Vote
	for len(said) < len(d.Said) {
		frame, ok := f.next()
		if !ok {
			t.Fatal("the feed ended")
		}
		if frame.Solve == nil || frame.Solve.ID != d.ID {
			continue
		}
		if frame.Solve.Team != d.Team {
			t.Errorf("#%d is of the team %q", frame.Seq, frame.Solve.Team)
		}
		said = append(said, *frame.Said)
		if frame.Step != nil {
			steps = append(steps, *frame.Step)
		}
		if frame.Vote != nil {
			votes = append(votes, *frame.Vote)
		}
	}
	for i := range d.Votes {
		d.Votes[i].Counts = true // when they were cast
	}
	for what, both := range map[string][2]any{"said": {said, d.Said}, "steps": {steps, d.Steps}, "votes": {votes, d.Votes}} {
		if got, want := asJSON(t, both[0]), asJSON(t, both[1]); got != want {
			t.Errorf("%s: the feed has\n%s\nthe solve has\n%s", what, got, want)
		}
	}
}

func TestSignalsAfterAPositionAreTheRest(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(payments)
	middle := d.Said[len(d.Said)/2].Seq
	rest := call[api.SolveDetail](s, "GET", fmt.Sprintf("/api/solves/%s?after=%d", d.ID, middle), "")
	if got, want := asJSON(t, rest.Said), asJSON(t, d.Said[len(d.Said)/2+1:]); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestTheSecondAnswerGetsTheFirstOne(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	s.solve(logs)
	items := call[[]api.Item](s, "GET", "/api/inbox", "")
	if len(items) != 1 || !items[0].Open || len(items[0].Options) != 2 {
		t.Fatalf("the inbox has %+v", items)
	}
	path := "/api/inbox/" + items[0].ID + "/answer"
	first := call[api.Item](s, "POST", path, `{"text":"Yes, by ticket","by":"Ada"}`)
	if first.Open || first.Answer == nil || first.Answer.By != "Ada" {
		t.Fatalf("the answer is %+v", first.Answer)
	}
	status, _, text := s.ask("POST", path, `{"text":"No","by":"Bob"}`)
	var problem api.Error
	if err := json.Unmarshal(text, &problem); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusConflict || problem.Answered == nil || problem.Answered.Text != "Yes, by ticket" || problem.Answered.By != "Ada" {
		t.Errorf("the second answer got %d: %s", status, text)
	}
	d := s.until(items[0].Solve, func(d api.SolveDetail) bool { return d.State == api.Decided })
	if d.Escalations[0].Answer.Text != "Yes, by ticket" {
		t.Errorf("the solve has %+v", d.Escalations[0].Answer)
	}
}

func TestWhatIfDecidesByEveryStrategyAndThreshold(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(orders)
	all := call[api.WhatIf](s, "GET", "/api/solves/"+d.ID+"/whatif?threshold=0.5&threshold=0.95", "")
	if all.Actual.Choice != "outbox" || len(all.Strategies) < 5 || len(all.Thresholds) != 2 {
		t.Fatalf("got %+v", all)
	}
	for _, row := range all.Strategies {
		if len(row.Cells) != 2 || row.Strategy == "confidence-weighted" && (!row.Cells[0].Same || row.Cells[1].Same) {
			t.Errorf("%s: %+v", row.Strategy, row.Cells)
		}
	}
	// At the position of each step, the decision is that of the step.
	for _, step := range d.Steps[:len(d.Steps)-1] {
		then := call[api.WhatIf](s, "GET", fmt.Sprintf("/api/solves/%s/whatif?at=%d", d.ID, step.Seq), "")
		if then.Actual.Leader != step.Leader || then.Actual.Outcome != step.Outcome {
			t.Errorf("at %d: %+v, the step has %s and %s", step.Seq, then.Actual, step.Leader, step.Outcome)
		}
	}
}

func TestSolvesGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	one := call[api.Solve](s, "POST", "/api/solves", asJSON(t, api.NewSolve{Team: "platform", Task: orders}))
	waiting := s.solve(logs)
	f := s.follow("/api/feed?solve=" + one.ID + "&after=platform:0")
	seen := map[uint64]int{}
	for range 5 {
		frame, _ := f.next()
		seen[frame.Seq]++
	}
	s.stop()
	for {
		frame, ok := f.next()
		if !ok {
			break
		}
		seen[frame.Seq]++
	}
	again := start(t, dir)
	if again.token != s.token {
		t.Error("the token has changed")
	}
	d := again.until(one.ID, func(d api.SolveDetail) bool { return d.State == api.Decided })
	back := again.follow("/api/feed?solve="+one.ID, "Last-Event-ID", f.last)
	for seen[d.Said[len(d.Said)-1].Seq] == 0 {
		frame, ok := back.next()
		if !ok || frame.Type == api.FrameResync {
			t.Fatalf("got %+v", frame)
		}
		seen[frame.Seq]++
	}
	for _, w := range d.Said {
		if seen[w.Seq] != 1 {
			t.Errorf("signal %d was shown %d times", w.Seq, seen[w.Seq])
		}
	}
	if items := call[[]api.Item](again, "GET", "/api/inbox", ""); len(items) != 1 || items[0].Solve != waiting.ID {
		t.Errorf("the inbox has %+v", items)
	}
	check := call[api.ReplayCheck](again, "GET", "/api/runs/platform/replay", "")
	if !check.Identical {
		t.Errorf("replay: %+v", check)
	}
	if v := call[api.Verification](again, "GET", "/api/runs/platform/verify", ""); !v.Whole {
		t.Errorf("verify: %+v", v)
	}
}

func TestASolveThatWaitsIsCancelledAndNotResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	waiting := s.solve(logs)
	if status, _, text := s.ask("POST", "/api/solves/"+waiting.ID+"/resume", ""); status != http.StatusConflict {
		t.Errorf("a solve that waits was resumed: %d %s", status, text)
	}
	if status, _, text := s.ask("POST", "/api/solves/"+waiting.ID+"/cancel", ""); status != http.StatusOK || !strings.Contains(string(text), `"stop":"abandoned"`) {
		t.Errorf("a solve that waits was not cancelled: %d %s", status, text)
	}
	if status, _, text := s.ask("POST", "/api/solves/"+waiting.ID+"/cancel", ""); status != http.StatusConflict {
		t.Errorf("a solve that is over was cancelled: %d %s", status, text)
	}
}

func TestTwoRunsOfOneTaskCompareEqual(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	a, b, c := s.solve(payments), s.solve(payments), s.solve(logs)
	same := call[api.Comparison](s, "GET", "/api/compare?a="+a.ID+"&b="+b.ID, "")
	if !same.Identical || same.Common != len(a.Said) {
		t.Errorf("got %+v", same.Difference)
	}
	other := call[api.Comparison](s, "GET", "/api/compare?a="+a.ID+"&b="+c.ID, "")
	if other.Identical || other.Difference == nil || len(other.Rows) == 0 {
		t.Errorf("got %+v", other)
	}
}

func TestReliabilityCountsKnownOutcomes(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(orders)
	call[api.Solve](s, "PUT", "/api/solves/"+d.ID+"/outcome", `{"right":"outbox"}`)
	d = s.until(d.ID, func(d api.SolveDetail) bool { return d.Said[len(d.Said)-1].Form == "outcome" })
	for _, a := range call[[]api.Agent](s, "GET", "/api/agents", "") {
		if a.Team == "" {
			continue
		}
		want := 1
		if a.Name == "planner" {
			want = 0
		}
		if r := a.Reliability; r.Told != 1 || r.Right != want || r.Low >= r.High {
			t.Errorf("%s: %+v", a.Name, r)
		}
	}
}

// The API answers unknown paths and methods, and blank tasks and answers, with a problem.
func TestUnknownRoutesAndBlankInputsAreProblems(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	s.solve(logs)
	item := call[[]api.Item](s, "GET", "/api/inbox", "")[0].ID
	for _, of := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/none", "", http.StatusNotFound},
		{"DELETE", "/api/solves", "", http.StatusMethodNotAllowed},
		{"GET", "/api/solves?limit=5000", "", http.StatusUnprocessableEntity},
		{"GET", "/api/solves?many=5", "", http.StatusUnprocessableEntity},
		{"POST", "/api/solves", `{"team":"platform","task":" \n"}`, http.StatusUnprocessableEntity},
		{"POST", "/api/inbox/" + item + "/answer", `{"text":" \t"}`, http.StatusUnprocessableEntity},
	} {
		status, header, text := s.ask(of.method, of.path, of.body)
		var problem api.Error
		err := json.Unmarshal(text, &problem)
		if kind := header.Get("Content-Type"); status != of.status || kind != "application/problem+json" || err != nil || problem.Status != of.status || problem.Detail == "" {
			t.Errorf("%s %s: %d %s %+v (%v), want %d as a problem", of.method, of.path, status, kind, problem, err, of.status)
		}
		if of.status == http.StatusMethodNotAllowed && header.Get("Allow") == "" {
			t.Errorf("%s %s does not say which methods there are", of.method, of.path)
		}
	}
}
