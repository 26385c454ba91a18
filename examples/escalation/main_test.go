package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// said runs the program with what a person types.
func said(t *testing.T, path, typed string) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), strings.NewReader(typed), &out, path); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheDecisionIsThatOfTheAnswerAtTheTerminal(t *testing.T) {
	for typed, want := range map[string]string{
		"yes, for years\n":  "consensus: refund the second charge at once",
		"no, she is new\n":  "consensus: wait for the bank",
		"no, without a end": "consensus: wait for the bank",
	} {
		out := said(t, filepath.Join(t.TempDir(), "journal"), typed)
		if !strings.Contains(out, "2 of 3 agree with \"refund\"") || !strings.Contains(out, "clerk asks: Do we know her") || !strings.Contains(out, want) {
			t.Errorf("%q: %s", typed, out)
		}
	}
}

func TestAnAnswerThatIsLeftLaterChangesTheDecision(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for range 2 { // it asks until somebody answers
		if out := said(t, path, ""); !strings.Contains(out, "clerk asks") || !strings.Contains(out, "swarmbus answer "+path) {
			t.Fatal(out)
		}
	}
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := signals.New(signals.Header{Source: "eve", Confidence: 1}, signals.Memory{Content: "no, she is new", Category: "answer"})
	if err := solves.Leave(t.Context(), j, "", answer); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if out := said(t, path, ""); !strings.Contains(out, "consensus: wait for the bank") || strings.Contains(out, "asks") {
		t.Error(out)
	}
}
