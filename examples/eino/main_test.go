package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestAgentOfEinoVotesInASwarm(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "critic") || !strings.Contains(out.String(), "jitter keeps clients out of step") || !strings.Contains(out.String(), "Stop      consensus") {
		t.Errorf("the transcript:\n%s", out.String())
	}
}
