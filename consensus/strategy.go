package consensus

import "fmt"

// Strategy turns ballots into a decision. A strategy is a value without state: the same ballots give the
// same decision, whenever and from however many goroutines it is asked, and it keeps to the rules in the
// package documentation, which consensustest.TestStrategy checks. [Round] and the combinators call it
// from their caller's goroutine.
type Strategy interface {
	// Name is the strategy's name in decisions and on the command line, such as "voting".
	Name() string
	// Decide returns the decision on these ballots. It does not fail: there is an [Outcome] for
	// everything that votes can say.
	Decide(Ballots) Decision
}

// Func makes a strategy of a function. [Ballots.Settle] gives such a function the outcomes; a decision
// that it writes by hand is given the name, and the ballots it was made on.
func Func(name string, decide func(Ballots) Decision) Strategy { return funcStrategy{name, decide} }

type funcStrategy struct {
	name   string
	decide func(Ballots) Decision
}

func (f funcStrategy) Name() string { return f.name }

func (f funcStrategy) Decide(b Ballots) Decision {
	d := f.decide(b)
	d.Strategy = f.name
	if d.from.terms == nil {
		d.from, d.from.closed = b.board().from, b.closed
	}
	return d
}

// Default returns the strategy that is used where nobody chooses and nothing is known of the voters:
// [ConfidenceWeighted]. What swarms and `swarmbus decide` use when nobody chooses begins with it and goes on
// learning: reliability.Ledger.
func Default() Strategy { return ConfidenceWeighted{} }

// Builtin returns the five strategies in the order of the package documentation's table.
func Builtin() []Strategy {
	return []Strategy{Voting{}, ConfidenceWeighted{}, Bayesian{}, Entropy{}, Hierarchical{}}
}

// Lookup returns the built-in strategy of that name, [Default] for "", and a [*FieldError], wrapped, for
// any other name.
func Lookup(name string) (Strategy, error) {
	if name == "" {
		return Default(), nil
	}
	for _, s := range Builtin() {
		if s.Name() == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("consensus: %w", &FieldError{
		"strategy", name, "voting, confidence-weighted, bayesian, entropy or hierarchical",
	})
}
