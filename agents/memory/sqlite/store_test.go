//go:build !js

package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
)

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestFileIsAStore(t *testing.T) {
	t.Parallel()
	paths := map[memory.Store]string{}
	memorytest.TestStore(t, memorytest.Maker{
		New: func(t testing.TB) memory.Store {
			path := filepath.Join(t.TempDir(), "memory.db")
			s := open(t, path)
			paths[s] = path
			return s
		},
		Other: func(t testing.TB, s memory.Store) memory.Store { return open(t, paths[s]) },
	})
}
