package swarmbus_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/swarmbus/swarmbus"

// A rule says what a package may import beside the standard library.
type rule struct {
	ours   []string // packages of this module
	others []string // module paths of other projects
}

// rules is the house: who may import whom. A pattern ending in /* is every
// package below; the first match counts.
var rules = []struct {
	pattern string
	rule
}{
	{"signals", rule{others: []string{"github.com/rs/xid"}}},
	{"signals/coordination", rule{ours: []string{"signals"}}},
	{"conflict", rule{ours: []string{"signals"}}},
	{"bus/internal/store", rule{ours: []string{"signals"}}},
	{"bus", rule{ours: []string{"signals", "conflict", "bus/internal/store"}}},
	{"bus/journal", rule{ours: []string{"signals", "conflict", "bus"}, others: []string{"golang.org/x/sys/windows"}}},
	{"bus/journal/journaltest", rule{ours: []string{"bus/journal"}}},
	{"bus/connectivity", rule{ours: []string{"signals", "signals/coordination", "bus"}}},
	{"bus/*", rule{ours: []string{"signals", "conflict", "bus"}}},
	{"consensus", rule{}},
	{"consensus/consensustest", rule{ours: []string{"consensus"}}},
	{"consensus/reliability/internal/fit", rule{}},
	{"consensus/reliability", rule{ours: []string{"consensus", "consensus/reliability/internal/fit"}}},
	{"agents/choice", rule{ours: []string{"signals"}, others: []string{"gonum.org/v1/gonum"}}},
	{"agents/routing", rule{ours: []string{"signals"}}},
	{"agents/reports", rule{ours: []string{"signals"}, others: []string{"golang.org/x/text/unicode/norm"}}},
	{"agents/reports/conductor", rule{ours: []string{"signals", "agents", "agents/models", "agents/reports"}}},
	{"agents", rule{ours: []string{"signals", "signals/coordination", "agents/routing"}}},
	{"agents/models", rule{ours: []string{"signals", "agents"}}},
	{"agents/models/limits", rule{
		ours: []string{"agents/models"}, others: []string{"github.com/failsafe-go/failsafe-go", "golang.org/x/time/rate"},
	}},
	{"internal/votes", rule{}},
	{"internal/runs", rule{}},
	{"internal/ollama", rule{}},
	{"agents/models/internal/wire", rule{ours: []string{"agents/models"}}},
	{"agents/models/modelstest", rule{ours: []string{"agents/models"}}},
	{"agents/models/openai", rule{
		ours: []string{"agents/models", "agents/models/internal/wire"}, others: []string{"github.com/sashabaranov/go-openai"},
	}},
	{"agents/models/anthropic", rule{
		ours: []string{"agents/models", "agents/models/internal/wire"}, others: []string{"github.com/anthropics/anthropic-sdk-go"},
	}},
	{"agents/thinker", rule{ours: []string{"signals", "signals/coordination", "agents", "agents/models", "agents/reports"}}},
	{"swarm/cassette", rule{ours: []string{"signals", "agents", "agents/models", "bus/journal"}}},
	{"swarm/runlog", rule{ours: []string{"signals", "conflict", "bus", "bus/connectivity", "consensus", "consensus/reliability", "agents", "agents/routing", "swarm/settle"}}},
	{"swarm/settle", rule{ours: []string{"signals", "consensus", "agents"}}},
	{"swarm", rule{
		ours:   []string{"signals", "signals/coordination", "conflict", "bus", "bus/connectivity", "bus/journal", "consensus", "consensus/reliability", "agents", "agents/routing", "swarm/runlog", "swarm/settle"},
		others: []string{"github.com/cenkalti/backoff/v5"},
	}},
	{"swarm/transcript", rule{
		ours:   []string{"signals", "signals/coordination", "conflict", "bus", "consensus", "agents", "agents/routing", "swarm", "swarm/runlog"},
		others: []string{"github.com/clipperhouse/displaywidth"}, // no colours: see terminal
	}},
	{"swarm/transcript/terminal", rule{
		ours: []string{"swarm/transcript"}, others: []string{"github.com/charmbracelet/colorprofile", "golang.org/x/term"},
	}},
	{"swarm/reporting", rule{ours: []string{"signals", "bus", "bus/journal", "agents", "agents/reports", "swarm", "swarm/runlog"}}},
	{"otel", rule{ours: []string{"*"}, others: []string{
		"go.opentelemetry.io/otel/attribute", "go.opentelemetry.io/otel/codes", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace",
	}}},
	{"otel/*", rule{ours: []string{"*"}, others: []string{"go.opentelemetry.io", "google.golang.org/grpc", "google.golang.org/protobuf", "github.com/google/uuid"}}},
	{"examples/*", rule{ours: []string{"*"}, others: []string{"*"}}},
	{"cmd/*", rule{ours: []string{"*"}, others: []string{"*"}}},
}

