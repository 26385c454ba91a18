package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// TestJSONIsDocumented looks for each member of what is printed in docs/json.md.
func TestJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	votes := filepath.Join("..", "..", "benchmarks", "data", "votes", "cf")
	for _, args := range [][]string{
		{"solve", "--json", "--cassette", filepath.Join("..", "..", "examples", "thinkers", "retry.cassette")},
		{"decide", "--json", "--votes", votes},
		{"version", "--json"},
	} {
		status, out, stderr := swarmbusRun(t, args...)
		if status != cli.ExitDecided || out == "" {
			t.Fatalf("%q: %d: %s", args, status, stderr)
		}
		for line := range strings.Lines(out) {
			var members map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &members); err != nil {
				t.Fatal(err)
			}
			missing(t, string(text), slices.Sorted(maps.Keys(members)))
		}
	}
	for _, of := range []any{agents.Cost{}, bus.Account{}, consensus.Decision{}, consensus.Tally{}, consensus.Uncounted{}, consensus.Vote{}, solves.Turns{}} {
		var names []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.IsExported() {
				names = append(names, name)
			}
		}
		missing(t, string(text), names)
	}
}

func missing(t *testing.T, text string, names []string) {
	t.Helper()
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the document does not name %q", name)
		}
	}
}
