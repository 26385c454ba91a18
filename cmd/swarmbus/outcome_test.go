package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// askCamps has a team decide tasks in the journal of a run: two agents are for good, three for bad.
func askCamps(t *testing.T, path string, tasks int) (last *solves.Result) {
	t.Helper()
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	propose := func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose("good", "do it well", 1, ""), agents.Propose("bad", "do it badly", 1, ""))
	}
	team := []*agents.Agent{{ID: "clerk", Reactor: agents.On(propose), CanEmit: []signals.Kind{signals.KindProposal}}}
	for id, choice := range map[string]string{"ann": "good", "bob": "good", "cyd": "bad", "dan": "bad", "eve": "bad"} {
		team = append(team, &agents.Agent{ID: id, CanEmit: []signals.Kind{signals.KindVote}, Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
			if p.Payload.ProposalID != choice {
				return agents.Emit()
			}
			return agents.Emit(agents.Agree(choice, 0.8, ""))
		})})
	}
	s, err := swarm.New(swarm.Options{Agents: team, Seed: 1, Journal: j})
	for i := 0; i < tasks && err == nil; i++ {
		last, err = s.Solve(t.Context(), signals.Task{Task: fmt.Sprint("task ", i)})
	}
	if err = errors.Join(err, s.Shutdown(t.Context()), j.Close()); err != nil {
		t.Fatal(err)
	}
	return last
}

func TestOutcomesToldByCommandChangeWhomATeamTrusts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "team.journal")
	if r := askCamps(t, path, 20); r.Decision.Leader() != "bad" {
		t.Fatalf("before: %v", r.Decision)
	}
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	past, err := solves.List(v)
	if err != nil {
		t.Fatal(err)
	}
	rows := "run,thread,right\n"
	for _, r := range past[1:] {
		rows += path + "," + r.Thread + ",Do it  well\n"
	}
	file := filepath.Join(t.TempDir(), "outcomes.csv")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := says(t, "outcome", "--file", file)
	agents, _ := says(t, "agents", path)
	for _, want := range []string{"agent  trust  rests on  right     interval       more\n", "ann    ", "outcomes  19 of 19  83 % to 100 %  0\n", "0 of 19"} {
		if !strings.Contains(agents, want) {
			t.Errorf("%q is not in\n%s", want, agents)
		}
	}
	one, _ := says(t, "outcome", path, "--right", "good", "--thread", past[0].Thread)
	if n := strings.Count(out+one, `: right was "good"`); n != len(past) {
		t.Errorf("%d of %d outcomes told: %s%s", n, len(past), out, one)
	}
	if r := askCamps(t, path, 1); r.Decision.Choice != "good" || r.Decision.Because == "" {
		t.Errorf("after: %v", r.Decision)
	}
	if checked, _ := says(t, "replay", path, "--check"); !strings.Contains(checked, "20 outcomes") {
		t.Error(checked)
	}
}

func TestOutcomeRefusesWhatNobodyProposed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "team.journal")
	askCamps(t, path, 1)
	for want, args := range map[string][]string{
		`nobody proposed "godo"; did you mean "good"?`: {path, "godo"},
		"one of VALUE, --right PROPOSAL and --none":    {path},
		"a run is required":                            {},
		"no solve in thread":                           {path, "good", "--thread", "elsewhere"},
		"--file has the runs":                          {path, "--file", "x.csv"},
	} {
		if _, errs, status := called(t, append([]string{"outcome"}, args...)...); status == 0 || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d: %s", args, status, errs)
		}
	}
	for content, want := range map[string]string{
		"": "want a CSV file with the columns run and right: unexpected EOF", "run,was\nx,y\n": `the first line is "run,was"`,
		"run,right\nx\n": "wrong number of fields", "\ufeffrun,right\n" + path + ",godo\n": `nobody proposed "godo"`,
	} {
		file := filepath.Join(t.TempDir(), "outcomes.csv")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, errs, status := called(t, "outcome", "--file", file); status == 0 || !strings.Contains(errs, want) || strings.Contains(errs, "%!") {
			t.Errorf("%q: status %d: %s", content, status, errs)
		}
	}
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := solves.List(v)
	if err != nil || all[0].Decision.Outcome == consensus.Pending && all[0].Observed == "" {
		t.Errorf("%v, %v", all, err)
	}
}