// testOnly is what tests may import beside what their package may.
var testOnly = []string{
	"github.com/google/go-cmp", "pgregory.net/rapid", "go.uber.org/goleak", "github.com/anishathalye/porcupine",
	"github.com/rogpeppe/go-internal", "gonum.org/v1/gonum", "github.com/charmbracelet/x/ansi", "go.opentelemetry.io", "github.com/google/jsonschema-go",
	module + "/consensus/consensustest", module + "/agents/choice", module + "/agents/models/modelstest", module + "/bus/bustest",
	module + "/internal/ollama", module + "/agents/reports/conductor",
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t) {
		for _, problem := range checkImports(t, file) {
			t.Error(problem)
		}
	}
}

func TestForbiddenImportIsFound(t *testing.T) {
	t.Parallel()
	r := ruleFor("consensus")
	for imported, allowed := range map[string]bool{
		module + "/signals":       false,
		"gonum.org/v1/gonum/stat": false,
		"time":                    true,
	} {
		if got := r.allows("consensus", imported, false); got != allowed {
			t.Errorf("consensus may import %s: got %v, want %v", imported, got, allowed)
		}
	}
}

// heavy are modules that take long to download and build, each with the directory
// whose packages may need them. Commands and examples may need what they like.
var heavy = []struct{ module, only string }{
	{"github.com/spf13", "cmd"},
	{"github.com/schollz", "cmd"},
	{"github.com/anthropics", "agents/models/anthropic"},
	{"github.com/sashabaranov", "agents/models/openai"},
	{"google.golang.org/grpc", "otel/export"},
	{"go.opentelemetry.io/otel/sdk", "otel"},
	{"go.opentelemetry.io/otel/exporters", "otel/export"},
	{"golang.org/x/tools", "in modules of their own"},
	{"gonum.org/v1/plot", "in modules of their own"},
}

// TestLibraryNeedsNothingOfTheCommandLine looks for heavy modules among all that
// each package of the library needs, directly or not.
func TestLibraryNeedsNothingOfTheCommandLine(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", "./...")
	printed, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(printed)) {
		deps := strings.Fields(line)
		pkg := strings.TrimPrefix(deps[0], module+"/")
		for _, h := range heavy {
			needed := slices.ContainsFunc(deps, func(dep string) bool { return within(dep, h.module) })
			found[h.module] = found[h.module] || needed
			if needed && !within(pkg, h.only) && !within(pkg, "cmd") && !within(pkg, "examples") {
				t.Errorf("%s needs %s", pkg, h.module)
			}
		}
	}
	if !found["github.com/spf13"] || !found["google.golang.org/grpc"] {
		t.Errorf("the command needs no heavy module, which cannot be: %v", found)
	}
}

// within says whether a path is that of a directory or of one below it.
func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// goFiles returns the module's files; nested modules and testdata are not its
// own.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || isModule(name)):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && strings.Contains(name, string(filepath.Separator)):
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found %d files, which cannot be all", len(files))
	}
	return files
}

func isModule(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return found != nil
}

func checkImports(t *testing.T, file string) (problems []string) {
	t.Helper()
	pkg, test := path.Dir(file), strings.HasSuffix(file, "_test.go")
	r := ruleFor(pkg)
	if r == nil {
		return []string{fmt.Sprintf("%s: package %s is not in the table of who may import whom", file, pkg)}
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if !r.allows(pkg, imported, test) {
			problems = append(problems, fmt.Sprintf("%v: package %s may not import %s", fset.Position(spec.Pos()), pkg, imported))
		}
	}
	return problems
}

func ruleFor(pkg string) *rule {
	for _, r := range rules {
		below, wild := strings.CutSuffix(r.pattern, "*")
		if pkg == r.pattern || wild && strings.HasPrefix(pkg, below) {
			return &r.rule
		}
	}
	return nil
}

func (r *rule) allows(pkg, imported string, test bool) bool {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		itself := ours == pkg || test && (strings.HasPrefix(ours, pkg+"/") || slices.Contains(testOnly, imported))
		return itself || slices.Contains(r.ours, ours) || slices.Contains(r.ours, "*")
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	others := r.others
	if test {
		others = slices.Concat(others, testOnly)
	}
	return slices.ContainsFunc(others, func(m string) bool {
		return m == "*" || imported == m || strings.HasPrefix(imported, m+"/")
	})
}
