package runs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/internal/runs"
)

func TestNamesAreInTheStateDirectoryAndPathsAreNot(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	for run, want := range map[string]string{
		"gsm8k":     filepath.Join(state, "swarmbus", "gsm8k.journal"),
		"x.journal": "x.journal",
		"./gsm8k":   "./gsm8k",
		"a/b":       "a/b",
		"/a":        "/a",
	} {
		if got, err := runs.Path(run); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", run, got, err, want)
		}
	}
	if _, err := runs.Path(""); err == nil {
		t.Error("a run without a name has a path")
	}
}

func TestARunThatIsNotThereIsNamedWithItsDirectory(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	_, err := runs.Find("gsm8k")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `"gsm8k"`) || !strings.Contains(err.Error(), filepath.Join(state, "swarmbus")) {
		t.Errorf("got %v", err)
	}
	path, err := runs.Make("gsm8k")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := runs.Find("gsm8k"); got != path || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, path)
	}
}

func TestListFindsRunsPreparedByMake(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := runs.Dir()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := runs.List(dir); err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
	var want []string
	for _, name := range []string{"a", "b"} {
		path, err := runs.Make(name)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, path)
		for _, file := range []string{path, path + ".lock"} {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := runs.List(dir)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
