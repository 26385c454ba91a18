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
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// grounded is the run of a team that votes because of what one of it has found.
func grounded(t *testing.T) (path string, r *solves.Result) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "grounded.journal")
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	find := func(ctx context.Context, _ *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(
			signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: "the table is scanned", Relevance: 1}),
			agents.Propose("index", "add an index", 1, "it is slow"), agents.Propose("wait", "do nothing", 1, ""),
		)
	}
	agree := func(_ context.Context, f *signals.Signal[signals.Discovery]) iter.Seq2[signals.Any, error] {
		return agents.Emit(signals.New(signals.Header{Confidence: 1, ReplyTo: f.ID}, signals.Vote{ProposalID: "index", Stance: signals.Agree, Weight: 1}))
	}
	team := []*agents.Agent{{ID: "finder", Reactor: agents.On(find)}}
	for _, id := range []string{"ann", "bob"} {
		team = append(team, &agents.Agent{ID: id, Reactor: agents.On(agree)})
	}
	s, err := swarm.New(swarm.Options{Agents: team, Seed: 1, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = s.Solve(t.Context(), signals.Task{Task: "faster?"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path, r
}

// called runs the command.
func called(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	var printed, said strings.Builder
	status = run(t.Context(), args, &printed, &said)
	return printed.String(), said.String(), status
}

func TestShowSaysWhatTheAnswerStandsOnAndWhatFalls(t *testing.T) {
	path, _ := grounded(t)
	whole, _, _ := called(t, "show", path, "--width", "200")
	out, _, status := called(t, "show", path, "--width", "200", "--without", "4", "--assume", "4", "--credit")
	if status != 0 {
		t.Fatalf("status %d: %s", status, out)
	}
	for _, want := range []string{
		"Claims    index: for it 2 votes, 1 finding\n          for        [4] finder: the table is scanned",
		"Without [4]: 4 claims fall, 0 claims are weakened\n  falls     [4] finder: the table is scanned",
		"Assuming [4]: 0 claims fall",
		"exact\n  finder  +0.667\n  ann     +0.167\n  bob     +0.167",
	} {
		if !strings.Contains(whole+out, want) {
			t.Errorf("missing %q in\n%s%s", want, whole, out)
		}
	}
	if _, errs, status := called(t, "show", path, "--without", "99"); status != 2 || !strings.Contains(errs, "no signal 99") {
		t.Errorf("status %d: %s", status, errs)
	}
	if _, errs, status := called(t, "show", path, "--assume", "1"); status != 2 || !strings.Contains(errs, "is no claim") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestRetractSaysWhetherTheDecisionChanges(t *testing.T) {
	path, _ := grounded(t)
	out, errs, status := called(t, "retract", path, "4", "the wrong table", "--by", "ceo")
	if status != cli.ExitNoConsensus {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{
		"falls     [4] finder: the table is scanned", "of ann on index does not count", "the decision falls: ", `(it was reached "index")`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %q in\n%s", want, out)
		}
	}
	if out, _, _ := called(t, "show", path, "--width", "200"); !strings.Contains(out, "the decision falls: ") {
		t.Errorf("show does not say so:\n%s", out)
	}
	if out, errs, status := called(t, "replay", path, "--check"); status != 0 {
		t.Errorf("replay: status %d: %s%s", status, out, errs)
	}
	for _, wrong := range [][]string{{"99", "x"}, {"1", "x"}, {"x", "x"}, {"5", ""}} {
		if _, errs, status := called(t, append([]string{"retract", path}, wrong...)...); status != 2 {
			t.Errorf("%v: status %d: %s", wrong, status, errs)
		}
	}
}
