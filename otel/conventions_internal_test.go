package otel

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConventionsAreThoseThatArePinned compares the definition of each name in the
// pinned versions with the recorded one: a name that is gone, of another type or
// deprecated is a line of the difference.
func TestConventionsAreThoseThatArePinned(t *testing.T) {
	const file = "testdata/conventions.txt"
	got := report(t, conventions, genAIConventions)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the conventions have changed (-before +now; decide for each name, then rewrite with -update):\n%s", diff)
	}
}

// TestReportListsTheChangesOfARaisedVersion raises the version of the generative
// AI conventions to the first without them.
func TestReportListsTheChangesOfARaisedVersion(t *testing.T) {
	before, after := report(t, conventions, genAIConventions), report(t, conventions, conventions)
	if strings.Contains(before, "gen_ai.agent.name\tnot there") || !strings.Contains(after, "gen_ai.agent.name\tnot there") {
		t.Errorf("got\n%s\nand\n%s\nwant gen_ai.agent.name not to be there in the second", before, after)
	}
}

// report lists each name of the conventions that is in names.go with its definition
// in the versions.
func report(t *testing.T, general, genAI string) string {
	t.Helper()
	all := map[string]string{}
	for version, names := range map[string]func(string) bool{
		general: func(name string) bool { return !isGenAI(name) }, genAI: isGenAI,
	} {
		text := source(t, version)
		for _, name := range ours(t) {
			if names(name) || general == genAI {
				all[name] = about(text, name)
			}
		}
	}
	lines := []string{fmt.Sprintf("conventions\t%s\ngenAIConventions\t%s", general, genAI)}
	for _, name := range ours(t) {
		lines = append(lines, name+"\t"+all[name])
	}
	return strings.Join(lines, "\n") + "\n"
}

func isGenAI(name string) bool {
	return strings.HasPrefix(name, "gen_ai.") || strings.HasPrefix(name, "mcp.") || slices.Contains(verbs(), name)
}

// verbs are the values of gen_ai.operation.name.
func verbs() (all []string) {
	for _, s := range styles {
		if s.genAI {
			all = append(all, s.verb)
		}
	}
	return all
}

var (
	kind      = regexp.MustCompile(`// Type: (.*)`)
	stability = regexp.MustCompile(`// Stability: (.*)`)
)

// about is the definition of a name in the source of a version: its type and how
// stable it is.
func about(text, name string) string {
	quoted := strconv.Quote(name)
	at := strings.Index(text, "attribute.Key("+quoted+")")
	if at < 0 {
		switch {
		case strings.Contains(text, "return "+quoted+"\n"):
			return "metric"
		case strings.Contains(text, "Key.String("+quoted+")"), strings.Contains(text, "Attr = "+quoted+"\n"):
			return "value"
		}
		return "not there"
	}
	comment := text[strings.LastIndex(text[:at], "\n\n"):at]
	said := "attribute"
	for _, about := range []*regexp.Regexp{kind, stability} {
		if found := about.FindStringSubmatch(comment); found != nil {
			said += "\t" + strings.TrimSpace(found[1])
		}
	}
	if strings.Contains(comment, "Deprecated:") {
		said += "\tdeprecated"
	}
	return said
}

// source returns Go's package of a version, with those inside of it.
func source(t *testing.T, version string) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "go.opentelemetry.io/otel").Output()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, pattern := range []string{"*.go", "*/metric.go"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "semconv", "v"+version, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no conventions %s: %v", version, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(content)
		}
	}
	return text.String()
}

// ours returns the names of names.go that are not our own, sorted: keys of
// attributes, metrics and values.
func ours(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := append(verbs(), publishType, processType)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "key") && !strings.HasPrefix(spec.Names[0].Name, "metric") {
			return true
		}
		if value, ok := spec.Values[0].(*ast.BasicLit); ok {
			if name, err := strconv.Unquote(value.Value); err == nil && !strings.HasPrefix(name, "swarmbus.") {
				all = append(all, name)
			}
		}
		return true
	})
	slices.Sort(all)
	return slices.Compact(all)
}
