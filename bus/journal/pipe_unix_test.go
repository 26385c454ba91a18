//go:build unix

package journal_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
)

func TestPipeIsRefusedWithoutWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	_, opened := journal.Open(path, nil)
	_, viewed := journal.NewView(path)
	_, verified := journal.Verify(t.Context(), path)
	for _, err := range []error{opened, viewed, verified} {
		var format *journal.FormatError
		if !errors.As(err, &format) {
			t.Errorf("got %v", err)
		}
	}
}
