package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheDocumentShowsTheOutput(t *testing.T) {
	var out, again strings.Builder
	for _, w := range []*strings.Builder{&out, &again} {
		if err := run(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != again.String() {
		t.Error("two runs differ")
	}
	doc, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "<!-- output of examples/research -->\n```text\n")
	shown, _, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("docs/reports.md has no output")
	}
	if diff := cmp.Diff(strings.Trim(out.String(), "\n"), strings.Trim(shown, "\n")); diff != "" {
		t.Errorf("docs/reports.md shows another output (-now +shown):\n%s", diff)
	}
}
