// Cross type-checks every package named and all that it imports for other
// systems and word sizes, from source: what a build would refuse, in a tenth of
// its time.
//
//	go run ./.ci/cross linux/386 windows/amd64 ./... ./cmd/swarmbus/...
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A listed package is what go list prints of it.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	DepOnly    bool
	Module     *struct{ GoVersion string }
}

func main() {
	failed := false
	isPattern := func(arg string) bool { return strings.HasPrefix(arg, ".") }
	targets := slices.DeleteFunc(slices.Clone(os.Args[1:]), isPattern)
	patterns := os.Args[1+len(targets):]
	for _, target := range targets {
		fmt.Println(target)
		if err := check(target, patterns); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func check(target string, patterns []string) error {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return errors.New("want a system and an architecture, as in linux/386")
	}
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,DepOnly,Module"}, patterns...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c := &checker{fset: token.NewFileSet(), sizes: types.SizesFor("gc", arch), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	if c.sizes == nil {
		return fmt.Errorf("unknown architecture %q", arch)
	}
	var problems []error
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if err := c.check(&p); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(append(problems, cmd.Wait())...)
}

// A checker holds the packages checked so far. go list prints a package after
// those that it imports.
type checker struct {
	fset  *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package
}

func (c *checker) check(p *listed) error {
	if p.ImportPath == "unsafe" {
		return nil
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	var problems []error
	config := types.Config{
		Importer:         within{c.done, p.ImportMap},
		Sizes:            c.sizes,
		IgnoreFuncBodies: p.DepOnly, // those are their authors' business
		FakeImportC:      true,
		Error:            func(err error) { problems = append(problems, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	pkg, _ := config.Check(p.ImportPath, c.fset, files, nil) // its error is the first of problems
	c.done[p.ImportPath] = pkg
	if p.DepOnly {
		return nil // what matters of it shows in the packages that use it
	}
	return errors.Join(problems...)
}

// within imports what has been checked, under the paths that a package knows it by.
type within struct {
	done map[string]*types.Package
	as   map[string]string
}

func (w within) Import(path string) (*types.Package, error) {
	if real, ok := w.as[path]; ok {
		path = real
	}
	if pkg := w.done[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("import %q: not listed before its user", path)
}
