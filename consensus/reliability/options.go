package reliability

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/consensus"
)

// Options state what decisions are between, and the priors. The zero value, or a nil pointer, means the defaults: each
// decision has its own proposals. Functions that take Options copy them.
//
// The priors rarely need changing: on eleven crowdsourced data sets, halving or doubling one changed the mean accuracy
// by at most 0.15 points. The spreads are only starting values of the fit.
type Options struct {
	// Choices lists what all decisions are between, if that means the same in every one, such as labels. A
	// voter then has a rate for each choice. None means that a proposal's name says nothing about other decisions.
	Choices []string `json:"choices,omitempty"`
	// Stances makes every proposal a question of its own, which voters agree or disagree with. A voter then has
	// two numbers, sensitivity and specificity. It excludes Choices.
	Stances bool `json:"stances,omitempty"`

	Window int `json:"window"` // decisions kept; 0 means 10000
	First  int `json:"first"`  // decisions before anything is learned; 0 means 20, or what a smaller window keeps

	Right    float64 `json:"right"`    // log-odds that a newcomer is right; 0 means 1
	Voter    float64 `json:"voter"`    // standard deviation of voters around the pool; 0 means 1
	Class    float64 `json:"class"`    // standard deviation of a voter's rates per choice around its own; 0 means 0.7
	Pool     float64 `json:"pool"`     // standard deviation of the pool's rates per choice; 0 means 1
	Rows     float64 `json:"rows"`     // prior weight of the pool's wrong answers, in votes; 0 means 8
	Weight   float64 `json:"weight"`   // prior weight of the three spreads, in observations; 0 means 4
	Pairs    float64 `json:"pairs"`    // prior weight of the pooled correlation for a pair, in votes; 0 means 50
	Residual float64 `json:"residual"` // residual correlation, which votes cannot show; 0 means 0.2
	Rounds   int     `json:"rounds"`   // rounds of expectation maximisation; 0 means 20
	MaxPairs int     `json:"maxPairs"` // voters above which all pairs share one correlation; 0 means 128
}

// Validate returns a wrapped [*consensus.FieldError] for the first option that is out of range, or nil.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	if err := o.fault(); err != nil {
		return fmt.Errorf("reliability: options: %w", err)
	}
	return nil
}

func (o *Options) fault() error {
	for _, c := range o.Choices {
		if c == "" || !utf8.ValidString(c) {
			return &consensus.FieldError{Field: "choices", Value: c, Want: "names in UTF-8"}
		}
	}
	if n := len(o.Choices); n == 1 || n > maxChoices {
		return &consensus.FieldError{Field: "choices", Value: n, Want: fmt.Sprintf("none, or 2 to %d", maxChoices)}
	}
	if sorted := slices.Sorted(slices.Values(o.Choices)); len(slices.Compact(sorted)) != len(o.Choices) {
		return &consensus.FieldError{Field: "choices", Value: fmt.Sprint(o.Choices), Want: "each once"}
	}
	if o.Stances && len(o.Choices) > 0 {
		return &consensus.FieldError{Field: "stances", Value: true, Want: "no choices beside it"}
	}
	for _, n := range []struct {
		name     string
		value    int
		greatest int
	}{{"window", o.Window, 1 << 24}, {"first", o.First, 1 << 24}, {"rounds", o.Rounds, 1000}, {"maxPairs", o.MaxPairs, 1 << 12}} {
		if n.value < 0 || n.value > n.greatest {
			return &consensus.FieldError{Field: n.name, Value: n.value, Want: fmt.Sprintf("up to %d, or 0 for the default", n.greatest)}
		}
	}
	return o.faultyPrior()
}

func (o *Options) faultyPrior() error {
	for _, p := range o.priors() {
		if x := *p.value; math.IsNaN(x) || x < 0 || x > 1e6 || x != 0 && x < 1e-3 {
			return &consensus.FieldError{Field: p.name, Value: x, Want: "a number from 0.001 to a million, or 0 for the default"}
		}
	}
	if o.Residual > 1 {
		return &consensus.FieldError{Field: "residual", Value: o.Residual, Want: "at most 1"}
	}
	return nil
}

const maxChoices = 64

var defaults = Options{
	Window: 10000, First: 20, Rounds: 20, MaxPairs: 128,
	Right: 1, Voter: 1, Class: 0.7, Pool: 1, Rows: 8, Weight: 4, Pairs: 50, Residual: 0.2,
}

// prior is one of the numeric priors in [Options], by name.
type prior struct {
	name  string
	value *float64
}

func (o *Options) priors() []prior {
	return []prior{
		{"right", &o.Right},
		{"voter", &o.Voter},
		{"class", &o.Class},
		{"pool", &o.Pool},
		{"rows", &o.Rows},
		{"weight", &o.Weight},
		{"pairs", &o.Pairs},
		{"residual", &o.Residual},
	}
}

// leave returns how many decisions are dropped at once when there are more than the window has room for.
func (o *Options) leave() int { return max(1, o.Window/4) }

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults() Options {
	if o == nil {
		return defaults
	}
	full, def := *o, defaults
	full.Choices = append([]string(nil), o.Choices...) // nil if empty
	wanted := def.priors()
	for i, p := range full.priors() {
		if *p.value == 0 {
			*p.value = *wanted[i].value
		}
	}
	for _, n := range []struct{ p, def *int }{
		{&full.Window, &def.Window}, {&full.First, &def.First}, {&full.Rounds, &def.Rounds}, {&full.MaxPairs, &def.MaxPairs},
	} {
		if *n.p == 0 {
			*n.p = *n.def
		}
	}
	full.First = min(full.First, full.Window+1-full.leave())
	return full
}
