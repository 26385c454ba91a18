package main

import (
	"context"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// escalating is the team of a program that asks whether to do what it proposes.
func escalating() []*agents.Agent {
	propose := func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose("a", "do a", 1, ""), signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "may we?"}))
	}
	return []*agents.Agent{{ID: "planner", Reactor: agents.On(propose), CanEmit: []signals.Kind{signals.KindProposal, signals.KindEscalation}}}
}

// program is another program with a journal; it continues what it asked before.
func program(t *testing.T, path string, tasks int) (last *solves.Result) {
	t.Helper()
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := swarm.New(swarm.Options{Agents: escalating(), Seed: 1, Journal: j, Quorum: 1})
	if err != nil {
		t.Fatal(err)
	}
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	if len(past) > 0 {
		if last, err = s.Resume(t.Context(), past[0].Log, nil); err != nil {
			t.Fatal(err)
		}
	}
	for range tasks {
		if last, err = s.Solve(t.Context(), signals.Task{Task: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return last
}

func TestAnAnswerIsLeftInTheRunOfAnotherProgramWhichGoesOnFromIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.journal")
	if r := program(t, path, 1); r.Stop != runlog.StopEscalated {
		t.Fatalf("got %v", r.Stop)
	}
	to := questionIn(t, path)
	for _, wrong := range [][]string{{"yes", to, "--by", "planner"}, {"--vote", "b", to}, {"yes", "--thread", "none"}} {
		if status, out, errs := swarmbusRun(t, append([]string{"answer", path}, wrong...)...); status != cli.ExitError {
			t.Errorf("%q: status %d: %s%s", wrong, status, out, errs)
		}
	}
	if status, out, errs := swarmbusRun(t, "answer", path, "it is fine", to, "--vote", "a", "--by", "ceo"); status != cli.ExitDecided || !strings.Contains(out, "when it resumes") {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	if status, _, errs := swarmbusRun(t, "answer", path, "no", to); status != cli.ExitError || !strings.Contains(errs, `"ceo" answered`) {
		t.Errorf("a second answer: status %d: %s", status, errs)
	}
	if r := program(t, path, 0); r.Stop != runlog.StopConsensus || r.Answer != "do a" {
		t.Errorf("the program ends with %v: %s", r.Stop, r.Detail)
	}
	if status, _, errs := swarmbusRun(t, "answer", path, "no"); status != cli.ExitError || !strings.Contains(errs, "no solve in it waits") {
		t.Errorf("an answer to nothing: status %d: %s", status, errs)
	}
	for _, check := range [][]string{{"verify", path}, {"replay", "--check", path}} {
		if status, out, errs := swarmbusRun(t, check...); status != cli.ExitDecided {
			t.Errorf("%s: %d: %s%s", check[0], status, out, errs)
		}
	}
}

func TestAnAnswerNamesTheQuestionWhereSeveralWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.journal")
	program(t, path, 2)
	status, _, listed := swarmbusRun(t, "answer", path, "yes", "--thread", "solve-00000001-1")
	if status != cli.ExitUsage || strings.Count(listed, "Somebody has to answer this:") != 1 {
		t.Errorf("without an id: status %d: %s", status, listed)
	}
	_, which, _ := strings.Cut(listed, "--question ")
	which, _, _ = strings.Cut(which, " ")
	if status, out, errs := swarmbusRun(t, "answer", path, "--vote", "a", "--question", which); status != cli.ExitDecided || !strings.Contains(errs, "The question was: ") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if to := questionIn(t, path); strings.Contains(to, which) {
		t.Errorf("%s waits still", to)
	}
	if status, _, errs := swarmbusRun(t, "answer", path, "no", "--question", which); status != cli.ExitError || !strings.Contains(errs, "answered in thread solve-00000001-1 already") {
		t.Errorf("a second answer: status %d: %s", status, errs)
	}
	if r := program(t, path, 0); r.Stop != runlog.StopConsensus {
		t.Errorf("the program ends with %v: %s", r.Stop, r.Detail)
	}
}
