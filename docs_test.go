package swarmbus_test

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// slow has modules of users tidied, which .ci/run does.
var slow = flag.Bool("slow", false, "tidy modules of users, too")

// isFile is a block of a document that is a file of the module, or in one.
var isFile = regexp.MustCompile("(?s)<!-- (is|in): (.+?) -->\n```go\n(.+?)```")

// TestSnippetsAreFilesThatCompile compares the snippets of the documents with the
// files that they are or are in; the build shows that those compile.
func TestSnippetsAreFilesThatCompile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"README.md": 1, "docs/examples.md": 1} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := isFile.FindAllStringSubmatch(string(text), -1)
		for _, block := range blocks {
			file, err := os.ReadFile(block[2])
			if err != nil {
				t.Fatal(err)
			}
			if same := string(file) == block[3]; !same && (block[1] == "is" || !strings.Contains(string(file), block[3])) {
				t.Errorf("%s: the snippet is not %s as it is", name, block[2])
			}
		}
		if len(blocks) != want || strings.Count(string(text), "```go") != want {
			t.Errorf("%s: %d of the snippets are of files, of %d", name, len(blocks), strings.Count(string(text), "```go"))
		}
	}
}

// TestTheReadmeIsReadInAMinute limits its length; what has no room there is in docs.
func TestTheReadmeIsReadInAMinute(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if n := strings.Count(string(text), "\n"); err != nil || n > 120 {
		t.Errorf("README.md has %d lines, want at most 120: %v", n, err)
	}
}

// aLink is a link of a document to a file of the module, perhaps with a section.
var aLink = regexp.MustCompile(`\]\(([^):#]*[./][^):#]*)(#[^)]*)?\)`)

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, name := range append(documents, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range aLink.FindAllStringSubmatch(string(text), -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), link[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if links < 50 {
		t.Errorf("found %d links, which cannot be all", links)
	}
}

// tidied is a block with the modules that a program with one import requires.
var tidied = regexp.MustCompile("(?s)<!-- tidied: (.+?) -->\n```text\n(.+?)```")

// TestTidiedModuleOfAUserIsAsStated makes a module that imports a package, and tidies it.
func TestTidiedModuleOfAUserIsAsStated(t *testing.T) {
	t.Parallel()
	if !*slow {
		t.Skip("slow, and asks for modules: go test . -slow runs it")
	}
	text, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	blocks := tidied.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Errorf("%d blocks, want 2", len(blocks))
	}
	for _, block := range blocks {
		dir := t.TempDir()
		mod := "module example.com/user\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n"
		for name, text := range map[string]string{"go.mod": mod, "main.go": "package main\n\nimport _ \"" + module + "/" + block[1] + "\"\n\nfunc main() {}\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tidy := exec.CommandContext(t.Context(), "go", "mod", "tidy")
		tidy.Dir, tidy.Env = dir, append(os.Environ(), "GOWORK=off")
		if printed, err := tidy.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, printed)
		}
		got, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(block[2]) {
			if !strings.Contains(string(got), strings.TrimSpace(line)+" // indirect") {
				t.Errorf("%s: go.mod has no %s:\n%s", block[1], line, got)
			}
		}
		if n := strings.Count(string(got), "// indirect"); n != strings.Count(block[2], "\n") {
			t.Errorf("%s: %d modules: %s", block[1], n, got)
		}
	}
}

