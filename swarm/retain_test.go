package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// tell decides tasks, from one number to before another, and tells the outcome
// of every second.
func tell(t *testing.T, s *swarm.Swarm, from, to int) (last *solves.Result) {
	t.Helper()
	for task := from; task < to; task++ {
		last = ask(t, s, task)
		if task%2 == 0 {
			if err := s.RecordOutcome(last, truth(task)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return last
}

func panelOn(t *testing.T, j journal.Store) *swarm.Swarm {
	t.Helper()
	s, err := openPanel(j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func shutdown(t *testing.T, s *swarm.Swarm) {
	t.Helper()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func retain(t *testing.T, j journal.Store, r journal.Retention) int {
	t.Helper()
	dropped, err := solves.Retain(j, r)
	if err != nil {
		t.Fatal(err)
	}
	return dropped
}

// texts are the signals that a journal holds.
func texts(t *testing.T, from journal.Reader) (lines []string) {
	t.Helper()
	snapshot, err := from.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range from.Read(snapshot.Through) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Type == journal.TypeSignal {
			lines = append(lines, string(r.JSON()))
		}
	}
	return lines
}

// TestASwarmOnARetainedJournalKnowsWhatItWouldHave drops the older half again
// and again, while the swarm runs and before it starts again.
func TestASwarmOnARetainedJournalKnowsWhatItWouldHave(t *testing.T) {
	whole := new(journal.Memory)
	once := panelOn(t, whole)
	path := filepath.Join(t.TempDir(), "j")
	dropped := 0
	for life := range 4 {
		j, err := journal.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := panelOn(t, j)
		for _, each := range []*swarm.Swarm{once, s} {
			tell(t, each, 10*life, 10*life+5)
		}
		dropped += retain(t, j, journal.Retention{Bytes: 40 << 10})
		late := [2]*solves.Result{}
		for i, each := range []*swarm.Swarm{once, s} {
			late[i] = tell(t, each, 10*life+5, 10*life+6) // whose outcome is not recorded yet
			tell(t, each, 10*life+6, 10*life+10)
		}
		dropped += retain(t, j, journal.Retention{Bytes: 1})
		for i, each := range []*swarm.Swarm{once, s} {
			if err := each.RecordOutcome(late[i], truth(10*life+5)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := replayed(t, j); err != nil {
			t.Error(err)
		}
		shutdown(t, s)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	again := panelOn(t, j)
	if got, want := ledgerOf(t, again.Ledger()), ledgerOf(t, once.Ledger()); got != want || again.Ledger().Len() != 40 {
		t.Errorf("%d decisions learned; got\n%.500s\nwant\n%.500s", again.Ledger().Len(), got, want)
	}
	all, kept := texts(t, whole), texts(t, j)
	if rest := all[len(all)-min(len(kept), len(all)):]; dropped < 100 || len(kept) == 0 || strings.Join(kept, "\n") != strings.Join(rest, "\n") {
		t.Errorf("%d records dropped; %d kept are not the last %d", dropped, len(kept), len(rest))
	}
	if past, err := again.Results(); err != nil || len(past) > 1 {
		t.Errorf("%d solves are there, %v", len(past), err)
	}
	for _, s := range []*swarm.Swarm{once, again} {
		tell(t, s, 40, 42)
	}
	if all, kept = texts(t, whole), texts(t, j); strings.Join(kept, "\n") != strings.Join(all[len(all)-min(len(kept), len(all)):], "\n") {
		t.Error("it does not go on as the one that kept everything")
	}
}

// TestAnUnansweredEscalationOutlivesRetention decides others after it.
func TestAnUnansweredEscalationOutlivesRetention(t *testing.T) {
	j := new(journal.Memory)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rivals := true
	rival := agents.Each(func(context.Context, signals.Any) seq {
		if !rivals {
			return agents.Emit()
		}
		return agents.Emit(agents.Propose("b", "do b", 1, ""))
	})
	open := func() *swarm.Swarm {
		s, err := swarm.New(swarm.Options{
			Agents: []*agents.Agent{
				proposer("p", "a", "do a"),
				{ID: "q", Listens: []signals.Kind{signals.KindTask}, CanEmit: []signals.Kind{signals.KindProposal}, Reactor: rival},
				voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes}),
			},
			Seed: 3, Clock: func() time.Time { now = now.Add(time.Minute); return now }, Journal: j,
			Conflicts: settle.ByEscalation, Quorum: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	if r := ask(t, s, 0); r.Stop != runlog.StopEscalated {
		t.Fatalf("got %v", r.Stop)
	}
	rivals = false
	for task := range 5 {
		if r := ask(t, s, task); r.Stop != runlog.StopConsensus {
			t.Fatalf("got %v", r.Stop)
		}
	}
	shutdown(t, s)
	if n := retain(t, j, journal.Retention{Bytes: 1, Age: 10 * time.Hour}); n != 0 {
		t.Errorf("dropped %d records", n)
	}
	s = open()
	past, err := s.Results()
	if err != nil || len(past) != 6 {
		t.Fatalf("%d solves, %v", len(past), err)
	}
	r, err := s.Resume(t.Context(), past[0].Log, vote("a", yes, 1))
	if err != nil || !r.Stop.Chose() {
		t.Fatalf("got %v, %v", r, err)
	}
	ask(t, s, 0)
	shutdown(t, s)
	if n := retain(t, j, journal.Retention{Bytes: 1}); n < 20 {
		t.Errorf("dropped %d records once it was answered", n)
	}

	rivals = true
	s = open()
	ask(t, s, 0)
	rivals = false
	for task := range 5 {
		ask(t, s, task)
	}
	shutdown(t, s)
	if n := retain(t, j, journal.Retention{Bytes: 1, Age: 10 * time.Minute}); n < 20 {
		t.Errorf("dropped %d records although nobody answered in time", n)
	}
	shutdown(t, open())
}

// TestASolveThatCanGoOnOutlivesRetention has a record before it, as the command line
// keeps what a run depends on.
func TestASolveThatCanGoOnOutlivesRetention(t *testing.T) {
	for want, cut := range map[runlog.StopReason]swarm.Options{
		runlog.StopBudget: {Limits: swarm.Limits{Signals: 2}}, runlog.StopDeadline: {Limits: swarm.Limits{Deadline: time.Nanosecond}},
	} {
		t.Run(want.String(), func(t *testing.T) {
			j := new(journal.Memory)
			if _, err := j.Append(journal.Record{Type: journal.TypeResult, Head: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
			cut.Agents, cut.Seed, cut.Journal = panel(), 7, j
			s, err := swarm.New(cut)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.Solve(t.Context(), signals.Task{Task: "0"}); err != nil || r.Stop != want {
				t.Fatalf("got %v, %v", r, err)
			}
			shutdown(t, s)
			s = panelOn(t, j)
			tell(t, s, 1, 4)
			if n := retain(t, j, journal.Retention{Bytes: 1}); n != 0 {
				t.Errorf("dropped %d records", n)
			}
			past, err := s.Results()
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.Resume(t.Context(), past[0].Log, nil); err != nil || r.Stop != runlog.StopConsensus {
				t.Fatalf("got %v, %v", r, err)
			}
			tell(t, s, 4, 5)
			if n := retain(t, j, journal.Retention{Bytes: 1}); n < 10 {
				t.Errorf("dropped %d records when it was over", n)
			}
		})
	}
}

// TestThreadsGoOnFromTheGreatestThatWasDropped keeps nothing but an outcome of
// an earlier one.
func TestThreadsGoOnFromTheGreatestThatWasDropped(t *testing.T) {
	j := new(journal.Memory)
	s := panelOn(t, j)
	first := ask(t, s, 1)
	ask(t, s, 2)
	if err := s.RecordOutcome(first, truth(1)); err != nil {
		t.Fatal(err)
	}
	shutdown(t, s)
	if retain(t, j, journal.Retention{Bytes: 1}); len(texts(t, j)) != 1 {
		t.Fatalf("%d records are kept", len(texts(t, j)))
	}
	if r := ask(t, panelOn(t, j), 3); r.Thread != "solve-00000007-3" {
		t.Errorf("got thread %s, want the third", r.Thread)
	}
}

// TestAConflictWithADroppedProposalIsBelieved has a thread beside the solves,
// which retention cuts where it likes.
func TestAConflictWithADroppedProposalIsBelieved(t *testing.T) {
	j := new(journal.Memory)
	s := panelOn(t, j)
	propose := func(by, id string) {
		t.Helper()
		p, err := s.Bus().Agent(by, bus.Permissions{})
		if err != nil {
			t.Fatal(err)
		}
		said := signals.New(signals.Header{Thread: "chat", Confidence: 1, TTL: -1}, signals.Proposal{ProposalID: id, Content: "do " + id})
		if _, err := p.Publish(t.Context(), said); err != nil {
			t.Fatal(err)
		}
	}
	propose("x", "this")
	ask(t, s, 1)
	if retain(t, j, journal.Retention{Bytes: 1}) != 1 {
		t.Error("the proposal was not dropped")
	}
	propose("y", "that")
	ask(t, s, 2)
	shutdown(t, s)
	if r, err := replayed(t, j); err != nil || r.Conflicts == 0 {
		t.Error(r, err)
	}
}

func TestASnapshotOfSomethingElseIsRefused(t *testing.T) {
	for _, state := range []string{"", "{}", `{"version":2}`, `{"version":1,"learners":{"swarm":{}}}`, `{"version":1,"observed":{"t":[{"learner":"x"}]}}`} {
		j := journalled(t)
		if err := j.Drop(j.Last()-1, []byte(state)); err != nil {
			t.Fatal(err)
		}
		if _, err := openPanel(j); err == nil {
			t.Errorf("%s was taken for what a swarm knew", state)
		}
	}
}

// contrary is a strategy that no library has.
type contrary struct{ consensus.Strategy }

func (contrary) Name() string { return "contrary" }

func TestASwarmWithAStrategyOfItsOwnStartsAgain(t *testing.T) {
	j := new(journal.Memory)
	open := func() *swarm.Swarm {
		s, err := swarm.New(swarm.Options{
			Agents: panel(), Seed: 7, Strategy: contrary{consensus.Voting{}}, Journal: j,
			Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0),
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for range 3 {
		s := open()
		ask(t, s, 1)
		shutdown(t, s)
	}
	if r, err := replayed(t, j); !errors.Is(err, replay.ErrStrategy) || !strings.Contains(err.Error(), `"contrary"`) {
		t.Errorf("got %v, %v", r, err)
	}
	if n := retain(t, j, journal.Retention{Bytes: 1}); n == 0 {
		t.Error("nothing was dropped")
	}
	s := open()
	defer s.Close()
	if r := ask(t, s, 1); r.Thread != fmt.Sprintf("solve-%08x-4", 7) {
		t.Errorf("got thread %s, which there was before", r.Thread)
	}
}
