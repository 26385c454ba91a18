package swarmbus_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// everybodys are packages of ours that import nothing, and that everybody may import.
var everybodys = []string{"internal/text"}

// rules is the house: who may import whom. A pattern ending in /* is every
// package below; the first match counts.
var rules = []struct {
	pattern string
	rule
}{
	{".", rule{ours: []string{"signals", "agents/models", "swarm", "swarm/solves", "swarm/teams", "swarm/teams/providers"}}},
	{"signals", rule{ours: []string{"internal/forms"}, others: []string{"github.com/rs/xid"}}},
	{"signals/cloudevents", rule{ours: []string{"signals"}}},
	{"bus/natsbus", rule{
		ours:   []string{"internal/retry", "signals", "signals/cloudevents", "conflict", "bus", "bus/journal"},
		others: []string{"github.com/nats-io/nats.go"},
	}},
	{"agents/remote", rule{ours: []string{"signals", "signals/coordination", "agents", "agents/asking", "agents/hooks", "agents/models", "agents/routing", "agents/tools"}}},
	{"swarm/console/join", rule{
		ours: []string{"signals", "signals/coordination", "agents", "agents/remote"}, others: []string{"github.com/danielgtaylor/huma/v2", "golang.org/x/time/rate"},
	}},
	{"bus/natsbus/machines/routers", rule{ours: []string{"signals", "bus", "bus/journal", "bus/natsbus", "bus/natsbus/machines", "swarm/rooms", "swarm/rooms/events", "swarm/rooms/roomlog"}}},
	{"bus/natsbus/machines", rule{ours: []string{
		"signals", "bus", "bus/journal", "bus/natsbus", "conflict", "consensus", "agents", "agents/asking", "agents/remote", "agents/tools", "swarm", "swarm/cassette", "swarm/desk", "swarm/mode", "swarm/replay", "swarm/runlog", "swarm/solves",
	}}},
	{"signals/coordination", rule{ours: []string{"signals"}}},
	{"conflict", rule{ours: []string{"signals"}}},
	{"bus/internal/store", rule{ours: []string{"signals", "internal/forms"}}},
	{"bus/internal/*", rule{ours: []string{"signals", "bus/internal/store"}}},
	{"bus", rule{ours: []string{"signals", "conflict", "bus/internal/backlog", "bus/internal/store", "bus/internal/watch"}}},
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
	{"agents/hooks", rule{ours: []string{"signals"}}},
	{"agents", rule{ours: []string{"signals", "signals/coordination", "agents/hooks", "agents/routing"}}},
	{"agents/models", rule{ours: []string{"signals", "agents", "agents/hooks"}}},
	{"agents/models/limits", rule{ours: []string{"signals", "agents", "agents/models", "internal/retry"}, others: []string{"golang.org/x/time/rate"}}},
	{"internal/retry", rule{}},
	{"internal/names", rule{others: []string{"golang.org/x/text/unicode/norm"}}},
	{"internal/schema", rule{others: []string{"github.com/google/jsonschema-go/jsonschema", "github.com/gowebpki/jcs"}}},
	{"internal/forms", rule{}},
	{"internal/ownerfile", rule{}},
	{"agents/memory", rule{ours: []string{"signals", "agents/models", "agents/tools"}}},
	{"agents/memory/internal/rows", rule{ours: []string{"agents/memory"}}},
	{"agents/memory/memorytest", rule{ours: []string{"signals", "agents/memory"}}},
	{"agents/memory/sqlite", rule{ours: []string{"signals", "agents/memory", "agents/memory/internal/rows"}, others: []string{"modernc.org/sqlite"}}},
	{"agents/memory/postgres", rule{
		ours: []string{"signals", "agents/memory", "agents/memory/internal/rows"}, others: []string{"github.com/jackc/pgx/v5"},
	}},
	{"internal/pglite", rule{}},
	{"internal/timetest", rule{}},
	{"internal/items", rule{}},
	{"internal/votes", rule{ours: []string{"internal/items"}}},
	{"internal/text", rule{}},
	{"internal/yamlfile", rule{ours: []string{"internal/text"}, others: []string{"github.com/goccy/go-yaml"}}},
	{"internal/runs", rule{}},
	{"internal/sim", rule{ours: []string{"signals", "bus", "bus/journal", "agents", "agents/asking", "agents/models", "agents/tools", "swarm", "swarm/cassette", "swarm/mode", "swarm/replay", "swarm/runlog", "swarm/settle", "swarm/solves"}}},
	{"internal/documents", rule{}},
	{"internal/ollama", rule{}},
	{"agents/models/internal/wire", rule{ours: []string{"signals", "agents/hooks", "agents/models"}}},
	{"agents/models/modelstest", rule{ours: []string{"agents/models"}}},
	{"agents/models/openai", rule{ours: []string{"agents/models", "agents/models/internal/wire"}}},
	{"agents/models/a2a", rule{ours: []string{"agents/models", "agents/models/internal/wire"}}},
	{"agents/models/anthropic", rule{ours: []string{"agents/models", "agents/models/internal/wire"}}},
	{"agents/asking", rule{ours: []string{"signals", "internal/schema"}}},
	{"agents/tools", rule{
		ours:   []string{"internal/retry", "internal/schema", "signals", "agents", "agents/asking", "agents/hooks", "agents/models"},
		others: []string{"golang.org/x/time/rate"},
	}},
	{"agents/tools/mcp", rule{ours: []string{"internal/ownerfile", "internal/schema", "signals", "agents", "agents/asking", "agents/hooks", "agents/models", "agents/tools"}, others: []string{"github.com/modelcontextprotocol/go-sdk", "golang.org/x/oauth2"}}},
	{"agents/thinker", rule{ours: []string{"internal/schema", "signals", "signals/coordination", "agents", "agents/hooks", "agents/models", "agents/reports", "agents/routing", "agents/tools"}}},
	{"swarm/cassette", rule{ours: []string{"signals", "agents", "agents/asking", "agents/models", "agents/tools", "bus", "bus/journal"}}},
	{"swarm/runlog", rule{ours: []string{"internal/names", "internal/schema", "signals", "conflict", "bus", "signals/coordination", "consensus", "consensus/reliability", "agents", "agents/asking", "agents/reports", "agents/routing", "swarm/claims", "swarm/mode", "swarm/settle"}}},
	{"swarm/mode", rule{ours: []string{"signals", "consensus", "agents"}}},
	{"swarm/claims", rule{ours: []string{"conflict", "consensus", "signals", "agents"}}},
	{"swarm/said", rule{ours: []string{"agents/asking", "agents/routing", "signals", "signals/coordination", "conflict", "bus", "agents", "swarm/runlog", "swarm/settle", "swarm/claims"}}},
	{"swarm/swarmtest", rule{ours: []string{"signals", "consensus", "consensus/reliability", "agents", "swarm", "swarm/mode", "swarm/runlog", "swarm/settle", "swarm/solves"}}},
	{"swarm/settle", rule{ours: []string{"signals", "signals/coordination", "consensus", "agents"}}},
	{"swarm/replay", rule{ours: []string{"signals", "conflict", "bus", "bus/journal", "consensus", "consensus/reliability", "swarm/runlog", "swarm/settle"}}},
	{"swarm/internal/seat", rule{
		ours: []string{
			"bus/connectivity",
			"signals", "signals/coordination", "bus", "consensus", "agents", "agents/asking", "agents/routing", "swarm/runlog", "swarm/solves", "internal/retry",
		},
	}},
	{"swarm/internal/verdict", rule{ours: []string{"signals/coordination", "swarm/mode", "swarm/solves", "conflict", "swarm/settle", "signals", "consensus", "agents", "swarm/runlog", "swarm/internal/seat"}}},
	{"swarm/internal/keep", rule{ours: []string{
		"signals", "bus", "bus/journal", "consensus/reliability", "swarm/runlog", "swarm/replay",
	}}},
	{"swarm/solves", rule{ours: []string{
		"internal/schema", "signals", "conflict", "bus", "signals/coordination", "bus/journal", "consensus", "agents", "agents/asking", "agents/routing",
		"swarm/claims", "swarm/runlog", "swarm/mode", "swarm/replay", "swarm/settle",
	}}},
	{"swarm", rule{
		ours: []string{
			"signals", "signals/coordination", "conflict", "bus", "bus/connectivity", "bus/journal", "consensus", "consensus/reliability", "agents", "agents/asking", "agents/hooks", "agents/routing",
			"swarm/mode", "swarm/runlog", "swarm/settle", "swarm/claims", "swarm/replay", "swarm/solves",
			"internal/schema", "swarm/internal/keep", "swarm/internal/seat",
			"swarm/internal/verdict",
		},
	}},
	{"swarm/transcript", rule{
		ours:   []string{"swarm/said", "signals", "signals/coordination", "conflict", "bus", "consensus", "agents", "agents/routing", "swarm/claims", "swarm/mode", "swarm/solves", "swarm/runlog", "swarm/settle"},
		others: []string{"github.com/clipperhouse/displaywidth"}, // no colours: see terminal
	}},
	{"swarm/teams/providers", rule{ours: []string{"signals", "agents", "agents/models", "agents/models/limits", "agents/models/a2a", "agents/models/openai", "agents/models/anthropic", "swarm/teams", "swarm/teams/catalogue"}}},
	{"swarm/teams/skills", rule{ours: []string{"agents/tools", "internal/text", "internal/yamlfile"}}},
	{"swarm/teams/catalogue", rule{ours: []string{"agents/models"}}},
	{"swarm/teams", rule{
		ours: []string{
			"swarm/claims", "internal/schema",
			"signals", "signals/coordination", "consensus", "agents", "agents/asking", "agents/models", "agents/models/limits", "agents/thinker", "agents/tools", "swarm", "swarm/mode", "swarm/settle",
			"bus/journal", "swarm/cassette", "swarm/runlog", "swarm/solves", // for the tests of what a person allows
			"internal/yamlfile", "swarm/teams/catalogue", "swarm/teams/skills", "agents/routing", "agents/reports", "swarm/reporting",
		},
		others: []string{"github.com/goccy/go-yaml"}, // its tests
	}},
	{"swarm/rooms/schedule", rule{ours: []string{"signals"}}},
	{"swarm/rooms/events", rule{ours: []string{"signals", "swarm/rooms/schedule"}, others: []string{"github.com/gowebpki/jcs"}}},
	{"swarm/rooms/roomlog", rule{ours: []string{"signals", "swarm/rooms/schedule", "swarm/rooms/events"}}},
	{"swarm/rooms/deciding", rule{ours: []string{
		"signals", "agents", "swarm", "swarm/runlog", "swarm/solves", "swarm/transcript", "bus/journal", "swarm/rooms", "swarm/rooms/events", "swarm/rooms/schedule", "swarm/rooms/roomlog",
	}}},
	{"swarm/rooms/office", rule{
		ours: []string{
			"signals", "agents", "agents/asking", "agents/models", "agents/thinker", "agents/tools", "swarm", "swarm/rooms/deciding", "bus/journal", "swarm/cassette", "swarm/teams", "swarm/rooms", "swarm/rooms/schedule",
			"swarm/rooms/events", "internal/yamlfile",
		},
	}},
	{"swarm/rooms/terminal", rule{ours: []string{"swarm/rooms", "swarm/rooms/schedule", "swarm/rooms/events", "swarm/transcript"}}},
	{"swarm/rooms", rule{ours: []string{
		"signals", "bus", "bus/journal", "agents", "agents/routing", "agents/hooks", "swarm/rooms/schedule", "swarm/rooms/roomlog", "swarm/rooms/events",
	}}},
	{"swarm/console/api", rule{ours: []string{"agents/asking"}, others: []string{"github.com/danielgtaylor/huma/v2"}}},
	{"swarm/console/client", rule{ours: []string{"internal/retry", "signals", "bus/journal", "swarm/console/api"}}},
	{"swarm/desk", rule{ours: []string{
		"signals", "bus", "bus/journal", "agents", "agents/asking", "agents/hooks", "agents/memory", "agents/models", "agents/models/limits", "agents/tools",
		"swarm", "swarm/cassette", "swarm/mode", "swarm/replay", "swarm/runlog", "swarm/solves", "swarm/teams",
		"agents/reports", "swarm/reporting",
	}}},
	{"swarm/console/open", rule{ours: []string{
		"agents/tools/mcp",
		"internal/runs",
		"signals", "agents/memory/sqlite", "agents/memory/postgres",
		"agents/memory", "agents/models", "agents/models/limits", "agents/tools", "swarm/desk", "swarm/teams", "swarm/teams/providers",
	}}},
	{"swarm/console/internal/view", rule{ours: []string{
		"swarm/said", "signals", "signals/coordination", "conflict", "bus", "bus/journal", "consensus", "consensus/reliability", "agents", "agents/asking", "swarm/cassette", "swarm/desk", "swarm/mode", "swarm/runlog", "swarm/replay", "swarm/solves", "swarm/console/api",
		"otel", "otel/oteltest", "swarm/transcript", // for the test that adds a kind
	}}},
	{"swarm/console/feed", rule{ours: []string{"swarm/console/api"}, others: []string{"github.com/coder/websocket"}}},
	{"swarm/console/guard", rule{ours: []string{"agents/asking", "internal/names", "internal/ownerfile", "signals", "swarm/console/api"}, others: []string{"golang.org/x/time/rate"}}},
	{"swarm/console/host", rule{ours: []string{
		"signals", "bus", "bus/journal", "agents", "agents/asking", "agents/hooks", "agents/memory", "agents/models", "agents/models/limits", "agents/reports", "agents/routing", "swarm", "swarm/cassette", "swarm/mode", "swarm/replay", "swarm/runlog", "swarm/solves",
		"swarm/desk", "swarm/teams", "swarm/rooms", "swarm/rooms/events", "swarm/rooms/roomlog", "swarm/rooms/schedule", "internal/runs", "swarm/console/api", "swarm/console/feed", "swarm/console/internal/view",
	}}},
	{"swarm/console/internal/hosttest", rule{ours: []string{
		"bus/journal", "signals", "agents", "agents/models", "agents/tools", "swarm", "swarm/cassette", "swarm/console/api", "swarm/console/feed", "swarm/console/host", "swarm/desk",
	}}},
	{"swarm/console/demo", rule{ours: []string{
		"signals", "bus/journal", "consensus", "consensus/reliability", "agents", "agents/memory", "agents/memory/sqlite", "agents/reports", "agents/routing", "agents/models", "agents/tools", "swarm", "swarm/cassette", "swarm/rooms", "swarm/rooms/events", "swarm/rooms/office",
		"swarm/console/api", "swarm/console/host", "swarm/desk",
	}}},
	{"swarm/console/mcpserver", rule{
		ours:   []string{"agents/hooks", "consensus", "swarm/console/api", "swarm/transcript"},
		others: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go/jsonschema", "golang.org/x/time/rate"},
	}},
	{"swarm/console/a2a", rule{ours: []string{"swarm/console/api"}, others: []string{"github.com/a2aproject/a2a-go/a2a", "github.com/a2aproject/a2a-go/a2asrv"}}},
	{"swarm/console/web", rule{}},
	{"swarm/console/internal/agui", rule{ours: []string{"agents/asking", "swarm/console/api", "swarm/console/feed"}}},
	{"swarm/console/server", rule{
		ours: []string{
			"agents/hooks", "swarm/console/join", "swarm/console/a2a", "swarm/console", "swarm/console/api", "swarm/console/feed", "swarm/console/guard", "swarm/console/host", "swarm/console/web", "swarm/console/mcpserver",
			"signals", "swarm/console/client", "swarm/desk", // for the tests
			"agents/asking", "bus/journal", "swarm/console/internal/agui", "swarm/console/internal/hosttest", "swarm/solves", // for those of what is asked
		},
		others: []string{"github.com/rs/xid", "github.com/modelcontextprotocol/go-sdk"},
	}},
	{"swarm/console", rule{ours: []string{"swarm/console/internal/agui", "swarm/console/api", "swarm/console/feed", "swarm/console/guard"}}},
	{"cmd/swarmbus/internal/cli", rule{
		ours:   []string{"agents/hooks", "bus", "otel/export", "swarm/transcript"},
		others: []string{"github.com/spf13", "github.com/charmbracelet/colorprofile", "github.com/clipperhouse/displaywidth", "golang.org/x/term"},
	}},
	{"cmd/swarmbus/internal/decide", rule{
		ours:   []string{"cmd/swarmbus/internal/cli", "internal/votes", "internal/runs", "agents/hooks", "bus", "bus/journal", "consensus", "consensus/reliability", "signals", "swarm", "swarm/runlog"},
		others: []string{"github.com/spf13/cobra", "github.com/schollz/progressbar"},
	}},
	{"cmd/swarmbus/internal/natsflags", rule{
		ours:   []string{"cmd/swarmbus/internal/cli", "bus", "bus/natsbus", "bus/natsbus/machines", "signals", "swarm/rooms/events"},
		others: []string{"github.com/spf13"},
	}},
	{"cmd/swarmbus/internal/schemas", rule{ours: []string{
		"swarm/console/join", "agents/reports", "swarm/console/api", "swarm/teams",
		"signals", "signals/cloudevents", "signals/coordination", "agents", "agents/asking", "agents/routing", "agents/tools", "conflict", // for the tests, which make them
		"swarm/rooms/events", "swarm/rooms/roomlog", "swarm/runlog", "swarm/settle", "swarm/claims",
	}}},
	{"swarm/reporting", rule{ours: []string{"agents/models", "signals", "bus", "bus/journal", "agents", "agents/reports", "swarm", "swarm/runlog"}}},
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
	module + "/consensus/consensustest", module + "/agents/choice", module + "/agents/models/anthropic", module + "/agents/models/modelstest", module + "/bus/bustest",
	module + "/internal/ollama", module + "/internal/pglite", module + "/internal/timetest", module + "/internal/documents", module + "/agents", module + "/agents/memory", module + "/agents/memory/memorytest", module + "/swarm/reporting", module + "/swarm/rooms/terminal", module + "/swarm",
	"github.com/coder/websocket", module + "/swarm/console/host", module + "/swarm/console/internal/hosttest", module + "/swarm/console/demo",
	module + "/swarm/console/feed", module + "/consensus", module + "/swarm/runlog", module + "/swarm/rooms/office",
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

// required are the modules of other projects that the library's module may require itself, and
// whose. Where another one begins, a module of its own does.
var required = map[string]string{
	"github.com/charmbracelet/x/ansi":      "swarm/transcript",
	"github.com/clipperhouse/displaywidth": "swarm/transcript",
	"github.com/goccy/go-yaml":             "internal/yamlfile",
	"github.com/google/jsonschema-go":      "internal/schema",
	"github.com/gowebpki/jcs":              "swarm/rooms/events",
	"github.com/rs/xid":                    "signals",
	"go.opentelemetry.io/otel":             "otel",
	"go.opentelemetry.io/otel/metric":      "otel",
	"go.opentelemetry.io/otel/trace":       "otel",
	"golang.org/x/sys":                     "bus/journal",
	"golang.org/x/text":                    "agents/reports",
	"golang.org/x/time":                    "agents/models/limits",
	"gonum.org/v1/gonum":                   "agents/choice",
	"github.com/anishathalye/porcupine":    "tests",
	"github.com/google/go-cmp":             "tests",
	"github.com/rogpeppe/go-internal":      "tests",
	"go.opentelemetry.io/otel/sdk":         "tests",
	"go.opentelemetry.io/otel/sdk/metric":  "tests",
	"go.uber.org/goleak":                   "tests",
	"pgregory.net/rapid":                   "tests",
}

// TestTheLibraryRequiresFewModules compares what go.mod requires directly with that table.
func TestTheLibraryRequiresFewModules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(text), -1) {
		found[line[1]] = true
		if required[line[1]] == "" {
			t.Errorf("go.mod requires %s, which is not in the table", line[1])
		}
	}
	for name := range required {
		if !found[name] {
			t.Errorf("go.mod does not require %s", name)
		}
	}
}

// within says whether a path is that of a directory or of one below it.
func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// own are the modules beside that of the library whose packages are in the table.
var own = []string{"agents/memory/postgres", "agents/memory/sqlite", "agents/tools/mcp", "bus/natsbus", "cmd/swarmbus", "examples", "otel/export", "swarm/console"}

// goFiles returns the files of the library and of our own modules; other nested modules and
// testdata are not in the table.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || isModule(name)):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go"):
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

// isModule reports whether a directory is that of a module that is not in the table.
func isModule(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return found != nil && !slices.Contains(own, filepath.ToSlash(dir))
}

func checkImports(t *testing.T, file string) (problems []string) {
	t.Helper()
	pkg, test := path.Dir(file), strings.HasSuffix(file, "_test.go")
	if pkg == "." && test {
		return nil // the tests of the whole
	}
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
		return itself || slices.Contains(everybodys, ours) || slices.Contains(r.ours, ours) || slices.Contains(r.ours, "*")
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
