package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// torn are two that propose, and two that vote for one each.
func torn() []*agents.Agent {
	return []*agents.Agent{
		proposer("p", "a", "do a"), proposer("q", "b", "do b"),
		answerer("v", func(int) string { return "a" }), answerer("w", func(int) string { return "b" }),
	}
}

// stuck are one that proposes, one that is for it and one that says nothing.
func stuck() []*agents.Agent {
	return []*agents.Agent{proposer("p", "a", "do a"), answerer("v", func(int) string { return "a" }), voter("w", nil)}
}

// startOn starts a swarm whose time stands still, unless it has a clock.
func startOn(t *testing.T, o swarm.Options) *swarm.Swarm {
	t.Helper()
	if o.Clock == nil {
		o.Clock = swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0)
	}
	o.Seed = 3
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// startAgain ends a swarm and checks that another one on its journal knows the
// same, and that the journal is what it derives to.
func startAgain(t *testing.T, s *swarm.Swarm, o swarm.Options) *swarm.Swarm {
	t.Helper()
	live := ledgerOf(t, s.Ledger())
	shutdown(t, s)
	if _, err := replayed(t, o.Journal); err != nil {
		t.Error(err)
	}
	s = startOn(t, o)
	if diff := cmp.Diff(live, ledgerOf(t, s.Ledger())); diff != "" {
		t.Errorf("what it learned (-live +folded):\n%.1000s", diff)
	}
	return s
}

func TestLearningDoesNotDependOnItsReaders(t *testing.T) {
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory)}
	unseen := swarm.Options{Agents: panel(), Journal: new(journal.Memory)}
	s, other := startOn(t, o), startOn(t, unseen)
	for task := range 60 {
		r := ask(t, s, task)
		s.Ledger().Models()
		s.Ledger().Strategy()
		s.Ledger().Reliabilities()
		if _, err := s.Replay(r.Log); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.RecordOutcome(r, truth(task)), other.RecordOutcome(ask(t, other, task), truth(task))); err != nil {
			t.Fatal(err)
		}
	}
	if ledgerOf(t, s.Ledger()) != ledgerOf(t, other.Ledger()) {
		t.Error("who is looked at learns otherwise")
	}
	startAgain(t, s, o)
}

