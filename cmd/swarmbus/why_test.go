package main

import (
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// conforming is a run of so many solves, of a team in which one changes its mind once it has
// heard the others.
func conforming(t *testing.T, solves int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "conforming.journal")
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var team []*agents.Agent
	for _, id := range []string{"ann", "bob", "cid"} {
		own := map[string]string{"ann": "wait", "bob": "index", "cid": "index"}[id]
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			if turn.Round > 1 {
				return agents.Emit(agents.Returned(ctx, signals.ToolResult{ToolName: "bench", Result: "faster", TriggeredBy: turn.Agent}), agents.Agree("index-bob", 1, "\x1b[31mthey all say so"))
			}
			return agents.Emit(agents.Propose(own+"-"+id, own, 1, ""), agents.Agree(own+"-"+id, 1, ""))
		})})
	}
	s, err := swarm.New(swarm.Options{Agents: team, Seed: 1, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	for range solves {
		if r, err := s.Solve(t.Context(), signals.Task{Task: "faster?"}); err != nil || r.Answer != "index" {
			t.Fatal(r, err)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestShowSaysWhatHearingEachOtherChanged(t *testing.T) {
	path := conforming(t, 1)
	out, errs, status := called(t, "show", path, "--why")
	want := "\nWhat hearing each other changed\n  before       2 of 3 for index-bob, of those who had heard no answer\n" +
		"  after        3 of 3 for index-bob, unanimous\n  flips        1\n"
	if status != 0 || !strings.Contains(out, want) || !strings.Contains(out, " ann from wait-ann to index-bob in round 2\n  challengers  0 of 3 challenged, 0.88 expected") {
		t.Errorf("status %d, %s: missing %q in\n%s", status, errs, want, out)
	}
	out, _, status = called(t, "show", path, "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var stopped struct {
		Event string
		Talk  *solves.Diagnosis
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &stopped); err != nil || status != 0 {
		t.Fatalf("status %d: %v in\n%s", status, err, out)
	}
	if d := stopped.Talk; stopped.Event != "stopped" || d == nil || len(d.Flips) != 1 || d.Flips[0].From != "wait-ann" || !d.After.Unanimous() || d.Before.Unanimous() {
		t.Errorf("the last event is %s", lines[len(lines)-1])
	}
}

func TestShowAsJSONRefusesTextOnlyFlags(t *testing.T) {
	path := conforming(t, 2)
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--without", "4"}, "--without prints text"},
		{[]string{"--assume", "4"}, "--assume prints text"},
		{[]string{"--answer"}, "--answer prints text"},
		{nil, "name one of the 2 threads"},
	} {
		if out, errs, status := called(t, append([]string{"show", path, "--json"}, c.flags...)...); status != 2 || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%v: status %d: %s%s", c.flags, status, errs, out)
		}
	}
}
