package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/connectivity"
)

// The example takes modes for efforts.
func TestModesAreEfforts(t *testing.T) {
	for m, e := range map[connectivity.Mode]agents.Effort{
		connectivity.Cheap: agents.Cheap, connectivity.Fast: agents.Fast, connectivity.Deep: agents.Deep,
	} {
		if agents.Effort(m) != e || m.String() != e.String() {
			t.Errorf("mode %s is effort %s", m, agents.Effort(m))
		}
	}
}

func TestTheDocumentShowsTheOutput(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/connectivity.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "<!-- output of examples/escalation -->\n```text\n")
	shown, _, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("docs/connectivity.md has no output")
	}
	if diff := cmp.Diff(strings.Trim(out.String(), "\n"), strings.Trim(shown, "\n")); diff != "" {
		t.Errorf("docs/connectivity.md shows another output (-now +shown):\n%s", diff)
	}
}
