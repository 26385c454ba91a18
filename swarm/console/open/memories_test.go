package open_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// other is an embedder with another name.
type other struct{ models.Embedder }

func (other) ID() models.ID { return models.ID{Provider: "test", Name: "other"} }

// remembers opens the memory of a team until the test ends.
func remembers(t *testing.T, m *teams.Memory, vectors models.Embedder, o open.Options) (*memory.Pool, error) {
	t.Helper()
	pool, end, err := o.Memory(t.Context(), &teams.Team{Memory: m}, vectors)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return pool, err
}

func TestANewModelMakesNewVectorsOfWhatIsStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool, err := remembers(t, &teams.Memory{Store: "facts.db"}, nil, open.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := pool.Remember(t.Context(), memory.Claim{Content: "The port is 8080.", Category: "x", Statement: memory.Statement{
		Signal: signals.MustID("ada-1"), Source: "ada", Thread: "t", Time: time.Now(),
	}}); err != nil {
		t.Fatal(err)
	}
	var done []memory.Progress
	again, err := remembers(t, &teams.Memory{Store: "facts.db", Embeddings: "other"}, other{memory.Hashed()}, open.Options{
		Dir: dir, Embedded: func(p memory.Progress) { done = append(done, p) },
	})
	if err != nil || len(done) != 1 || done[0].Done != 1 {
		t.Fatalf("%v: progress %v", err, done)
	}
	if found, err := again.Recall(t.Context(), memory.Query{Text: "port", Quarantined: true}); err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestAMemoryThatCannotBeOpenedIsNamed(t *testing.T) {
	t.Setenv("NO_SUCH_MEMORY", "")
	t.Setenv("A_MEMORY", "postgres://me:hunter2@127.0.0.1:1/facts")
	t.Setenv("A_PLACE", "http://127.0.0.1")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "corrupt.db"), []byte(strings.Repeat("no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for m, want := range map[teams.Memory]string{
		{Store: "NO_SUCH_MEMORY"}:            "the variable NO_SUCH_MEMORY is not set",
		{Store: "${NO_SUCH_MEMORY}/x"}:       "the environment variable NO_SUCH_MEMORY is not set",
		{Store: "${A_PLACE}/x"}:              "the store is a URL",
		{Store: "A_MEMORY"}:                  "memory: ",
		{Store: "corrupt.db"}:                filepath.Join(dir, "corrupt.db"),
		{Store: "x.db", Embeddings: "large"}: "the embedder is missing, which is large",
	} {
		pool, err := remembers(t, &m, nil, open.Options{Dir: dir})
		if pool != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want %s", m.Store, err, want)
		}
		if m.Store == "corrupt.db" && !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%v is not memory.ErrCorrupt", err)
		}
	}
	if pool, end, err := (open.Options{}).Memory(context.Background(), &teams.Team{}, nil); pool != nil || err != nil || end() != nil {
		t.Errorf("without a memory: %v, %v", pool, err)
	}
}
