package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
)

func TestOneWriterAndTheLockNamesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	first := open(t, path, nil)
	_, err := journal.Open(path, nil)
	var taken *journal.LockError
	if !errors.As(err, &taken) || taken.Holder.PID != os.Getpid() || !strings.Contains(err.Error(), filepath.Base(os.Args[0])) {
		t.Errorf("got %v", err)
	}
	if holder, locked := journal.Locked(path); !locked || holder.PID != os.Getpid() {
		t.Errorf("locked by %v, %v", holder, locked)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if holder, locked := journal.Locked(path); locked || holder != (journal.Holder{}) {
		t.Errorf("locked by %v", holder)
	}
	if err := open(t, path, nil).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFailedOpenGivesTheLockUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var format *journal.FormatError
		if _, err := journal.Open(path, nil); !errors.As(err, &format) || format.Path != path {
			t.Errorf("got %v", err)
		}
	}
	if _, err := journal.Open(filepath.Join(path, "below a file"), nil); err == nil {
		t.Error("opened below a file")
	}
}
