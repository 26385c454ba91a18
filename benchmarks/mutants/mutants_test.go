package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
)

// tree writes files into a directory of their own.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const planted = `{"files":[{"file_name":"a.go","mutations":[
	{"type":"CONDITIONALS_BOUNDARY","status":"LIVED","line":2,"column":9},
	{"type":"CONDITIONALS_BOUNDARY","status":"LIVED","line":2,"column":3},
	{"type":"CONDITIONALS_NEGATION","status":"KILLED","line":2,"column":3},
	{"type":"ARITHMETIC_BASE","status":"TIMED OUT","line":1,"column":1},
	{"type":"ARITHMETIC_BASE","status":"NOT COVERED","line":3,"column":1},
	{"type":"ARITHMETIC_BASE","status":"NOT VIABLE","line":3,"column":2}]}]}`

func sample(t *testing.T) string {
	const text = "x = 1 + 2\n\tif a < b && b < c {\nreturn a - b\n}\n"
	return tree(t, map[string]string{
		"p/a.go":      text,
		"q/a.go":      text,
		"report.json": planted,
		"benchmarks/mutants/equivalents.txt": "# comment\n\np/a.go CONDITIONALS_BOUNDARY#2\n\tif a < b && b < c {\n" +
			"b is never c.\nReally.\n\np/a.go ARITHMETIC_BASE\n\tx = 1 + 2\nOf one that is found.\n",
	})
}

func TestOutcomeCountsEachMutantOnce(t *testing.T) {
	dir := sample(t)
	known, err := readEquivalents(filepath.Join(dir, "benchmarks/mutants/equivalents.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(known) != 2 || known[0].why != "b is never c. Really." {
		t.Fatalf("read %+v", known)
	}
	o, err := readOutcome(dir, "p", filepath.Join(dir, "report.json"), known, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.row(), "| p | 5 | 1 | 1 | 1 | 1 | 1 | 50.0 % |\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := "## Alive in p\n\n- `a.go:2` CONDITIONALS_BOUNDARY `if a < b && b < c {`\n- `a.go:3` ARITHMETIC_BASE `return a - b`, not covered\n"
	if got := o.section(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if unmet := o.unmet(known); len(unmet) != 1 || unmet[0] != known[1] {
		t.Errorf("unmet %v, want the entry of a mutant that is killed", unmet)
	}
}

func TestOfASampleAsManyUncoveredCountAsWerePlanted(t *testing.T) {
	dir := tree(t, map[string]string{
		"p/a.go": "x\n",
		"report.json": `{"files":[{"file_name":"a.go","mutations":[
			{"type":"A","status":"NOT COVERED","line":1},{"type":"A","status":"NOT COVERED","line":1},
			{"type":"A","status":"NOT COVERED","line":1},{"type":"A","status":"KILLED","line":1},
			{"type":"A","status":"NOT VIABLE","line":1}]}]}`,
	})
	o, err := readOutcome(dir, "p", filepath.Join(dir, "report.json"), nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.row(), "| p | 2, 1 in 2 | 1 | 0 | 0 | 1 | 0 | 50.0 % |\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestResultsOfOtherPackagesStay(t *testing.T) {
	dir := sample(t)
	file := filepath.Join(dir, "RESULTS.md")
	for _, pkg := range []string{"p", "q", "p"} {
		if err := run([]string{"-tree", dir, "-write", file, pkg + "=" + filepath.Join(dir, "report.json")}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| p | 5 | 1 | 1 | 1 | 1 | 1 | 50.0 % |", "| q | 5 | 1 | 1 | 2 | 1 | 0 | 40.0 % |", "## Alive in p", "## Alive in q"} {
		if n := strings.Count(string(text), want); n != 1 {
			t.Errorf("%q is there %d times:\n%s", want, n, text)
		}
	}
}

func TestListWithoutReasonIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a.go X\n\tx++\n\nb.go X\n\ty++\nwhy\n": "no reason",
		"\tx++\nwhy\n":                          "no file",
	} {
		dir := tree(t, map[string]string{"list": text})
		if _, err := readEquivalents(filepath.Join(dir, "list")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The cover tool counts bodies of cases, not their conditions.
func TestConditionsOfCasesAreCovered(t *testing.T) {
	dir := tree(t, map[string]string{
		"p/a.go": "package p\n\nvar x = 1 + 2\n\nfunc f(a, b int) int {\n\tswitch {\n\tcase a < b:\n\t\treturn 1\n\t}\n\treturn 2\n}\n\n" +
			"func g(a, b int) {\n\tswitch {\n\tcase a < b:\n\t}\n}\n",
		"profile": "mode: set\n" + module + "p/a.go:5.25,6.9 1 1\n" + module + "p/a.go:7.13,8.11 1 0\n" + module + "p/a.go:13.20,14.9 1 0\n",
	})
	profile := filepath.Join(dir, "profile")
	if err := run([]string{"-tree", dir, "-cover", profile}); err != nil {
		t.Fatal(err)
	}
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		t.Fatal(err)
	}
	covered := map[int]bool{}
	for _, b := range profiles[0].Blocks {
		covered[b.StartLine] = covered[b.StartLine] || b.Count > 0
	}
	if !covered[3] || covered[15] {
		t.Errorf("covered lines %v, want 3 and not 15", covered)
	}
	found := false
	for _, b := range profiles[0].Blocks {
		found = found || b.StartLine == 7 && b.StartCol == 7 && b.EndCol == 12 && b.Count > 0
	}
	if !found {
		t.Errorf("the condition in line 7 is not covered: %v", profiles[0].Blocks)
	}
}
