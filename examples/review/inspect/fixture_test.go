package inspect_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

var loaded sync.Map // fixture name to func() (*inspect.Package, error)

// fixture loads a package of testdata once per run of the tests.
func fixture(t *testing.T, name string) *inspect.Package {
	t.Helper()
	load, _ := loaded.LoadOrStore(name, sync.OnceValues(func() (*inspect.Package, error) {
		return inspect.Load(context.Background(), filepath.Join("testdata", filepath.FromSlash(name)), false)
	}))
	p, err := load.(func() (*inspect.Package, error))()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// module writes files into a new module and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module fixtures.example/made\n\ngo 1.26\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, dir string) *inspect.Package {
	t.Helper()
	p, err := inspect.Load(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func rules(findings []inspect.Finding) map[string]bool {
	found := make(map[string]bool)
	for _, f := range findings {
		found[f.Rule] = true
	}
	return found
}
