package main

import (
	"strings"
	"testing"
)

func TestEachModeAsksForItsParts(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"vote         the cache after 15 calls", "facts-first  the disk after 8 calls", "check        the disk after 8 calls", "3 of 3 judges accept it"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
