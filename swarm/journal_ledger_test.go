package swarm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func between(t *testing.T, choices ...string) *reliability.Ledger {
	t.Helper()
	l, err := reliability.NewLedger(&reliability.Options{Choices: choices})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func outcomes(t *testing.T, j journal.Reader) (all []string) {
	t.Helper()
	past, err := solves.List(j)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range past {
		for _, s := range r.Log {
			if o, ok := s.Body().(runlog.Outcome); ok {
				all = append(all, o.ProposalID)
			}
		}
	}
	return all
}

// A journal's ledger has the options of the empty one that the swarm was given, again
// and again.
func TestALedgerIsFilledFromTheJournal(t *testing.T) {
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory), Ledger: between(t, "a", "b", "c")}
	s := startOn(t, o)
	for task := range 40 {
		r := ask(t, s, task)
		right := truth(task)
		if task%10 == 9 {
			right = "c" // a choice that no agent proposed
		}
		if err := s.RecordOutcome(r, right); err != nil {
			t.Fatal(err)
		}
	}
	if s.Ledger() != o.Ledger || o.Ledger.Len() != 40 {
		t.Errorf("the ledger holds %d decisions", o.Ledger.Len())
	}
	again := o
	again.Ledger = between(t, "a", "b", "c")
	live := ledgerOf(t, o.Ledger)
	s = startAgain(t, s, again)
	if s.Ledger() != again.Ledger || ledgerOf(t, again.Ledger) != live {
		t.Error("the ledger is another one, or knows something else")
	}
	if r := ask(t, s, 41); r.Decision.Strategy != "default" {
		t.Errorf("decides by %s", r.Decision.Strategy)
	}
	shutdown(t, s)
	for name, ledger := range map[string]*reliability.Ledger{"other choices": between(t, "a", "b"), "none": nil} {
		again.Ledger = ledger
		var field *signals.FieldError
		if _, err := swarm.New(again); !errors.As(err, &field) || field.Field != "ledger" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Outcomes arrive after a restart, too.
func TestAPastSolveCanBeResolved(t *testing.T) {
	j := new(journal.Memory)
	o := swarm.Options{Agents: panel(), Journal: j}
	s := startOn(t, o)
	ask(t, s, 1)
	ask(t, s, 2)
	s = startAgain(t, s, o)
	past, err := s.Results()
	if err != nil || len(past) != 2 {
		t.Fatal(past, err)
	}
	if err := errors.Join(s.RecordOutcome(past[1], "b"), s.RecordOutcome(past[0], "")); err != nil {
		t.Error(err)
	}
	if got := strings.Join(outcomes(t, j), ","); got != ",b" {
		t.Errorf("the journal has the outcomes %q", got)
	}
	startAgain(t, s, o)
}

// A misspelt proposal would count against all who voted.
func TestARefusedOutcomeIsNeitherLearnedNorRecorded(t *testing.T) {
	for name, j := range map[string]*journal.Memory{"journal": new(journal.Memory), "no journal": nil} {
		o := swarm.Options{Agents: panel()}
		if j != nil {
			o.Journal = j
		}
		s := startOn(t, o)
		r := ask(t, s, 1)
		for range 2 {
			before := ledgerOf(t, s.Ledger())
			var field *signals.FieldError
			if err := s.RecordOutcome(r, "bgu"); !errors.As(err, &field) || field.Value != "bgu" {
				t.Errorf("%s: got %v", name, err)
			}
			if ledgerOf(t, s.Ledger()) != before {
				t.Errorf("%s: it was learned", name)
			}
			if err := s.RecordOutcome(r, "b"); err != nil {
				t.Error(err)
			}
		}
		if j == nil {
			continue
		}
		if got := strings.Join(outcomes(t, j), ","); got != "b,b" {
			t.Errorf("the journal has the outcomes %q", got)
		}
	}
}

// RecordOutcome accepts the id of any of the proposals that count as one.
func TestAnOutcomeByAnotherIDOfAProposalIsThatOfTheProposal(t *testing.T) {
	known := map[string]string{}
	for _, id := range []string{"a", "same", "past a", "past same"} {
		team := append([]*agents.Agent{proposer("p", "a", "do a"), proposer("r", "same", "do a")}, panel()[1:]...)
		o := swarm.Options{Agents: team, Journal: new(journal.Memory)}
		s := startOn(t, o)
		r := ask(t, s, 1)
		if past, ok := strings.CutPrefix(id, "past "); ok {
			s = startAgain(t, s, o)
			all, err := s.Results()
			if err != nil {
				t.Fatal(err)
			}
			r, id = all[0], past
		}
		if err := s.RecordOutcome(r, id); err != nil {
			t.Fatal(err)
		}
		known[ledgerOf(t, s.Ledger())] = id
	}
	if len(known) != 1 {
		t.Errorf("%d ledgers: %v", len(known), known)
	}
}

// A ledger that was saved is what a journal begins with, and what one that has learned something else goes on with: its log
// says so, and is derived from itself alone.
func TestASavedLedgerIsOnTheLogOfTheSolvesThatBeginWithIt(t *testing.T) {
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory), Ledger: new(reliability.Ledger)}
	s := startOn(t, o)
	for task := range 12 {
		if err := s.RecordOutcome(ask(t, s, task), truth(task)); err != nil {
			t.Fatal(err)
		}
	}
	shutdown(t, s)
	saved := ledgerOf(t, o.Ledger)
	restored := func() *reliability.Ledger {
		l := new(reliability.Ledger)
		if err := l.UnmarshalJSON([]byte(saved)); err != nil {
			t.Fatal(err)
		}
		return l
	}
	for name, own := range map[string]int{"a new journal": 0, "one that has learned something": 6} {
		j := new(journal.Memory)
		if own > 0 {
			s := newSwarm(t, swarm.Options{Agents: panel(), Journal: j, Seed: 8}) // with other names of solves
			for task := range own {
				ask(t, s, task)
			}
			shutdown(t, s)
		}
		again := swarm.Options{Agents: panel(), Journal: j, Ledger: restored()}
		s := startOn(t, again)
		for task := range 3 {
			if r := ask(t, s, task); r.Decision.Strategy != "default" {
				t.Errorf("%s: decides by %s", name, r.Decision.Strategy)
			}
		}
		shutdown(t, s)
		if n := again.Ledger.Len(); n != 12+own+3 {
			t.Errorf("%s: the ledger has %d decisions", name, n)
		}
		past, err := replayed(t, j)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if ledgerOf(t, past.Ledger(runlog.Learner)) != ledgerOf(t, again.Ledger) {
			t.Errorf("%s: the log has learned something else", name)
		}
		if starts := strings.Count(exported(t, j), `"starts"`); starts != 1 {
			t.Errorf("%s: the ledger is recorded %d times", name, starts)
		}
		last := swarm.Options{Agents: panel(), Journal: j, Ledger: restored()}
		s = startOn(t, last) // it knows nothing more
		if ask(t, s, 4); last.Ledger.Len() != 12+own+4 {
			t.Errorf("%s: started again, it has %d decisions", name, last.Ledger.Len())
		}
		shutdown(t, s)
		if _, err := replayed(t, j); err != nil {
			t.Errorf("%s, started again: %v", name, err)
		}
	}
}
