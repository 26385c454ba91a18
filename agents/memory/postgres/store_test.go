package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/agents/memory/postgres"
	"github.com/swarmbus/swarmbus/internal/pglite"
	"github.com/swarmbus/swarmbus/signals"
)

func open(t testing.TB, url string, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestRealPostgresIsAStore(t *testing.T) {
	t.Parallel()
	url := pglite.Serve(t)
	n := 0
	for name, c := range map[string]struct {
		url  string
		hnsw bool
		many bool
	}{
		"exact":   {url + pglite.Many, false, true},
		"indexed": {url + pglite.One, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			stores := map[memory.Store]postgres.Options{}
			m := memorytest.Maker{New: func(t testing.TB) memory.Store {
				n++
				o := postgres.Options{Schema: fmt.Sprintf(`%s "%d"; DROP`, name, n), HNSW: c.hnsw}
				s := open(t, c.url, o)
				stores[s] = o
				return s
			}}
			if c.many {
				m.Other = func(t testing.TB, s memory.Store) memory.Store { return open(t, c.url, stores[s]) }
			}
			memorytest.TestStore(t, m)
		})
	}
}

func TestServerThatIsNotThereIsAnErrorWithoutThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://ada:secret@127.0.0.1:1/db?connect_timeout=1", "postgres://ada:secret@[:1/db", "::"} {
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err == nil || s != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := postgres.Open(t.Context(), "postgres://127.0.0.1:1/db", postgres.Options{Schema: "a\nb"}); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("a schema that is no name: %v", err)
	}
}
