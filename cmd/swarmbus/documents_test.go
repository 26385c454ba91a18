package main

import (
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/internal/documents"
)

// The commands that documents show are those of the repository's root.
func TestDocumentsShowWhatTheCommandsPrint(t *testing.T) {
	const command = "go run ./cmd/swarmbus "
	t.Chdir("../..")
	for _, b := range documents.Blocks(t, ".", command) {
		t.Run(b.File, func(t *testing.T) {
			if b.Slow && !*all {
				t.Skip("slow: go test ./cmd/swarmbus -all runs it")
			}
			out, errs, status := called(t, strings.Fields(strings.TrimPrefix(b.Of, command))...)
			if missing := documents.Missing(b.Text, out); status != 0 || missing != "" {
				t.Errorf("status %d: %s\n%s does not print, where the document has it:\n%s", status, errs, b.Of, missing)
			}
		})
	}
}
