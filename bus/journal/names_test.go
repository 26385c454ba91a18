package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/journal/journaltest"
)

// filled makes a journal of n records.
func filled(t testing.TB, path string, n int) {
	t.Helper()
	j := open(t, path, nil)
	_, err := j.Append(journaltest.Sample(n)...)
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAJournalLeavesTheFilesBesideItAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run")
	others := []string{path + ".new", path + ".tmp", path + "2"}
	for _, other := range others {
		filled(t, other, 3)
	}
	filled(t, path, 5)
	j := open(t, path, nil)
	if err := errors.Join(j.Drop(2, nil), j.Close()); err != nil {
		t.Fatal(err)
	}
	for _, other := range others {
		if s := verify(t, other); s.Last != 3 {
			t.Errorf("%s: %+v", other, s)
		}
	}
}

func TestNoJournalIsNamedLikeAFileBesideAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	filled(t, path, 1)
	if err := os.Symlink(path+".rewrite", path+"-link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path + ".lock", path + ".rewrite", path + "-link"} {
		if j, err := journal.Open(name, nil); err == nil || !strings.Contains(err.Error(), "belongs to the journal beside it") {
			t.Errorf("%s: opened %v, %v", name, j, err)
		}
	}
	for _, name := range []string{path + ".lock2.lock", path + ".rewrite"} {
		if err := journal.Import(name, strings.NewReader(`{"seq":1,"type":5}`)); err == nil {
			t.Errorf("%s was imported", name)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 3 {
		t.Errorf("there are %v", entries)
	}
}

func TestAJournalThatLostItsNameAcknowledgesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name there")
	}
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+"2") },
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for what, try := range map[string]func(*journal.File) error{
				"append": func(j *journal.File) error { _, err := j.Append(journaltest.Sample(1)...); return err },
				"drop":   func(j *journal.File) error { return j.Drop(1, nil) },
			} {
				path := filepath.Join(t.TempDir(), "j")
				filled(t, path, 3)
				j := open(t, path, nil)
				if err := lose(path); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := try(j); !errors.Is(err, journal.ErrFailed) || !strings.Contains(err.Error(), "removed or replaced") {
						t.Errorf("%s: got %v", what, err)
					}
				}
				_ = j.Close()
				if info, err := os.Stat(path); err == nil && info.Size() > 0 {
					t.Errorf("%s wrote over what is there now", what)
				}
			}
		})
	}
}

func TestALinkLeadsToTheSameJournalAndTheSameLock(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o700), os.Symlink("d", filepath.Join(dir, "e"))); err != nil {
		t.Fatal(err)
	}
	file, link := filepath.Join(dir, "d", "file"), filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("e", "file"), link); err != nil {
		t.Fatal(err)
	}
	for range 2 { // there is no file yet, and there is
		a := open(t, link, nil)
		var taken *journal.LockError
		if _, err := journal.Open(file, nil); !errors.As(err, &taken) {
			t.Errorf("two writers: %v", err)
		}
		for _, name := range []string{link, file} {
			if holder, locked := journal.Locked(name); !locked || holder.PID != os.Getpid() {
				t.Errorf("%s is locked by %v, %v", name, holder, locked)
			}
		}
		last, err := a.Append(journaltest.Sample(6)...)
		if err := errors.Join(err, a.Drop(last-2, nil), a.Close()); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", info, err)
		}
		if s := verify(t, file); s.First != last-1 || s.Last != last {
			t.Errorf("%+v", s)
		}
	}
}

func TestDropKeepsTheFilesModeAndOverwritesLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	filled(t, path, 20)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	j := open(t, path, nil)
	if err := os.WriteFile(path+".rewrite", make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Drop(15, nil), j.Close()); err != nil {
		t.Fatal(err)
	}
	if s := verify(t, path); s.Torn != 0 || s.First != 16 || s.Last != 20 {
		t.Errorf("%+v", s)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
