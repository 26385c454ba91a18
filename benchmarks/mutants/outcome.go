package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An outcome has the results of the mutants of one package. Those that do not
// compile are no mutants.
type outcome struct {
	pkg                                            string
	every                                          int // one in so many was planted
	uncovered                                      int // seen so far, planted or not
	mutants, killed, timedOut, lived, bare, equals int
	alive                                          []mutant // lived or not covered, and not equivalent
	claimed                                        map[*equivalent]bool
}

// report is the part of gremlins' report that is read here.
type report struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type, Status string
			Line, Column int
		}
	}
}

// readOutcome reads the results of one in so many mutants; the report has the others as not viable, but for those
// that are not covered.
func readOutcome(tree, pkg, file string, known []*equivalent, every int) (*outcome, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	o := &outcome{pkg: pkg, every: every, claimed: map[*equivalent]bool{}}
	for _, f := range r.Files {
		mutants, err := mutantsOf(tree, filepath.Join(pkg, f.Name), f.Mutations)
		if err != nil {
			return nil, err
		}
		for _, m := range mutants {
			o.count(m, known)
		}
	}
	slices.SortFunc(o.alive, func(a, b mutant) int { return cmp.Or(cmp.Compare(a.file, b.file), byPlace(a, b)) })
	return o, nil
}

// mutantsOf looks up the lines that were changed.
func mutantsOf(tree, file string, found []struct {
	Type, Status string
	Line, Column int
},
) ([]mutant, error) {
	text, err := os.ReadFile(filepath.Join(tree, file))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	mutants := make([]mutant, 0, len(found))
	for _, f := range found {
		if f.Line < 1 || f.Line > len(lines) {
			return nil, fmt.Errorf("%s has no line %d", file, f.Line)
		}
		mutants = append(mutants, mutant{
			file: file, line: f.Line, column: f.Column, operator: f.Type, status: f.Status,
			source: strings.TrimSpace(lines[f.Line-1]),
		})
	}
	slices.SortFunc(mutants, byPlace)
	for i := range mutants {
		m := &mutants[i]
		m.nth = 1
		for _, before := range mutants[:i] {
			if before.line == m.line && before.operator == m.operator {
				m.nth++
			}
		}
	}
	return mutants, nil
}

func (o *outcome) count(m mutant, known []*equivalent) {
	switch m.status {
	case "NOT VIABLE":
		return
	case "NOT COVERED":
		if o.uncovered++; o.uncovered%o.every != 0 {
			return
		}
	}
	o.mutants++
	switch m.status {
	case "KILLED":
		o.killed++
		return
	case "TIMED OUT":
		o.timedOut++
		return
	}
	for _, e := range known {
		if e.covers(m) {
			o.claimed[e] = true
			o.equals++
			return
		}
	}
	if m.status == "LIVED" {
		o.lived++
	} else {
		o.bare++
	}
	o.alive = append(o.alive, m)
}

// share is the share of mutants found, of those that are not equivalent.
func (o *outcome) share() float64 {
	rest := o.mutants - o.equals
	if rest == 0 {
		return 100
	}
	return 100 * float64(o.killed+o.timedOut) / float64(rest)
}

// unmet returns what the list says of the package's files that held for no
// mutant.
func (o *outcome) unmet(known []*equivalent) (out []*equivalent) {
	for _, e := range known {
		if filepath.Dir(e.file) == o.pkg && !o.claimed[e] {
			out = append(out, e)
		}
	}
	return out
}