func TestTheLogHasWhatConcurrentSolvesLearn(t *testing.T) {
	for range 3 {
		o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Quorum: 1}
		s := startOn(t, o)
		var all sync.WaitGroup
		for task := range 100 {
			all.Go(func() {
				r, err := s.Solve(context.Background(), signals.Task{Task: fmt.Sprint(task)})
				if err == nil {
					err = s.RecordOutcome(r, "a")
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		startAgain(t, s, o)
	}
}

func recordsOf(t *testing.T, j journal.Reader) (all []journal.Record) {
	t.Helper()
	for record, err := range j.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// TestAJournalThatWasCutAnywhereStartsAgainAndAgain cuts between records.
func TestAJournalThatWasCutAnywhereStartsAgainAndAgain(t *testing.T) {
	for _, policy := range []settle.Policy{settle.ByDebate, settle.ByEscalation} {
		on := func(j journal.Store) swarm.Options {
			return swarm.Options{Agents: torn(), Journal: j, Conflicts: policy, Quorum: 1}
		}
		whole := new(journal.Memory)
		s := startOn(t, on(whole))
		r := ask(t, s, 1)
		if err := s.RecordOutcome(r, "a"); err != nil {
			t.Fatal(err)
		}
		ask(t, s, 2)
		shutdown(t, s)
		records := recordsOf(t, whole)
		for cut := range len(records) + 1 {
			j := new(journal.Memory)
			if _, err := j.Append(records[:cut]...); cut > 0 && err != nil {
				t.Fatal(err)
			}
			s := startOn(t, on(j))
			for task := range 2 {
				if err := s.RecordOutcome(ask(t, s, task), "b"); err != nil {
					t.Fatal(err)
				}
				s = startAgain(t, s, on(j))
			}
		}
	}
}

func TestADroppedSolveIsNotResumed(t *testing.T) {
	day := 24 * time.Hour
	for name, bound := range map[string]journal.Retention{"old": {Age: day}, "big": {Bytes: 1}} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			o := swarm.Options{Agents: stuck(), Quorum: 2, Journal: new(journal.Memory), Clock: func() time.Time { return now }}
			if name == "old" { // it waits for its answer until then
				o.Agents, o.Conflicts = torn(), settle.ByEscalation
			}
			s := startOn(t, o)
			r := ask(t, s, 1)
			now = now.Add(2 * day)
			ask(t, s, 2)
			if retain(t, o.Journal, bound) == 0 {
				t.Fatal("nothing was dropped")
			}
			if _, err := s.Resume(t.Context(), r.Log, vote("a", yes, 1)); !errors.Is(err, runlog.ErrLog) || !strings.Contains(err.Error(), "dropped") {
				t.Errorf("got %v", err)
			}
			ask(t, s, 3)
			startAgain(t, s, o)
		})
	}
}

// TestAThreadIsOverWhenTheLogSaysSo answers solves that ended undecided with
// rivals of what had been proposed.
func TestAThreadIsOverWhenTheLogSaysSo(t *testing.T) {
	o := swarm.Options{Agents: stuck(), Journal: new(journal.Memory), Quorum: 2}
	s := startOn(t, o)
	r := ask(t, s, 1)
	again, err := s.Resume(t.Context(), r.Log, propose("z", "do z"))
	if err != nil || len(again.Conflicts) != 0 {
		t.Fatalf("%v, conflicts %v", err, again.Conflicts)
	}
	startAgain(t, s, o)
}

func TestABusThatStartsAgainHasTheProposalsAndConflictsThatItHad(t *testing.T) {
	newBus := func() *bus.Bus {
		b, err := bus.New(&bus.Options{Conflicts: &conflict.Options{MaxLive: 10}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Quorum: 1, Bus: newBus()}
	s := startOn(t, o)
	for task := range 10 {
		ask(t, s, task)
	}
	o.Conflicts = settle.ByEscalation
	o.Bus = newBus()
	s = startAgain(t, s, o)
	r := ask(t, s, 11)
	if r.Stop != runlog.StopEscalated || len(r.Proposals) != 2 {
		t.Fatalf("%v with %d proposals", r.Stop, len(r.Proposals))
	}
	conflicts := func() (all []conflict.Pair) {
		past, err := s.Results()
		if err != nil || len(past) != 11 {
			t.Fatal(len(past), err)
		}
		for _, p := range past {
			all = slices.AppendSeq(all, s.Bus().Conflicts(p.Thread))
		}
		return all
	}
	before := conflicts()
	o.Bus = newBus()
	s = startAgain(t, s, o)
	if after := conflicts(); !slices.Equal(before, after) || len(before) != 1 {
		t.Errorf("open conflicts were %v, and are %v", before, after)
	}
}

// TestAThreadBesideTheSolvesMayBeClosed does what no log says.
func TestAThreadBesideTheSolvesMayBeClosed(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Clock: func() time.Time { now = now.Add(time.Second); return now }}
	s := startOn(t, o)
	say := func(by, id string, ttl time.Duration) {
		t.Helper()
		p, err := s.Bus().Agent(by, bus.Permissions{})
		if err == nil {
			_, err = p.Publish(t.Context(), signals.New(signals.Header{Thread: "chat", TTL: ttl}, signals.Proposal{ProposalID: id, Content: "do " + id}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	say("x", "this", time.Second)
	ask(t, s, 1)
	say("y", "that", 0)
	s.Bus().CloseThread("chat")
	say("z", "more", 0)
	say("z", "and more", 0)
	ask(t, s, 1)
	startAgain(t, s, o)
}

func TestAnAnsweredSolveLearnsTheOutcomeOnceForEachDecision(t *testing.T) {
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Conflicts: settle.ByEscalation, Quorum: 1}
	s := startOn(t, o)
	asked := ask(t, s, 1)
	answered, err := s.Resume(t.Context(), asked.Log, vote("a", yes, 1))
	if err != nil || asked.Observed == answered.Observed {
		t.Fatal(err, asked.Observed, answered.Observed)
	}
	if err := s.RecordOutcome(answered, "b"); err != nil {
		t.Fatal(err)
	}
	s = startAgain(t, s, o)
	if err := s.RecordOutcome(asked, "a"); err != nil {
		t.Fatal(err)
	}
	startAgain(t, s, o)
}

func TestBusesOfOnesOwnStartAgain(t *testing.T) {
	for name, own := range map[string]bus.Options{
		"wide":              {Limits: signals.Limits{TextBytes: 1 << 24}},
		"without conflicts": {Conflicts: &conflict.Options{Off: true}},
		"tight":             {Limits: signals.Limits{TextBytes: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			newBus := func() *bus.Bus {
				b, err := bus.New(&own)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(b.Close)
				return b
			}
			long := strings.Repeat("x", 1<<18)
			o := swarm.Options{
				Agents:  []*agents.Agent{proposer("p", "a", long), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes, "b": no})},
				Journal: new(journal.Memory), Bus: newBus(), Quorum: 1,
			}
			s := startOn(t, o)
			_, err := s.Solve(t.Context(), signals.Task{Task: long[:1000]})
			if (err != nil) != (name == "tight") {
				t.Error(err)
			}
			if name == "tight" && o.Journal.Last() != 0 {
				t.Errorf("%d records of what was refused", o.Journal.Last())
			}
			o.Bus = newBus()
			startAgain(t, s, o)
		})
	}
}
