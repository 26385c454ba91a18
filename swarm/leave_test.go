package swarm_test

import (
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An answer without a thread is one to the only solve that waits: those that were
// answered wait no more, however they ended, and those with an answer left wait only
// for their program.
func TestAnAnswerIsLeftToTheOnlySolveThatWaits(t *testing.T) {
	j := new(journal.Memory)
	o := swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation, Journal: j, Seed: 5}
	s := newSwarm(t, o)
	first, second, third := escalated(t, s), escalated(t, s), escalated(t, s)
	if r, err := s.Resume(t.Context(), first.Log, answer("neither")); err != nil || r.Answer != "" {
		t.Fatal(r, err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := solves.Leave(t.Context(), j, "", answer("b")); !errors.Is(err, runlog.ErrLog) {
		t.Errorf("with two that wait: %v", err)
	}
	if err := solves.Leave(t.Context(), j, third.Thread, answer("b")); err != nil {
		t.Fatal(err)
	}
	if err := solves.Leave(t.Context(), j, "", answer("b")); err != nil { // the third waits for its program
		t.Fatal(err)
	}
	if err := solves.Leave(t.Context(), j, "", answer("b")); !errors.Is(err, runlog.ErrLog) {
		t.Errorf("with none that waits: %v", err)
	}
	if err := solves.Leave(t.Context(), j, first.Thread, answer("b")); !errors.Is(err, runlog.ErrLog) {
		t.Errorf("to one that was answered: %v", err)
	}
	s = newSwarm(t, o)
	past, err := s.Results()
	if err != nil || len(past) != 3 {
		t.Fatal(past, err)
	}
	if r, err := s.Resume(t.Context(), past[1].Log, nil); err != nil || r.Thread != second.Thread || r.Answer != "do b" {
		t.Errorf("%v, %v", r, err)
	}
}
