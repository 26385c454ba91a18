package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// thousand is a closed journal of a thousand records.
func thousand(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Open(path, &journal.Options{Sync: journal.SyncNever})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := j.Append(journal.Record{Type: 9, Body: []byte(`{"a":"record"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	content, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

func TestVerifyFailsForADeletedByteAndKeepsTheRest(t *testing.T) {
	path, content := thousand(t)
	damaged := slices.Delete(slices.Clone(content), 500, 501)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := swarmbusRun(t, "verify", path)
	if status != cli.ExitError || out != "" || !strings.Contains(errs, "is damaged at byte") || !strings.Contains(errs, "written to another place") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if _, err := journal.Open(path, nil); err == nil {
		t.Error("the journal was opened")
	}
	if now, err := os.ReadFile(path); err != nil || !slices.Equal(now, damaged) {
		t.Errorf("the file was changed: %v", err)
	}
}

func TestVerifyDoesNotCallAJournalWholeThatEndsInATornRecord(t *testing.T) {
	path, content := thousand(t)
	if err := os.WriteFile(path, content[:len(content)-90], 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := swarmbusRun(t, "verify", path)
	if status != cli.ExitDecided || strings.Contains(out, "whole") || !strings.Contains(out, "records 1 to 999") || !strings.Contains(out, "60 bytes of a torn record") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}
