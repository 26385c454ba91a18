package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// reader is a thinker that states a fact, and answers because of one that it is shown.
func reader(id, states, answers, because string) *agents.Agent {
	fact := regexp.MustCompile(`\{"ref":"(S\d+)"[^\n]*` + because)
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		var shown strings.Builder
		for _, m := range r.Messages {
			fmt.Fprintln(&shown, m.Text)
		}
		if strings.Contains(shown.String(), "Do not answer the task yet") {
			return models.Text(fmt.Sprintf(`{"say":[{"type":"discovery","finding":%q,"evidence":"","causal":"none","relevance":1,"confidence":0.9}]}`, states)), nil
		}
		ref := fact.FindStringSubmatch(shown.String())
		if ref == nil {
			return models.Text(`{"say":[{"type":"pass","reason":"no fact"}]}`), nil
		}
		return models.Text(fmt.Sprintf(`{"say":[{"type":"proposal","content":%q,"because":[%q],"reasons":"it follows","confidence":0.9}]}`, answers, ref[1])), nil
	}}
	return thinker.Thinker{ID: id, Model: m}.Agent()
}

// readers are a team of whom two answer by what ann states, and one by what cid does.
func readers() []*agents.Agent {
	return []*agents.Agent{
		reader("ann", "the table is scanned", "add an index", "table is scanned"),
		reader("bob", "it rains", "add an index", "table is scanned"),
		reader("cid", "the disk is full", "buy a disk", "disk is full"),
	}
}

// inMode solves a task in a mode, and returns the journal with the result.
func inMode(t *testing.T, m mode.Mode, team []*agents.Agent) (path string, r *solves.Result) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mode.journal")
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, err := swarm.New(swarm.Options{Agents: team, Seed: 1, Journal: j, Mode: m})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = s.Solve(t.Context(), signals.Task{Task: "faster?"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path, r
}

func TestAnAnswerOfModelsFallsWithTheFactThatItNames(t *testing.T) {
	path, r := inMode(t, mode.FactsFirst, readers())
	if r.Answer != "add an index" {
		t.Fatalf("%q: %s", r.Answer, r.Detail)
	}
	out, errs, status := called(t, "retract", path, saidBy(t, r, "ann", signals.KindDiscovery), "the wrong table")
	if status != cli.ExitChanged || !strings.Contains(out, "the decision changes: ") || !strings.Contains(out, `"cid-1"`) {
		t.Errorf("retract: %s%s", out, errs)
	}
	if out, errs, _ = called(t, "show", path, "--answer"); !strings.Contains(out, "The answer is: buy a disk [") || !strings.Contains(out, "the disk is full [") {
		t.Errorf("show --answer: %s%s", out, errs)
	}
	if out, errs, _ = called(t, "show", path, "--credit"); !strings.Contains(out, "Credit for cid-1 by ") || !strings.Contains(out, "cid  +1.000") {
		t.Errorf("show --credit: %s%s", out, errs)
	}
	if out, errs, _ = called(t, "show", path, "--json"); !strings.Contains(out, `"text":"The answer is: buy a disk [`) || !strings.Contains(out, `"fallen":[9,10],`) {
		t.Errorf("show --json: %s%s", out, errs)
	}
}

func TestRetractSaysByItsStatusWhetherTheDecisionStands(t *testing.T) {
	path, r := inMode(t, mode.FactsFirst, readers())
	for _, step := range []struct {
		agent, says, runs string
		status            int
	}{
		{"bob", "The decision stays", `reached "ann-1": `, cli.ExitDecided},
		{"ann", "the decision changes: ", `without what was taken back answered "cid-1": `, cli.ExitChanged},
		{"cid", "the decision falls: ", `without what was taken back deadlocked: `, cli.ExitNoConsensus},
	} {
		out, errs, status := called(t, "retract", path, saidBy(t, r, step.agent, signals.KindDiscovery), "wrong")
		if status != step.status || !strings.Contains(out, step.says) {
			t.Errorf("%s: status %d: %s%s", step.agent, status, out, errs)
		}
		if out, _, _ := called(t, "runs", filepath.Dir(path)); !strings.Contains(out, step.runs) {
			t.Errorf("%s: runs: %s", step.agent, out)
		}
	}
}

func TestShowPrintsOnlyTheRequestedParts(t *testing.T) {
	path, _ := inMode(t, mode.FactsFirst, readers())
	for flag, want := range map[string]string{
		"--answer":  "The answer is: ",
		"--credit":  "Credit for ann-1 by ",
		"--why":     "Mode\n  facts-first: it was asked for\n\nWhat hearing each other changed\n  before       2 of 3 for ann-1, of those who had heard no answer\n",
		"--without": "Without [5]: ",
	} {
		args := []string{"show", path, flag}
		if flag == "--without" {
			args = append(args, "5")
		}
		if out, errs, _ := called(t, args...); !strings.HasPrefix(out, want) {
			t.Errorf("%s: %s%s", flag, out, errs)
		}
	}
	out, errs, _ := called(t, "show", path, "--json", "--credit")
	var got struct {
		Choice string
		Credit []struct {
			Agent  string
			Credit float64
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Choice != "ann-1" || len(got.Credit) != 3 {
		t.Errorf("%v: %s%s", err, out, errs)
	}
}
