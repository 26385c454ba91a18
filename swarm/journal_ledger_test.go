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
	for name, ledger := range map[string]*reliability.Ledger{"other choices": between(t, "a", "b"), "none": nil, "not empty": o.Ledger} {
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
