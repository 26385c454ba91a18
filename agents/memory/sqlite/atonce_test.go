//go:build !js

package sqlite_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
)

// Whoever opens a new database first turns its write-ahead log on, and SQLite lets nobody
// wait for that.
func TestANewDatabaseIsOpenedBySeveralAtOnce(t *testing.T) {
	t.Parallel()
	for i := range 30 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				db, err := sqlite.Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}
