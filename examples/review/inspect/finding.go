package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Finding is one thing an [Inspector] found, with every place where it found
// it: forty missing doc comments are one finding with forty places.
type Finding struct {
	Inspector string
	Rule      string
	Dimension Dimension
	Severity  Severity
	Message   string

	// Places is never empty and sorted by position, but for rules with a
	// measure ("cognitive complexity 31"), which put the worst place first.
	Places []Place

	// Relevance says how much of the package the finding touches, or how far
	// beyond its limit the worst place lies; Confidence how often such a
	// finding is right. Both lie in [0,1].
	Relevance  float64
	Confidence float64
}

// Position is the first place's position.
func (f Finding) Position() Position {
	if len(f.Places) == 0 {
		return Position{}
	}
	return f.Places[0].Position
}

// Key names the finding within its package, as "rule@file:line". No two findings
// of one package have the same.
func (f Finding) Key() string { return f.Rule + "@" + f.Position().String() }

// Find returns the finding with that key, so that agents can speak of a finding
// by its key alone.
func Find(findings []Finding, key string) (Finding, bool) {
	for _, f := range findings {
		if f.Key() == key {
			return f, true
		}
	}
	return Finding{}, false
}

// Evidence quotes at most n places and counts the rest.
func (f Finding) Evidence(n int) string {
	n = min(max(n, 1), len(f.Places))
	parts := make([]string, n)
	for i, at := range f.Places[:n] {
		parts[i] = at.String()
	}
	s := strings.Join(parts, "; ")
	if rest := len(f.Places) - n; rest > 0 {
		s += fmt.Sprintf("; and %d more", rest)
	}
	return s
}

// String returns the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s %s: %s [%s]", f.Severity, f.Rule, f.Message, f.Evidence(3))
}

// Risk is the share of trouble this finding alone stands for, in [0,1]: the
// severity's weight times relevance times confidence.
func (f Finding) Risk() float64 { return f.Severity.Weight() * f.Relevance * f.Confidence }

// compareFindings puts the riskiest first; rule and position settle ties, so
// that an order never depends on the order of discovery.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(b.Risk(), a.Risk()),
		cmp.Compare(a.Inspector, b.Inspector),
		cmp.Compare(a.Rule, b.Rule),
		a.Position().Compare(b.Position()),
		cmp.Compare(a.Message, b.Message),
	)
}

func sortPlaces(places []Place) {
	slices.SortStableFunc(places, func(a, b Place) int {
		return cmp.Or(a.Compare(b.Position), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Note, b.Note))
	})
}
