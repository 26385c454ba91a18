package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// statesIn returns how many states swarms saved in a journal.
func statesIn(t *testing.T, j journal.Reader) (n int) {
	t.Helper()
	for r, err := range j.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Type == journal.TypeState {
			n++
		}
	}
	return n
}

// copied returns a copy of a journal, with what change makes of each saved state;
// nil: without any.
func copied(t *testing.T, j journal.Reader, change func([]byte) []byte) *journal.Memory {
	t.Helper()
	out := new(journal.Memory)
	for r, err := range j.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Type == journal.TypeState {
			if change == nil {
				continue
			}
			r.Body = change(r.Body)
		}
		if _, err := out.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A swarm that starts from a saved state goes on as one that folds the whole log, and so
// does one that cannot read the state.
func TestASwarmThatStartsFromASavedStateGoesOnAsFromItsWholeLog(t *testing.T) {
	t.Parallel()
	j := new(journal.Memory)
	s := panelOn(t, j)
	tell(t, s, 0, 50)
	shutdown(t, s)
	s = panelOn(t, j)
	tell(t, s, 50, 53) // too few to save another state
	shutdown(t, s)
	if n := statesIn(t, j); n < 1 {
		t.Fatalf("%d states are saved", n)
	}
	var want []string
	for _, on := range []*journal.Memory{
		copied(t, j, nil),
		copied(t, j, slices.Clone[[]byte]),
		copied(t, j, func([]byte) []byte { return []byte(`{"version":99}`) }),
		copied(t, j, func([]byte) []byte { return []byte(`{"version":1,"learners":{"swarm":{}}}`) }),
		copied(t, j, func(state []byte) []byte { return state[:len(state)/2] }),
	} {
		again := panelOn(t, on)
		past, err := again.Results()
		if err != nil || len(past) != 53 {
			t.Fatalf("%d solves, %v", len(past), err)
		}
		for _, i := range []int{1, 51} { // whose outcomes are not recorded yet
			if err := again.RecordOutcome(past[i], truth(i)); err != nil {
				t.Error(err)
			}
		}
		tell(t, again, 53, 60)
		got := append(texts(t, on), ledgerOf(t, again.Ledger()))
		shutdown(t, again)
		if _, err := replayed(t, on); err != nil {
			t.Error(err)
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("it goes on otherwise (-from the log +from the state):\n%.2000s", diff)
		}
	}
}

// counted counts the records that are read.
type counted struct {
	journal.Store
	read int
}

func (c *counted) Read(after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for r, err := range c.Store.Read(after) {
			c.read++
			if !yield(r, err) {
				return
			}
		}
	}
}

func TestAStartReadsWhatHappenedSinceTheSavedState(t *testing.T) {
	t.Parallel()
	j := &counted{Store: new(journal.Memory)}
	before := 0
	for range 3 {
		s := panelOn(t, j)
		if j.read > 10_000 { // two windows of records, and what is since, twice
			t.Errorf("a start reads %d records of %d", j.read, j.Last())
		}
		for task := range 200 {
			ask(t, s, task)
		}
		shutdown(t, s)
		if n := statesIn(t, j); n <= before || n > 40 {
			t.Errorf("%d states are saved in %d records, after %d", n, j.Last(), before)
		} else {
			before = n
		}
		j.read = 0
	}
}

// A solve that asks goes on from its answer, however much was saved and how often the
// swarm started since it asked.
func TestASolveFromBeforeASavedStateGoesOnFromItsAnswer(t *testing.T) {
	t.Parallel()
	for starts := range 3 {
		j, rivals := new(journal.Memory), true
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
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
				Seed: 3, Clock: func() time.Time { now = now.Add(time.Second); return now }, Journal: j,
				Conflicts: settle.ByEscalation, Quorum: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			return s
		}
		s := open()
		asked := ask(t, s, 0)
		if asked.Stop != runlog.StopEscalated {
			t.Fatalf("got %v", asked.Stop)
		}
		rivals = false
		for task := range 120 {
			ask(t, s, task)
		}
		shutdown(t, s)
		if statesIn(t, j) == 0 {
			t.Fatal("no state is saved")
		}
		for range starts {
			shutdown(t, open())
		}
		s = open()
		r, err := s.Resume(t.Context(), asked.Log, vote("a", yes, 1))
		if err != nil || !r.Stop.Chose() {
			t.Fatalf("%d starts: got %v, %v", starts, r, err)
		}
		resolved := 0
		for _, said := range r.Log {
			if fmt.Sprint(said.Kind()) == "conflict:resolved" {
				resolved++
			}
		}
		if resolved != 1 {
			t.Errorf("%d starts: %d conflicts are resolved", starts, resolved)
		}
		live := ledgerOf(t, s.Ledger())
		shutdown(t, s)
		if _, err := replayed(t, j); err != nil {
			t.Error(err)
		}
		s = open()
		if diff := cmp.Diff(live, ledgerOf(t, s.Ledger())); diff != "" {
			t.Errorf("%d starts: what it learned (-live +restarted):\n%.1000s", starts, diff)
		}
		shutdown(t, s)
	}
}
