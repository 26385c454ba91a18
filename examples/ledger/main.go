// Command ledger decides without a swarm: it asks five agents one after the other, until the ledger that knows them
// has decided, and tells the ledger one outcome in ten.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

var (
	choices = []string{"bug", "question", "request"}
	right   = map[string]float64{"ada": 0.9, "bob": 0.75, "cyd": 0.75, "dan": 0.6, "eve": 0.1} // how often
	names   = []string{"ada", "bob", "cyd", "dan", "eve"}
	groups  = map[string]string{"cyd": "small model", "dan": "small model"} // what may err together
)

// ask returns what an agent says if truth is right.
func ask(r *rand.Rand, name, truth string) consensus.Vote {
	said := truth
	if r.Float64() > right[name] {
		said = choices[(slices.Index(choices, truth)+1+r.IntN(len(choices)-1))%len(choices)]
	}
	return consensus.Vote{Voter: name, ProposalID: said, Stance: consensus.Agree, Weight: 1}
}

func main() {
	ledger, err := reliability.NewLedger(&reliability.Options{Choices: choices})
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	asked, decided, correct, from, overruled := 0, 0, 0, 1, ""
	for i := 1; i <= 150; i++ {
		truth := choices[r.IntN(len(choices))]
		b, d, n := decide(ledger, func(name string) consensus.Vote { return ask(r, name, truth) })
		asked += n
		if d.Outcome == consensus.Reached {
			decided++
			if d.Choice == truth {
				correct++
			}
			if overruled == "" && 2*len(d.Dissent()) > n {
				overruled = fmt.Sprintf("ticket %d is a %s: %s", i, d.Choice, d.Reason())
			}
		}
		id := fmt.Sprint("ticket ", i)
		if err := ledger.Observe(id, b); err != nil {
			log.Fatal(err)
		}
		if i%10 == 0 {
			if err := ledger.Resolve(id, truth); err != nil {
				log.Fatal(err)
			}
		}
		if i == 20 || i == 100 || i == 150 {
			fmt.Printf("%3d to %3d: %.1f asked, %d decided, %d right\n", from, i, float64(asked)/float64(i-from+1), decided, correct)
			asked, decided, correct, from = 0, 0, 0, i+1
		}
	}
	fmt.Println(overruled)
	several, _ := ledger.Models()
	for _, name := range several.Voters() {
		known, _ := several.Reliability(name, len(choices))
		fmt.Printf("%s is right in %.0f %%, as far as is known\n", name, 100*known.Sensitivity)
	}
	saved, err := json.Marshal(ledger)
	if err != nil {
		log.Fatal(err)
	}
	var restored reliability.Ledger // with the options of the saved one
	if err := json.Unmarshal(saved, &restored); err != nil {
		log.Fatal(err)
	}
	fmt.Println(restored.Len(), "decisions restored")
}

// decide asks one agent after the other until the ledger has decided and further votes would hardly change that, and
// returns the ballots, the decision and how many it asked.
func decide(ledger *reliability.Ledger, ask func(name string) consensus.Vote) (b consensus.Ballots, d consensus.Decision, n int) {
	several, _ := ledger.Models() // what it knows of voters between several choices
	strategy, rest := ledger.Strategy(), slices.Clone(names)
	var votes []consensus.Vote
	for len(rest) > 0 {
		next := several.Next(b, rest, nil)
		rest = slices.DeleteFunc(rest, func(name string) bool { return name == next })
		votes = append(votes, ask(next))
		var err error
		if b, err = consensus.NewBallots(&consensus.Options{Groups: groups}, choices, votes); err != nil {
			log.Fatal(err)
		}
		b = b.Close() // what is not decided then is deadlocked, not pending
		if d = strategy.Decide(b); d.Outcome == consensus.Reached && several.Enough(b, rest, reliability.Stop{}) {
			break
		}
	}
	return b, d, len(votes)
}
