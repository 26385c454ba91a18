package journal

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A check whether a journal is locked holds the lock for a moment.
func TestALookAtTheLockKeepsNoWriterOut(t *testing.T) {
	for held, free := range map[time.Duration]bool{25 * time.Millisecond: true, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			f, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
			must(t, err)
			if taken, err := tryLock(f); taken || err != nil {
				t.Fatal(taken, err)
			}
			release := time.AfterFunc(held, func() { _ = f.Close() })
			defer release.Stop()
			l, err := Lock(path)
			if (err == nil) != free {
				t.Errorf("held for %v: got %v", held, err)
			}
			if err == nil {
				must(t, l.Close())
			}
			_ = f.Close()
		})
	}
}
