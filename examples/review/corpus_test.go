package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTableIsWhatIsMeasured judges some of the cases again: RESULTS.md must have
// their rows. The command of RESULTS.md judges all of them, in minutes.
func TestTableIsWhatIsMeasured(t *testing.T) {
	committed, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	samples, err := readSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var some []sample
	for i, s := range samples {
		if i%4 == 0 && !s.run && !strings.HasPrefix(s.dir, "std:") {
			some = append(some, s)
		}
	}
	for o, err := range judgeAll(t.Context(), "testdata", some) {
		if err != nil {
			t.Fatal(o.dir, err)
		}
		if !strings.Contains(string(committed), o.row()) {
			t.Errorf("RESULTS.md does not have\n%s", o.row())
		}
	}
}

// TestTableMeetsItsBars reads the committed table: at least nine in ten defects
// named, at most one in ten clean packages refused, in each part.
func TestTableMeetsItsBars(t *testing.T) {
	committed, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	samples, err := readSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^(design|held-out) +(\S+) +(clean|\w+ \S+) +([\w-]+) +(ok|WRONG)`)
	right, all := map[string]int{}, map[string]int{}
	for _, m := range row.FindAllStringSubmatch(string(committed), -1) {
		kind := m[1] + " planted"
		if m[3] == "clean" {
			kind = m[1] + " clean"
		}
		all[kind]++
		if m[5] == "ok" {
			right[kind]++
		}
	}
	n := 0
	for _, part := range parts {
		for _, kind := range []string{part + " planted", part + " clean"} {
			n += all[kind]
			if all[kind] < 30 || 10*right[kind] < 9*all[kind] {
				t.Errorf("%s: %d of %d right, want at least nine in ten of at least 30", kind, right[kind], all[kind])
			}
		}
	}
	if n != len(samples) {
		t.Errorf("%d rows for %d cases", n, len(samples))
	}
}

func TestCasesPointAtLines(t *testing.T) {
	samples, err := readSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.planted == "" {
			continue
		}
		file, line, _ := strings.Cut(s.line, ":")
		text, err := os.ReadFile(s.path("testdata") + "/" + file)
		if err != nil || line == "" || strings.Count(string(text), "\n") < 5 {
			t.Errorf("%s: no %s: %v", s.dir, s.line, err)
		}
	}
	if _, err := readSamples("inspect/testdata"); err == nil {
		t.Error("a directory without cases is read")
	}
}
