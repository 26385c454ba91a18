package reliability

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/consensus"
)

// Options state what decisions are between and how many are kept. The zero value, or a nil pointer, means that each
// decision has its own proposals. Functions that take Options copy them.
type Options struct {
	// Choices lists what all decisions are between, if that means the same in every one, such as labels. A voter then
	// has a rate for each choice. None means that a proposal's name says nothing about other decisions.
	Choices []string `json:"choices,omitempty"`
	// Stances makes every proposal a question of its own, which voters agree or disagree with. A voter then has two
	// rates, one for proposals that are right and one for those that are wrong. It excludes Choices.
	Stances bool `json:"stances,omitempty"`

	Window int `json:"window,omitempty"` // decisions kept; 0 means 10000
	First  int `json:"first,omitempty"`  // decisions before anything is learned; 0 means 5, or what a smaller window keeps
}

const (
	maxChoices    = 64
	greatestCount = 1 << 24
	defaultWindow = 10000
	defaultFirst  = 5
)

// validate returns a wrapped [*consensus.FieldError] for the first option that is out of range, or nil.
func (o *Options) validate() error {
	if o == nil {
		return nil
	}
	for _, c := range o.Choices {
		if c == "" || !utf8.ValidString(c) {
			return refuse("choices", c, "names in UTF-8")
		}
	}
	if n := len(o.Choices); n == 1 || n > maxChoices {
		return refuse("choices", n, fmt.Sprintf("none, or 2 to %d", maxChoices))
	}
	if sorted := slices.Sorted(slices.Values(o.Choices)); len(slices.Compact(sorted)) != len(o.Choices) {
		return refuse("choices", fmt.Sprint(o.Choices), "each once")
	}
	if o.Stances && len(o.Choices) > 0 {
		return refuse("stances", true, "no choices beside it")
	}
	if o.Window < 0 || o.Window > greatestCount {
		return refuse("window", o.Window, fmt.Sprintf("up to %d, or 0 for the default", greatestCount))
	}
	if o.First < 0 || o.First > greatestCount {
		return refuse("first", o.First, fmt.Sprintf("up to %d, or 0 for the default", greatestCount))
	}
	return nil
}

func refuse(field string, value any, want string) error {
	return fmt.Errorf("reliability: %w", &consensus.FieldError{Field: field, Value: value, Want: want})
}

func (o Options) clone() Options {
	o.Choices = append([]string(nil), o.Choices...) // nil if empty
	return o
}

// withDefaults returns the options with every default filled in.
func (o Options) withDefaults() Options {
	o.Window = cmp.Or(o.Window, defaultWindow)
	o.First = cmp.Or(o.First, defaultFirst)
	o.First = min(o.First, o.Window+1-o.leave())
	return o
}

// leave returns how many decisions are dropped at once when there are more than the window has room for.
func (o *Options) leave() int { return max(1, o.Window/4) }
