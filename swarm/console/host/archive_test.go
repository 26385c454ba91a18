package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// The solves of journals that programs wrote into the directory are listed beside those of the teams, also of one that
// came or changed since the last list; one that cannot be read hides no others.
func TestSolvesOfProgramsJournalsAreListed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, _ := open(t, dir, nil)
	solve(t, first.Backend(), payments)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "platform.journal"), filepath.Join(dir, "program.journal")); err != nil {
		t.Fatal(err)
	}
	h, _ := open(t, dir, nil)
	b := h.Backend()
	listed := func(q api.SolvesQuery) (of []string) {
		q.Limit = 10
		all, err := b.Solves.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			of = append(of, one.Run+" "+one.State)
		}
		return of
	}
	if got := listed(api.SolvesQuery{}); len(got) != 1 || got[0] != "program decided" {
		t.Fatalf("got %q", got)
	}
	solve(t, b, payments)
	whole, err := os.ReadFile(filepath.Join(dir, "program.journal"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.journal"), []byte("no journal at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cut.journal"), whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := listed(api.SolvesQuery{}); len(got) != 3 || got[0] != "platform decided" {
		t.Errorf("with another of the team, and one that was cut off: %q", got)
	}
	if got := listed(api.SolvesQuery{State: api.Interrupted}); len(got) != 1 || got[0] != "cut interrupted" {
		t.Errorf("interrupted: %q", got)
	}
	held, err := journal.Open(filepath.Join(dir, "cut.journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if got := listed(api.SolvesQuery{Run: "cut"}); len(got) != 1 || got[0] != "cut running" {
		t.Errorf("while a process has it open: %q", got)
	}
}