// modules are those that a package's users take in, with what those need.
func TestModulesThatAPackageTakesInAreAsStated(t *testing.T) {
	t.Parallel()
	for pkg, want := range map[string]string{
		"agents":           "github.com/rs/xid",
		"bus":              "github.com/rs/xid",
		"consensus":        "",
		"swarm":            "github.com/google/jsonschema-go github.com/gowebpki/jcs github.com/rs/xid golang.org/x/text", // which check the arguments of answers, and values
		"swarm/transcript": "github.com/clipperhouse/displaywidth github.com/clipperhouse/uax29/v2 github.com/google/jsonschema-go github.com/gowebpki/jcs github.com/rs/xid golang.org/x/text",
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
	elsewhere := []string{"jaeger"} // otel/export reads its traces
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

// outsideIn are the directories whose tests use a command, a server, a page or a program from outside.
var outsideIn = []string{"cmd/swarmbus", "swarm/console", "swarm/console/feed", "swarm/console/a2a", "swarm/console/browser", "examples/*", "otel/export"}

// reasons are those that a statement may have for no test from outside; each document explains them.
var reasons = []string{"program", "clock", "fault", "law", "ours", "none"}

// testsIn returns the text of all tests in directories, which may be patterns.
func testsIn(t *testing.T, dirs []string) string {
	t.Helper()
	var tests strings.Builder
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tests in %s: %v", dir, err)
		}
		for _, file := range files {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(code)
		}
	}
	return tests.String()
}

// TestStatementsAreShownFromOutside reads docs/statements: each line of the five documents is in a row, and
// each row names tests that there are, and shows its statement from outside, by a test, an example or a step
// of the document's story, or says why nothing does.
func TestStatementsAreShownFromOutside(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("docs/statements/*.md")
	if err != nil || len(documents) < 5 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	outside := testsIn(t, outsideIn)
	for _, document := range documents {
		read, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		text := string(read)
		of := "cmd/swarmbus/testdata/stories/" + strings.TrimSuffix(filepath.Base(document), ".md") + ".txtar"
		story, err := os.ReadFile(of)
		if err != nil || !strings.Contains(text, "(../../"+of+")") {
			t.Errorf("%s does not name its story, %s: %v", document, of, err)
		}
		notes := regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(text, -1)
		for _, of := range regexp.MustCompile(`\[(\d+)\]`).FindAllStringSubmatch(text, -1) {
			if !slices.ContainsFunc(notes, func(note []string) bool { return note[1] == of[1] }) {
				t.Errorf("%s: [%s] has no note that says why", document, of[1])
			}
		}
		tests := outside + testsIn(t, append(strings.Fields(regexp.MustCompile(`<!-- tests of: (.+) -->`).FindStringSubmatch(text)[1]), "."))
		lines, err := strconv.Atoi(regexp.MustCompile(`<!-- lines: (\d+) -->`).FindStringSubmatch(text)[1])
		if err != nil {
			t.Fatal(err)
		}
		covered := make([]bool, lines+1)
		for line := range strings.Lines(text) {
			cells := strings.Split(strings.Trim(line, "|\n"), "|")
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") || slices.Contains([]string{"of", "loop"}, strings.TrimSpace(cells[0])) {
				continue
			}
			named := regexp.MustCompile("`((?:Test|Benchmark|Example)\\w*)`").FindAllStringSubmatch(line, -1)
			for _, n := range named {
				if !strings.Contains(tests, "\nfunc "+n[1]+"(") {
					t.Errorf("%s: there is no %s", document, n[1])
				}
			}
			from := strings.TrimSpace(cells[len(cells)-1])
			if named == nil && from != "none" {
				t.Errorf("%s: no test of %s", document, line)
			}
			if len(cells) != 5 {
				continue // what is said of the two loops, beside the document
			}
			cover(t, covered, cells[0], document)
			for evidence := range strings.SplitSeq(from, ", ") {
				name := strings.Trim(evidence, "`")
				step, isStep := strings.CutPrefix(name, "story ")
				switch {
				case isStep && strings.Contains("\n"+string(story), "\n# "+step+". "):
				case strings.HasPrefix(name, "Example"): // it was looked for above
				case strings.HasPrefix(name, "Test") && strings.Contains(outside, "\nfunc "+name+"("):
				case from == name && slices.Contains(reasons, name):
				default:
					t.Errorf("%s: %q shows nothing from outside, and is no reason: %s", document, evidence, line)
				}
			}
		}
		for i, is := range covered[1:] {
			if !is {
				t.Errorf("%s: line %d of the document is in no row", document, i+1)
			}
		}
	}
}

