package consensus

import (
	"fmt"
	"strings"
)

// Strategy turns ballots into a decision. A strategy has no state: the same ballots always give the same
// decision, it is safe for concurrent use, and it obeys the rules in the package documentation, which
// consensustest.TestStrategy checks. [Round] and the combinators call it from their caller's goroutine.
type Strategy interface {
	// Name is the strategy's name in decisions and on the command line, such as "voting".
	Name() string
	// Decide returns the decision on these ballots. It cannot fail: every combination of votes
	// has an [Outcome].
	Decide(Ballots) Decision
}

// Default returns the default strategy if nothing is known about the voters: [ConfidenceWeighted]. Swarms and
// `swarmbus decide` use a reliability.Ledger by default, which begins with that strategy and learns.
func Default() Strategy { return ConfidenceWeighted{} }

// Builtin returns the built-in strategies in the order of the package documentation's table.
func Builtin() []Strategy {
	return []Strategy{Voting{}, ConfidenceWeighted{}, Bayesian{}, Entropy{}, Hierarchical{}}
}

// asBuiltin returns s as a built-in strategy, or nil. A type that embeds one has its methods, but may have its own Decide.
func asBuiltin(s Strategy) builtin {
	switch s.(type) {
	case Voting, ConfidenceWeighted, Bayesian, Entropy, Hierarchical:
		return s.(builtin)
	}
	return nil
}

// Lookup returns the built-in strategy of that name, [Default] for "", and a wrapped [*FieldError] for any
// other name.
func Lookup(name string) (Strategy, error) {
	if name == "" {
		return Default(), nil
	}
	var names []string
	for _, s := range Builtin() {
		if s.Name() == name {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, fmt.Errorf("consensus: %w", &FieldError{"strategy", name, "one of " + strings.Join(names, ", ")})
}
