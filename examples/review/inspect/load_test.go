package inspect_test

import (
	"context"
	"errors"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// noSum is a well-formed checksum of nothing in particular.
const noSum = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"

func TestLoadSaysWhyItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(file, []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, dir string
		want      error
	}{
		{"missing", "testdata/nowhere", inspect.ErrNotDirectory},
		{"file", file, inspect.ErrNotDirectory},
		{"without Go files", "testdata", inspect.ErrNoGoFiles},
		{"outside modules", filepath.Dir(file), inspect.ErrNotLoaded},
		{"other platforms", module(t, map[string]string{"a.go": "//go:build plan9\n\npackage a\n"}), inspect.ErrNoGoFiles},
		{"broken go.mod", module(t, map[string]string{"go.mod": "modul a\n", "a.go": "package a\n"}), inspect.ErrNotLoaded},
		{"not in the cache", module(t, map[string]string{
			"go.mod": "module a\n\ngo 1.26\n\nrequire fixtures.example/far v1.0.0\n",
			"go.sum": "fixtures.example/far v1.0.0 " + noSum + "fixtures.example/far v1.0.0/go.mod " + noSum,
			"a.go":   "package a\n\nimport _ \"fixtures.example/far\"\n",
		}), inspect.ErrNotLoaded},
		{"without a checksum", module(t, map[string]string{
			"go.mod": "module a\n\ngo 1.26\n\nrequire fixtures.example/far v1.0.0\n",
			"a.go":   "package a\n\nimport _ \"fixtures.example/far\"\n",
		}), inspect.ErrNotLoaded},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := inspect.Load(context.Background(), test.dir, false)
			if p != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.dir) {
				t.Errorf("got %v, %v, want %v of %q", p, err, test.want, test.dir)
			}
		})
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Time{})
	defer cancel()
	if _, err := inspect.Load(ctx, "testdata/clean", false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestLoadDescribesThePackage(t *testing.T) {
	p := fixture(t, "generated")
	var files []inspect.File
	for _, f := range p.Files {
		files = append(files, inspect.File{Name: f.Name, Test: f.Test, Generated: f.Generated})
	}
	want := []inspect.File{{Name: "doc.go"}, {Name: "generated.go", Generated: true}, {Name: "generated_test.go", Test: true}}
	if diff := cmp.Diff(want, files, cmp.AllowUnexported(inspect.File{})); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if p.Name != "generated" || p.Path != "fixtures.example/review/generated" || !p.Typed() || !p.TestsTyped {
		t.Errorf("got %s %s, typed %v and %v", p.Name, p.Path, p.Typed(), p.TestsTyped)
	}
}

func TestPackageThatDoesNotCompileSaysWhere(t *testing.T) {
	p := fixture(t, "broken")
	var got []string
	for _, problem := range p.Problems {
		got = append(got, problem.At())
	}
	if diff := cmp.Diff([]string{"broken.go:5", "broken.go:7"}, got); diff != "" || p.Typed() {
		t.Errorf("typed %v, problems (-want +got):\n%s", p.Typed(), diff)
	}
	if found := rules(inspect.All(p)); !found["does-not-compile"] {
		t.Errorf("got %v, want does-not-compile", found)
	}
}

func TestSyntaxErrorsAreProblems(t *testing.T) {
	p := load(t, module(t, map[string]string{"a.go": "package a\n\nfunc F( {}\n\nfunc G() {}\n"}))
	if len(p.Problems) == 0 || p.Problems[0].At() != "a.go:3" {
		t.Errorf("got %v, want a problem at a.go:3", p.Problems)
	}
	if !rules(inspect.All(p))["does-not-compile"] {
		t.Error("no finding says that it does not compile")
	}
}

func TestBrokenTestsCostOnlyTheirTypes(t *testing.T) {
	p := load(t, module(t, map[string]string{
		"a.go":      "// Package a works.\npackage a\n\nimport \"encoding/json\"\n\n// F forgets.\nfunc F() { json.Unmarshal(nil, nil) }\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { missing() }\n",
	}))
	if !p.Typed() || p.TestsTyped {
		t.Errorf("typed %v and %v, want true and false", p.Typed(), p.TestsTyped)
	}
	found := rules(inspect.All(p))
	if !found["does-not-compile"] || !found["dropped-error"] {
		t.Errorf("got %v, want does-not-compile and dropped-error", found)
	}
}

func TestTestsWhoseDependenciesAreNotFetchedAreNoProblem(t *testing.T) {
	p := load(t, module(t, map[string]string{
		"go.mod":    "module a\n\ngo 1.26\n\nrequire fixtures.example/far v1.0.0\n",
		"a.go":      "package a\n\nfunc F() {}\n",
		"a_test.go": "package a\n\nimport _ \"fixtures.example/far\"\n\nfunc TestF(t *testing.T) { F() }\n",
	}))
	if !p.Typed() || p.TestsTyped || len(p.Problems) > 0 {
		t.Errorf("typed %v and %v, problems %v, want true, false and none", p.Typed(), p.TestsTyped, p.Problems)
	}
}

func TestStandardLibraryLoads(t *testing.T) {
	p := load(t, filepath.Join(build.Default.GOROOT, "src", "container", "heap"))
	if p.Path != "container/heap" || !p.TestsTyped {
		t.Errorf("got %s, typed %v", p.Path, p.TestsTyped)
	}
	if found := inspect.All(p); len(found) > 0 {
		t.Errorf("found in container/heap: %v", found)
	}
}

func TestDirectoriesMayBeLinks(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package a\n\nfunc Exported() { defer func() { recover() }() }\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for _, f := range inspect.All(load(t, link)) {
		if strings.Contains(f.Places[0].File, "/") {
			t.Errorf("%s is not relative to the package", f.Places[0])
		}
	}
}
