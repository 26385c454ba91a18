package browser_test

import (
	"context"
	"iter"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// voted writes the journal of a vote in which each agent gives an answer, and returns the thread.
func voted(t *testing.T, path string, answers ...string) string {
	t.Helper()
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	o := swarm.Options{Mode: mode.Vote, Journal: j, Seed: 1}
	for i, answer := range answers {
		o.Agents = append(o.Agents, &agents.Agent{ID: []string{"ann", "bob", "cid"}[i], Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Proposal{ProposalID: turn.NewID().String(), Content: answer}))
		})})
	}
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(t.Context(), signals.Task{Task: "Which port?"})
	if err != nil || r.Stop == runlog.StopError {
		t.Fatalf("%v, %v", r, err)
	}
	return r.Thread
}

// In a mode the most decides: there is no threshold to show. Answers that are tied are named.
func TestAVoteNeedsTheMostAndNamesATie(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tie := voted(t, filepath.Join(dir, "tie.journal"), "port 80", "port 443")
	most := voted(t, filepath.Join(dir, "most.journal"), "port 80", "port 80", "port 443")
	s := demo(t, "--dir", dir)
	p := open(t, s)
	p.visit(s.path("/solves/tie." + tie))
	p.see(".ans", "Nothing leads: A and B are tied")
	p.visit(s.path("/solves/most." + most))
	p.see(".big", "Reached")
	p.see(".ans", "port 80")
	p.see(".gauge text", "needs the most")
}
