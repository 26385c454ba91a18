package inspect

import "fmt"

// Severity says how bad a finding is where it holds. The zero value is no
// severity and appears in no finding.
type Severity int

// The severities. A low one is a matter of taste or upkeep, a medium one will
// cost someone a debugging session, a high one is a bug or a hazard.
const (
	Low Severity = 1 + iota
	Medium
	High
)

var severityNames = []string{Low: "low", Medium: "medium", High: "high"}

// String returns "low", "medium" or "high", the words of a doubt signal.
func (s Severity) String() string { return enumName(severityNames, int(s)) }

// MarshalText writes the name of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Weight is the risk of a finding of this severity that is fully relevant and
// certain: 0.12, 0.4 and 0.9. One high finding outweighs any two medium ones.
func (s Severity) Weight() float64 {
	switch s {
	case Low:
		return 0.12
	case Medium:
		return 0.4
	case High:
		return 0.9
	}
	return 0
}

// Dimension is the side of a package that a finding speaks about.
type Dimension int

// The dimensions, in the order of a [Scorecard].
const (
	Correctness Dimension = 1 + iota
	Safety
	Tests
	Docs
	Design
)

var dimensionNames = []string{
	Correctness: "correctness", Safety: "safety", Tests: "tests", Docs: "docs", Design: "design",
}

// String returns the dimension in lower case.
func (d Dimension) String() string { return enumName(dimensionNames, int(d)) }

// MarshalText writes the name of d.
func (d Dimension) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Stance is the side an agent takes: approve, or request changes.
type Stance int

// The stances.
const (
	Approve Stance = 1 + iota
	RequestChanges
)

var stanceNames = []string{Approve: "approve", RequestChanges: "request changes"}

// String returns "approve" or "request changes".
func (s Stance) String() string { return enumName(stanceNames, int(s)) }

// MarshalText writes the name of s.
func (s Stance) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func enumName(names []string, i int) string {
	if i > 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}
