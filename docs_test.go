package swarmbus_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// slow has the documents' slow commands run too, which .ci/run does.
var slow = flag.Bool("slow", false, "run the documents' slow commands too")

// shown is a block of output in a document, behind the command that prints it and
// whether that is slow.
var shown = regexp.MustCompile("(?s)<!-- shows(, slowly)?: go (.+?) -->\n```text\n(.+?)```")

// TestDocumentsShowWhatTheCommandsPrint runs each command that a document
// names and looks for the lines it shows, in order. An ellipsis stands for lines
// left out. Without -slow it leaves out the commands that are marked as slow.
func TestDocumentsShowWhatTheCommandsPrint(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, name := range append(documents, "README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shown.FindAllStringSubmatch(string(text), -1) {
			blocks++
			t.Run(name+": go "+block[2], func(t *testing.T) {
				t.Parallel()
				if block[1] != "" && !*slow {
					t.Skip("slow: go test . -slow runs it")
				}
				checkShown(t, strings.Fields(block[2]), block[3])
			})
		}
	}
	if blocks < 2 {
		t.Errorf("found %d blocks, want at least 2", blocks)
	}
}

// checkShown runs the go command and looks for what a document shows of its output.
func checkShown(t *testing.T, args []string, document string) {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if missing := firstMissing(document, string(printed)); missing != "" {
		t.Errorf("the command does not print, where the document has it:\n%s", missing)
	}
}

// firstMissing returns the first line of the document that the output lacks
// after the line before it.
func firstMissing(document, printed string) string {
	rest := strings.Split(printed, "\n")
	for line := range strings.Lines(document) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line == "…" {
			continue
		}
		for len(rest) > 0 && rest[0] != line {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return line
		}
		rest = rest[1:]
	}
	return ""
}

func TestLineThatIsNotPrintedIsMissed(t *testing.T) {
	t.Parallel()
	const printed = "a\nb\nc\n"
	for document, want := range map[string]string{
		"a\nb\nc\n": "", "a\n…\nc\n": "", "b\na\n": "a", "d\n": "d", "a\na\n": "a",
	} {
		if got := firstMissing(document, printed); got != want {
			t.Errorf("%q: got %q, want %q", document, got, want)
		}
	}
}

// isFile is a block of a document that is a file of the module.
var isFile = regexp.MustCompile("(?s)<!-- is: (.+?) -->\n```go\n(.+?)```")

// TestSnippetsAreFilesThatCompile compares the snippets of the documents with the
// files that they are; the build shows that those compile.
func TestSnippetsAreFilesThatCompile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := isFile.FindAllStringSubmatch(string(text), -1)
	for _, block := range blocks {
		file, err := os.ReadFile(block[1])
		if err != nil {
			t.Fatal(err)
		}
		if string(file) != block[2] {
			t.Errorf("README.md: the snippet is not %s as it is", block[1])
		}
	}
	if len(blocks) == 0 || strings.Count(string(text), "```go") != len(blocks) {
		t.Errorf("%d of the snippets are files, of %d", len(blocks), strings.Count(string(text), "```go"))
	}
}

// modules are those that a package's users take in, with what those need.
func TestModulesThatAPackageTakesInAreAsStated(t *testing.T) {
	t.Parallel()
	for pkg, want := range map[string]string{
		"agents":           "github.com/rs/xid",
		"bus":              "github.com/rs/xid",
		"consensus":        "",
		"swarm":            "github.com/cenkalti/backoff/v5 github.com/rs/xid",
		"swarm/transcript": "github.com/cenkalti/backoff/v5 github.com/clipperhouse/displaywidth github.com/clipperhouse/uax29/v2 github.com/rs/xid",
	} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./"+pkg)
		printed, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Fields(string(printed))
		slices.Sort(all)
		if got := strings.Join(slices.Compact(all), " "); got != want {
			t.Errorf("%s takes in %s, want %s", pkg, got, want)
		}
	}
}

// TestEveryExampleIsInTheTableAndRunByTests looks for tests beside each program, or
// elsewhere for those named here.
func TestEveryExampleIsInTheTableAndRunByTests(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("docs/examples.md")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := []string{"hello", "jaeger"} // README.md shows what it prints; otel/export reads its traces
	programs, err := filepath.Glob("examples/*/main.go")
	if err != nil || len(programs) < 10 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	for _, program := range programs {
		dir := filepath.Dir(program)
		if !strings.Contains(string(table), "](../"+filepath.ToSlash(program)+")") {
			t.Errorf("docs/examples.md does not have %s", dir)
		}
		if tests, _ := filepath.Glob(dir + "/*_test.go"); len(tests) == 0 && !slices.Contains(elsewhere, filepath.Base(dir)) {
			t.Errorf("%s has no test", dir)
		}
	}
}

// TestStatementsNameTestsThatThereAre looks for each test that docs/statements
// names in the directories that the document does.
func TestStatementsNameTestsThatThereAre(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("docs/statements/*.md")
	if err != nil || len(documents) < 3 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	of := regexp.MustCompile(`<!-- tests of: (.+) -->`)
	name := regexp.MustCompile("`((?:Test|Benchmark)[A-Z]\\w*)`")
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		var tests strings.Builder
		for dir := range strings.FieldsSeq(of.FindStringSubmatch(string(text))[1]) {
			files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: no tests in %s: %v", document, dir, err)
			}
			for _, file := range files {
				code, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tests.Write(code)
			}
		}
		for line := range strings.Lines(string(text)) {
			named := name.FindAllStringSubmatch(line, -1)
			if strings.HasPrefix(line, "| ") && named == nil && !strings.HasPrefix(line, "| ---") && !strings.HasSuffix(line, "| test |\n") {
				t.Errorf("%s: no test of %s", document, line)
			}
			for _, n := range named {
				if !strings.Contains(tests.String(), "\nfunc "+n[1]+"(") {
					t.Errorf("%s: there is no %s", document, n[1])
				}
			}
		}
	}
}
