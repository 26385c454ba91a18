package swarm_test

import (
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// wantFolded checks that a swarm learned what its journal says, and no more.
func wantFolded(t *testing.T, s *swarm.Swarm, j journal.Reader) {
	t.Helper()
	folded, err := replayed(t, j)
	if err != nil {
		t.Fatal(err)
	}
	live := ledgerOf(t, s.Ledger())
	if l := folded.Ledger("swarm"); l != nil && ledgerOf(t, l) != live || l == nil && s.Ledger().Len() > 0 {
		t.Errorf("it learned %.500s", live)
	}
}

// solveClosing solves a task on a bus that is closed when an event is the one.
func solveClosing(t *testing.T, s *swarm.Swarm, at func(solves.Event) bool) (r *solves.Result, closed bool) {
	t.Helper()
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "3"}) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			r = stopped.Result
		} else if at(e) {
			s.Bus().Close()
			closed = true
		}
	}
	return r, closed
}

func TestSignalsThatTheBusRefusesAreNotLearned(t *testing.T) {
	start := func(t *testing.T) (*swarm.Swarm, *journal.Memory) {
		j, b := new(journal.Memory), made(bus.New(nil))
		t.Cleanup(b.Close)
		return startOn(t, swarm.Options{Agents: panel(), Journal: j, Bus: b}), j
	}
	t.Run("terms", func(t *testing.T) {
		for before := 20; before < 26; before++ { // at some of them it is due to learn
			s, j := start(t)
			for task := range before {
				ask(t, s, task)
			}
			r, _ := solveClosing(t, s, func(e solves.Event) bool {
				spoke, ok := e.(solves.Spoke)
				return ok && spoke.Signal.Kind() == signals.KindTask
			})
			if r.Stop != runlog.StopError {
				t.Errorf("got %v", r.Stop)
			}
			wantFolded(t, s, j)
		}
	})
	t.Run("decisions", func(t *testing.T) {
		decided := false
		for n := 1; ; n++ {
			s, j := start(t)
			weighed := 0
			r, closed := solveClosing(t, s, func(e solves.Event) bool {
				if _, ok := e.(solves.Weighed); ok {
					weighed++
				}
				return weighed == n
			})
			if !closed {
				break
			}
			decided = decided || r.Decision.Outcome == consensus.Reached
			if r.Observed != "" {
				t.Errorf("observed as %q", r.Observed)
			}
			wantFolded(t, s, j)
		}
		if !decided {
			t.Error("no decision was refused")
		}
	})
	t.Run("outcomes", func(t *testing.T) {
		s, j := start(t)
		r := ask(t, s, 3)
		s.Bus().Close()
		if err := s.RecordOutcome(r, "a"); !errors.Is(err, bus.ErrClosed) {
			t.Errorf("got %v", err)
		}
		wantFolded(t, s, j)
	})
}

// TestALogLearnsTheSameWhoeverLooksAtItsLedger asks the ledgers of replays between
// all signals.
func TestALogLearnsTheSameWhoeverLooksAtItsLedger(t *testing.T) {
	j := new(journal.Memory)
	s := startOn(t, swarm.Options{Agents: panel(), Journal: j})
	for task := range 60 {
		if err := s.RecordOutcome(ask(t, s, task), truth(task)); err != nil {
			t.Fatal(err)
		}
	}
	wantLooked(t, s, j)
	if retain(t, j, journal.Retention{Bytes: 1 << 17}) == 0 {
		t.Error("nothing was dropped")
	}
	wantLooked(t, s, j) // the rest, on what is kept of the first ones
}

func wantLooked(t *testing.T, s *swarm.Swarm, j journal.Reader) {
	t.Helper()
	r, err := replayed(t, j, func(r *replay.Replay) {
		if l := r.Ledger("swarm"); l != nil {
			l.Models()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := ledgerOf(t, r.Ledger("swarm")); got != ledgerOf(t, s.Ledger()) {
		t.Errorf("got %.300s", got)
	}
}

func TestALogSaysWhatWasRefused(t *testing.T) {
	j := new(journal.Memory)
	p := proposer("p", "a", "do a")
	p.CanEmit = []signals.Kind{signals.KindVote}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{p, voter("v", nil)}, Journal: j})
	r := solve(t, s)
	if len(r.Refused) != 1 || r.Refused[0].Signal == nil {
		t.Fatalf("refused: %v", r.Refused)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	past, err := solves.List(j)
	if err != nil {
		t.Fatal(err)
	}
	check := func(how string, got solves.Refused) {
		if got.Agent != "p" || got.Round != 1 || got.Kind != signals.KindProposal || got.Err.Error() != r.Refused[0].Err.Error() {
			t.Errorf("%s: got %+v, want %+v", how, got, r.Refused[0])
		}
	}
	if len(past[0].Refused) != 1 {
		t.Fatalf("listed: %v", past[0].Refused)
	}
	check("listed", past[0].Refused[0])
	watched := 0
	for e, err := range solves.Watch(t.Context(), j, r.Thread) {
		if err != nil {
			t.Fatal(err)
		}
		if refused, ok := e.(solves.Refused); ok {
			check("watched", refused)
			watched++
		}
	}
	if watched != 1 {
		t.Errorf("watched %d", watched)
	}
}
