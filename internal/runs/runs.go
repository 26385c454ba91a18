// Package runs says where the journals of runs are.
package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// Suffix ends the names of journals in [Dir].
const Suffix = ".journal"

// Dir is where journals go that are named, not placed: swarmbus in
// $XDG_STATE_HOME, by default ~/.local/state, on Unix; in the directory for
// applications' data elsewhere.
func Dir() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "swarmbus"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		data, err := os.UserConfigDir()
		return filepath.Join(data, "swarmbus"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "swarmbus"), err
}

// Path returns the file of a run: a text with a separator or an extension is a
// path, any other the name of a journal in [Dir].
func Path(run string) (string, error) {
	switch {
	case run == "":
		return "", errors.New("no run is named")
	case run != filepath.Base(run) || strings.ContainsRune(run, '/') || filepath.Ext(run) != "":
		return run, nil
	}
	dir, err := Dir()
	return filepath.Join(dir, run+Suffix), err
}

// Find returns the path of a run that is there. The error of one that is not says where it was
// looked for, and is a [fs.ErrNotExist].
func Find(run string) (string, error) {
	path, err := Path(run)
	if err != nil {
		return "", err
	}
	_, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && path != run {
		return "", fmt.Errorf("no run %q in %s (swarmbus runs lists what is there%s): %w", run, filepath.Dir(path), text.Suggest(run, names(filepath.Dir(path))), fs.ErrNotExist)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no run at %s (swarmbus runs DIR lists those of a directory): %w", path, err)
	}
	return path, err
}

// names returns what the runs of a directory are called.
func names(dir string) (all []string) {
	paths, _ := List(dir) // the error is that there is no run
	for _, path := range paths {
		all = append(all, strings.TrimSuffix(filepath.Base(path), Suffix))
	}
	return all
}

// Make is [Path] for a journal that is about to be written: its directory is
// made if there is none.
func Make(run string) (string, error) {
	path, err := Path(run)
	if err != nil {
		return "", err
	}
	return path, os.MkdirAll(filepath.Dir(path), 0o700)
}

// List returns the journals in a directory, and links to such, sorted; none if there is no such
// directory.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		mode := e.Type()
		if to, err := os.Stat(path); err == nil { // a link is what it leads to
			mode = to.Mode()
		}
		if strings.HasSuffix(path, Suffix) && (mode.IsRegular() || mode&fs.ModeSymlink != 0) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, err
}
