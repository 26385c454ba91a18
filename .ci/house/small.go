package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/swarmbus/swarmbus"

// smallest is how many lines a package has at least, comments included, that fewer than two
// others import: a smaller one is a file of its importer.
const smallest = 200

// small are the packages that are smaller for a reason.
var small = map[string]string{
	"agents/choice":     "it alone needs gonum, which a program without it does not take in",
	"benchmarks/crowds": "it has benchmarks only",

	"bus/internal/watch":            "observers wait outside the locks of a bus: what shares none of its fields is not among its files",
	"otel/jaegertest":               "it has tests only, in a module of their own",
	"cmd/swarmbus/internal/schemas": "the descriptions stand there, with the tests that make and compare them",
	"swarm/console/browser":         "it has tests only, in a module of their own",
	"swarm/teams/skills":            "programs without a team file give their agents skills, too",
	"swarm/console/web":             "the page is built and embedded there",
}

// A house is the packages with their lines, and who imports them.
type house struct {
	lines   map[string]int
	imports map[string]map[string]bool // by package: the packages that import it
}

// bigEnough prints the packages that are too small, and reports whether there are none.
func bigEnough(root string) (bool, error) {
	h := house{map[string]int{}, map[string]map[string]bool{}}
	err := walk(root, true, func(path string) error {
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		return h.read(path)
	})
	if err != nil {
		return false, err
	}
	ok := true
	for _, dir := range slices.Sorted(maps.Keys(h.lines)) {
		n, by := h.lines[dir], slices.Sorted(maps.Keys(h.imports[dir]))
		switch tooSmall := n < smallest && len(by) < 2; {
		case tooSmall && small[dir] == "":
			fmt.Printf("ABOVE %s has %d lines, and only %q imports it: make it a file there, or say in .ci/house/small.go why not\n", dir, n, strings.Join(by, ""))
			ok = false
		case !tooSmall && small[dir] != "":
			fmt.Printf("ABOVE %s is big enough: it needs no reason in .ci/house/small.go\n", dir)
			ok = false
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(small)) {
		if h.lines[dir] == 0 {
			fmt.Printf("ABOVE .ci/house/small.go names %s, where there is no package to import\n", dir)
			ok = false
		}
	}
	return ok, nil
}

// read adds a file. Packages of tests are importers too; programs are not imported.
func (h *house) read(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil {
		return err
	}
	dir := filepath.ToSlash(filepath.Dir(path))
	if !strings.HasSuffix(path, "_test.go") && f.Name.Name != "main" && dir != "." {
		h.lines[dir] += bytes.Count(src, []byte("\n"))
	}
	for _, s := range f.Imports {
		of, _ := strconv.Unquote(s.Path.Value)
		if of, ours := strings.CutPrefix(of, module+"/"); ours && of != dir {
			if h.imports[of] == nil {
				h.imports[of] = map[string]bool{}
			}
			h.imports[of][dir] = true
		}
	}
	return nil
}
