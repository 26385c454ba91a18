package main

import (
	"strings"
	"testing"
)

func TestEachWaySettlesTheConflict(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"settled    by debate", "settled    by majority", "settled    by escalate", `"fail at once"`, `"retry three times"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
