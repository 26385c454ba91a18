package ownerfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/internal/ownerfile"
)

func TestAFileIsReplacedWholeAndOthersCannotReadIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens")
	for _, text := range []string{"first", "second, longer", "3"} {
		if err := ownerfile.Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAnAttemptThatFailsLeavesWhatWasThereAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil { // no file can replace it
		t.Fatal(err)
	}
	if err := ownerfile.Replace(path, []byte("x")); err == nil {
		t.Error("a directory was replaced")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("left: %v, %v", all, err)
	}
}
