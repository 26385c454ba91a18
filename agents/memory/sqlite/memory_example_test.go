package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
	"github.com/swarmbus/swarmbus/signals"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "memory")
	check(err)
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"))
	check(err)
	defer store.Close()
	pool, err := memory.New(memory.Options{Store: store})
	check(err)

	// Two agents of different models find the same, and one something else.
	for i, found := range []struct{ agent, model, finding string }{
		{"ada", "model a", "The port is 8080."},
		{"bob", "model b", "the port is 8080"},
		{"eve", "model b", "The port is 9999."},
	} {
		h := signals.Header{ID: signals.MustID(fmt.Sprint("s", i)), Source: found.agent, Thread: "monday", Round: 1, Time: time.Now()}
		check(pool.Keep(ctx, []signals.Any{signals.New(h, signals.Discovery{Finding: found.finding, Relevance: 0.9})}, found.model))
	}

	all, err := pool.Recall(ctx, memory.Query{Text: "which port?", Quarantined: true})
	check(err)
	for _, f := range all {
		fmt.Printf("%s, by %d: %s\n", f.State(), len(f.Said), f.Content)
	}
	revoked, err := pool.Revoke(ctx, "bob")
	check(err)
	for _, f := range revoked.Weakened {
		fmt.Printf("without bob %s: %s\n", f.State(), f.Content)
	}
	// Output:
	// confirmed, by 2: The port is 8080.
	// quarantined, by 1: The port is 9999.
	// without bob quarantined: The port is 8080.
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
