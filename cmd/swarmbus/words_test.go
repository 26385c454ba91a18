package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// voters vote as a word for each says: for the proposal of its letter, "!" and it against it, "-" for none.
func voters(votes string) (team []*agents.Agent) {
	all := strings.Fields(votes)
	for i, v := range all {
		first := slices.Index(all, v) == i
		team = append(team, &agents.Agent{ID: string(rune('k' + i)), Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			content, against := strings.CutPrefix(v, "!")
			vote := func(id string) signals.Any { return agents.Agree(id, 0.9, "known") }
			if against {
				vote = func(id string) signals.Any { return agents.Disagree(id, 0.9, "wrong") }
			}
			switch {
			case v == "?":
				return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "who pays"}))
			case t.Ask != 0 && t.Ask != agents.AskVerdict && v != "-":
				return agents.Emit(agents.Propose(content, content, 0.9, "known"))
			case t.Ask == 0 && t.Round == 1 && first && v != "-":
				return agents.Emit(agents.Propose(content, content, 0.9, "known"), vote(content))
			case t.Ask == 0 && t.Round == 1 && v != "-":
				return agents.Emit(vote(content))
			}
			return agents.Emit(agents.Pass("nothing new"))
		})})
	}
	return team
}

// recorded returns a decision as a log has it, without the votes.
func recorded(t *testing.T, d consensus.Decision) (of consensus.Decision) {
	data, err := json.Marshal(d)
	if err = errors.Join(err, json.Unmarshal(data, &of)); err != nil {
		t.Fatal(err)
	}
	return of
}

// Whoever shows a decision says it in the sentence of its result.
func TestEveryPlaceSaysADecisionInTheSameSentence(t *testing.T) {
	doubts := consensus.Func("doubts", func(b consensus.Ballots) consensus.Decision {
		d := consensus.ConfidenceWeighted{}.Decide(b)
		if d.Outcome == consensus.Reached {
			d.Outcome, d.Choice = consensus.Uncertified, ""
		}
		return d
	})
	dir := t.TempDir()
	want := map[string]*solves.Result{}
	for name, of := range map[string]struct {
		votes string
		begin swarm.Options
	}{
		"reached":     {votes: "x x x"},
		"settled":     {"x x y", swarm.Options{Conflicts: settle.ByMajority}},
		"contested":   {"x x y z", swarm.Options{Mode: mode.Vote}},
		"rejected":    {votes: "!x !x !x"},
		"open":        {"x - -", swarm.Options{Limits: swarm.Limits{Rounds: 1}}},
		"uncertified": {"x x", swarm.Options{Strategy: doubts}},
		"answered":    {"x x", swarm.Options{Mode: mode.Single}},
		"escalated":   {votes: "x ?"},
		"deadlocked":  {votes: "x - -"},
		"voted":       {"x x y", swarm.Options{Mode: mode.Vote}},
	} {
		j, err := journal.Open(filepath.Join(dir, name+".journal"), nil)
		if err != nil {
			t.Fatal(err)
		}
		of.begin.Agents, of.begin.Journal, of.begin.Seed = voters(of.votes), j, 1
		s, err := swarm.New(of.begin)
		if err != nil {
			t.Fatal(err)
		}
		if want[name], err = s.Solve(t.Context(), signals.Task{Task: name}); err != nil {
			t.Fatal(name, err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	listed, _, _ := called(t, "runs", dir)
	h, err := host.Open(t.Context(), host.Options{Dir: dir, Hub: feed.New(feed.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.WithoutCancel(t.Context()))
	for name, r := range want {
		decision, whole := r.Decision.Sentence(nil), r.Sentence(nil)
		path := filepath.Join(dir, name+".journal")
		shown, _, _ := called(t, "show", path, "--width", "2000")
		logged, _, _ := called(t, "log", path, "--width", "2000")
		one, err := h.Backend().Solves.Get(t.Context(), name+"."+r.Thread, 0)
		if err != nil || one.Decision == nil {
			t.Errorf("%s: the page has no decision: %v", name, err)
			continue
		}
		for place, said := range map[string]struct{ text, of string }{
			"show":     {shown, r.Decision.Strategy + ": " + decision + "\n"},
			"log":      {logged, "swarm: " + recorded(t, r.Decision).Sentence(nil)},
			"runs":     {listed, whole + "\n"},
			"page":     {one.Decision.Reason, decision},
			"its stop": {one.Detail, whole},
		} {
			if !strings.Contains(said.text, said.of) || strings.Contains(said.text, "100 %") {
				t.Errorf("%s: %s does not say\n%s\nbut\n%s", name, place, said.of, said.text)
			}
		}
	}
}
