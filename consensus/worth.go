package consensus

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// Worth is how many independent voters some voters are worth: their number over 1 + (n − 1)·ρ, where ρ is the mean
// correlation of their errors, or of their answers where too few outcomes are known (Kish, 1965). By agreement it is a
// lower bound, because voters who are right agree, too.
type Worth struct {
	Voters  int  `json:"voters"`
	Errors  bool `json:"errors,omitempty"`  // by errors in known outcomes; else by agreement
	Of      int  `json:"of,omitempty"`      // decisions that it rests on
	Unknown bool `json:"unknown,omitempty"` // these cannot tell yet: the numbers are 0

	Number float64 `json:"number,omitempty"`
	Low    float64 `json:"low,omitempty"` // of an interval that holds the true number in 95 of 100 cases
	High   float64 `json:"high,omitempty"`
	// Together names the two voters whose errors go together most, if that is more than chance.
	Together []string `json:"together,omitempty"`
}

// String says it in words, in one line. The wording may change.
func (w Worth) String() string {
	of := text.Plural(w.Voters, "voter")
	if w.Unknown {
		return of + ", worth not known yet"
	}
	said := fmt.Sprintf("%s, worth %.2g (%.2g to %.2g)", of, w.Number, w.Low, w.High)
	switch {
	case len(w.Together) > 0:
		said += fmt.Sprintf(": %s err together", text.Printable(strings.Join(w.Together, " and ")))
	case !w.Errors:
		said += " by agreement, which alone is no dependence"
	}
	return said
}
