package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Grade says what a finding is worth. The zero value appears in no finding.
type Grade int

// The grades. A concern asks for changes only where something else makes it
// worse, a defect does unless something eases it.
const (
	Concern Grade = 1 + iota
	Defect
)

// String returns "concern" or "defect".
func (g Grade) String() string {
	if g <= Concern {
		return "concern"
	}
	return "defect"
}

// A Finding is one thing an [Inspector] found, with every place where it found
// it: four lost cancels are one finding with four places.
type Finding struct {
	Inspector string
	Rule      string
	Grade     Grade
	Message   string
	Places    []Place // never empty, sorted by position
}

// String returns what the finding says, without its places.
func (f Finding) String() string { return f.Rule + ": " + f.Message }

// Evidence quotes at most n places and counts the rest.
func (f Finding) Evidence(n int) string { return evidence(f.Places, n) }

func evidence(places []Place, n int) string {
	n = min(max(n, 1), len(places))
	parts := make([]string, n)
	for i, at := range places[:n] {
		parts[i] = at.String()
	}
	s := strings.Join(parts, "; ")
	if rest := len(places) - n; rest > 0 {
		s += fmt.Sprintf("; and %d more", rest)
	}
	return s
}

// A rule is what a finding has before it is found anywhere.
type rule struct {
	name  string
	grade Grade
}

// at makes one finding of all places. No places, no finding.
func (r rule) at(places []Place, message string) []Finding {
	if len(places) == 0 {
		return nil
	}
	slices.SortFunc(places, Place.compare)
	return []Finding{{Rule: r.name, Grade: r.grade, Message: message, Places: slices.Compact(places)}}
}

// count returns "1 thing" or "n things".
func count(n int, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + singular + "s"
}
