package coordination

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

// Grade is an optional confidence: missing is not the same as 0. The zero value
// is missing; [Graded] makes the others.
type Grade struct {
	value float64
	given bool
}

// Graded returns the grade x.
func Graded(x float64) Grade { return Grade{x, true} }

// Get returns the grade and whether there is one.
func (g Grade) Get() (x float64, given bool) { return g.value, g.given }

// IsZero reports whether the grade is missing.
func (g Grade) IsZero() bool { return !g.given }

// Equal reports whether both are missing or the same number.
func (g Grade) Equal(other Grade) bool { return g == other }

// String returns the number, or "none".
func (g Grade) String() string {
	if !g.given {
		return "none"
	}
	return strconv.FormatFloat(g.value, 'g', -1, 64)
}

// MarshalJSON returns a number, or null.
func (g Grade) MarshalJSON() ([]byte, error) {
	if !g.given {
		return []byte("null"), nil
	}
	return json.Marshal(g.value)
}

// UnmarshalJSON reads a number, or null.
func (g *Grade) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*g = Grade{}
		return nil
	}
	g.given = true
	return json.Unmarshal(data, &g.value)
}

// check checks the grade against the band of a confidence class. The bands
// leave no gap: at least 0.4 and below 0.8 is medium.
func (g Grade) check(c Class) error {
	refuse := func(problem string) error {
		return &signals.FieldError{Field: "confidence", Value: g.String(), Problem: problem}
	}
	of, _ := c.rule()
	if !g.given {
		if of.Most > 0 {
			return refuse("required for " + c.String())
		}
		if m := c.Message(); m == AboutConfidence || m == AboutConflict {
			return refuse("required for " + c.String())
		}
		return nil
	}
	x := g.value
	if err := signals.Unit("confidence", x); err != nil {
		return err
	}
	switch {
	case of.Most > 0 && (x < of.Least || x > of.Most):
		return refuse(fmt.Sprintf("not in [%v,%v] for %s", of.Least, of.Most, c))
	case c == ConfidenceHigh && x < 0.8:
		return refuse("not in [0.8,1] for " + c.String())
	case c == ConfidenceMedium && (x < 0.4 || x >= 0.8):
		return refuse("not in [0.4,0.8) for " + c.String())
	case c == ConfidenceLow && (x == 0 || x >= 0.4):
		return refuse("not in (0,0.4) for " + c.String())
	case c == ConfidenceBlocker && x != 0:
		return refuse("not 0 for " + c.String())
	}
	return nil
}