// cover marks lines that a row is of, such as "3, 5–7"; "–": of none.
func cover(t *testing.T, covered []bool, of, document string) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimSpace(of), ", ") {
		if part == "–" {
			continue
		}
		first, last, _ := strings.Cut(part, "–")
		i, err := strconv.Atoi(first)
		j, errLast := strconv.Atoi(cmp.Or(last, first))
		if err != nil || errLast != nil || i < 1 || j < i || j >= len(covered) {
			t.Fatalf("%s: %q are no lines of its %d", document, part, len(covered)-1)
		}
		for ; i <= j; i++ {
			covered[i] = true
		}
	}
}

// TestPackagesNameFilesThatExist looks for the files at which docs/packages.md says to
// start reading, and for those of the parts of the bus.
func TestPackagesNameFilesThatExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/packages.md")
	if err != nil {
		t.Fatal(err)
	}
	named, file := regexp.MustCompile("`([\\w/]+)`"), regexp.MustCompile("`([\\w/]+\\.[a-z]+)`")
	files := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		var paths [][]string // one of each has to exist
		switch len(cells) {
		case 5: // package, idea, files
			for _, f := range file.FindAllStringSubmatch(cells[3], -1) {
				var in []string
				for _, dir := range named.FindAllStringSubmatch(cells[1], -1) {
					in = append(in, filepath.Join(dir[1], f[1]))
				}
				paths = append(paths, in)
			}
		case 6: // part, files of bus, lines, guarantee
			for _, part := range named.FindAllStringSubmatch(cells[2], -1) {
				paths = append(paths, []string{"bus/" + part[1] + ".go", "bus/" + part[1]})
			}
		}
		for _, one := range paths {
			files++
			if !slices.ContainsFunc(one, func(path string) bool { _, err := os.Stat(path); return err == nil }) {
				t.Errorf("there is none of %q", one)
			}
		}
	}
	if files < 150 {
		t.Errorf("%d files named", files)
	}
}

// aCommand is a go test command in a document: what -run selects, and the packages.
var aCommand = regexp.MustCompile("`(?:cd ([^ ]+) && )?go\\s+test ([^`]*)`")

// TestCommandsOfDocumentsRunTests looks for a test that each go test command with -run selects,
// by names alone: below a name with a slash, the file that is named like the subtest is not looked for.
func TestCommandsOfDocumentsRunTests(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	nested, err := filepath.Glob("docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, name := range slices.Concat(documents, nested, []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range aCommand.FindAllStringSubmatch(string(text), -1) {
			pattern, dirs := selected(c[2])
			if pattern == "" {
				continue
			}
			commands++
			for _, dir := range dirs {
				if !hasTest(t, filepath.Join(c[1], dir), pattern) {
					t.Errorf("%s: %s selects no test of %s", name, c[0], dir)
				}
			}
		}
	}
	if commands < 50 {
		t.Errorf("%d commands were checked, which cannot be all", commands)
	}
}

// selected returns what -run or -bench selects in the arguments of go test, up to a slash, and where:
// anywhere, if the text around the command says where.
func selected(args string) (pattern string, dirs []string) {
	words := strings.Fields(strings.ReplaceAll(args, `\|`, "|"))
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case (w == "-run" || w == "-bench") && i+1 < len(words):
			i++
			if of := strings.Trim(words[i], `'"`); of != "xxx" && of != "^$" {
				pattern, _, _ = strings.Cut(of, "/")
			}
		case w == "." || strings.HasPrefix(w, "./"):
			dirs = append(dirs, w)
		}
	}
	if dirs == nil {
		dirs = []string{"./..."}
	}
	return pattern, dirs
}

var aTest = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)

// hasTest reports whether a test of the packages in a directory is selected by a pattern.
func hasTest(t *testing.T, dir, pattern string) bool {
	t.Helper()
	selects, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	below, all := strings.CutSuffix(dir, "...")
	found := false
	err = filepath.WalkDir(filepath.Clean(below), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (!all || d.Name() == "node_modules") && path != filepath.Clean(below) {
			return filepath.SkipDir
		}
		if found || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, f := range aTest.FindAllSubmatch(text, -1) {
			found = found || selects.Match(f[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
