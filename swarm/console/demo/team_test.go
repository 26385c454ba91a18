package demo

import (
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// TestTheSameQuestionsHaveTheSameAnswers repeats the team's tasks that wait for no person, and
// reports each outcome to it.
func TestTheSameQuestionsHaveTheSameAnswers(t *testing.T) {
	t.Parallel()
	store, err := journal.Open(filepath.Join(t.TempDir(), "platform.journal"), &journal.Options{Sync: journal.SyncInterval})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	by, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	o, err := options(0, desk.Keep{Answers: by, Calls: by})
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = store
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 3 * 5 {
		scene := []scene{scenes[0], scenes[2], scenes[3]}[i%3]
		r, err := s.Solve(t.Context(), signals.Task{Task: scene.task, Context: scene.context})
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Decision.Choice != scene.right:
			t.Fatalf("solve %d, %q: got %q (%v), want %q", i, scene.task, r.Decision.Choice, r.Stop, scene.right)
		case scene.right == "" && r.Stop != runlog.StopDeadlock:
			t.Fatalf("solve %d, %q: %v", i, scene.task, r.Stop)
		case scene.right != "":
			if err := s.RecordOutcome(r, scene.right); err != nil {
				t.Fatal(err)
			}
		}
	}
	if known := s.Ledger().Reliabilities(); known != nil {
		t.Errorf("something was learned of the voters, which weighs their votes: %v", known)
	}
}
