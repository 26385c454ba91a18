package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheDocumentShowsTheOutput(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/connectivity.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "<!-- output of examples/effort -->\n```text\n")
	shown, _, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("docs/connectivity.md has no output")
	}
	if diff := cmp.Diff(strings.Trim(out.String(), "\n"), strings.Trim(shown, "\n")); diff != "" {
		t.Errorf("docs/connectivity.md shows another output (-now +shown):\n%s", diff)
	}
}
