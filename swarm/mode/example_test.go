package mode_test

import (
	"fmt"

	"github.com/swarmbus/swarmbus/swarm/mode"
)

func ExampleChoose() {
	p := mode.Choose(mode.Auto, mode.Case{
		Members: []mode.Member{{ID: "ada"}, {ID: "bob"}, {ID: "cyn"}},
		Traits:  mode.Traits{FactsDiffer: true}, Calls: 10,
	})
	fmt.Println(p)
	facts := p.Next(nil)
	fmt.Println(facts.Part, "of", len(facts.Ask))
	calls := facts.Calls(nil)
	for i := range calls {
		calls[i].Stated = true
	}
	answers := p.Next(calls)
	fmt.Println(answers.Part, "of", len(answers.Ask))
	// Output:
	// facts-first: facts differ
	// facts of 3
	// answer of 3
}
