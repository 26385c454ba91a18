package journal_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/journal/journaltest"
)

func testMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, path string, o *journal.Options) *journal.File {
	t.Helper()
	j, err := journal.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestMemoryKeepsTheContract(t *testing.T) {
	journaltest.TestStore(t, journaltest.Maker{New: func(testing.TB) journal.Store { return new(journal.Memory) }})
}

func TestFileKeepsTheContract(t *testing.T) {
	for name, o := range map[string]*journal.Options{
		"every": nil, "interval": {Sync: journal.SyncInterval, Interval: 1}, "never": {Sync: journal.SyncNever},
	} {
		t.Run(name, func(t *testing.T) {
			journaltest.TestStore(t, journaltest.Maker{
				New: func(t testing.TB) journal.Store { return open(t, filepath.Join(t.TempDir(), "j"), o) },
				Reopen: func(t testing.TB, s journal.Store) journal.Store {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					return open(t, s.(*journal.File).Path(), o)
				},
			})
		})
	}
}
