package natstest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promisesOf returns the rows of the table in the documentation of package natsbus: each
// promise with the words of its third column.
func promisesOf(t *testing.T) (rows [][2]string) {
	t.Helper()
	text, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "//\tpromise ")
	table, _, end := strings.Cut(table, "//\n")
	if !ok || !end {
		t.Fatal("no table of promises")
	}
	head, table, _ := strings.Cut(table, "\n")
	column := strings.Index("promise "+head, "test")
	for line := range strings.Lines(table) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "//\t")
		named := ""
		if len(line) > column {
			named = line[column:]
		}
		if words, _, _ := strings.Cut(line, "  "); !strings.HasPrefix(line, " ") {
			rows = append(rows, [2]string{words, named})
		} else if len(rows) > 0 {
			rows[len(rows)-1][1] += " " + named
		}
	}
	return rows
}

// Each promise that the documentation lists is shown by tests that exist here, and that
// `go test ./...` does not skip.
func TestEachPromiseNamesTestsThatRun(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Split(string(text), "\nfunc ")[1:] {
			name, rest, _ := strings.Cut(f, "(")
			body[name] = rest
		}
	}
	rows := promisesOf(t)
	if len(rows) < 15 {
		t.Errorf("%d promises, want all of the table: %v", len(rows), rows)
	}
	for _, row := range rows {
		names := regexp.MustCompile(`\w+`).FindAllString(row[1], -1)
		if len(names) == 0 {
			t.Errorf("no test shows: %s", row[0])
		}
		for _, name := range names {
			if f, ok := body[name]; !ok || !strings.HasPrefix(name, "Test") || strings.Contains(f, "t.Skip(") {
				t.Errorf("%s: %s is no test that always runs", row[0], name)
			}
		}
	}
}
