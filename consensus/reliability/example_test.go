package reliability_test

import (
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// ask returns the ballots of one decision, given the voters for yes and those for no.
func ask(yes, no []string) consensus.Ballots {
	var votes []consensus.Vote
	for _, name := range yes {
		votes = append(votes, consensus.Vote{Voter: name, ProposalID: "yes", Stance: consensus.Agree, Weight: 1})
	}
	for _, name := range no {
		votes = append(votes, consensus.Vote{Voter: name, ProposalID: "no", Stance: consensus.Agree, Weight: 1})
	}
	b, err := consensus.NewBallots(nil, []string{"yes", "no"}, votes)
	if err != nil {
		panic(err)
	}
	return b
}

// tell observes a decision and its outcome.
func tell(book *reliability.Book, id string, ballots consensus.Ballots, right string) {
	if err := book.Observe(id, ballots); err != nil {
		panic(err)
	}
	if err := book.Resolve(id, right); err != nil {
		panic(err)
	}
}

// history returns a book of forty decisions in which ada and bob are right, and the others half of the time.
func history() *reliability.Book {
	book, err := reliability.NewBook(&reliability.Options{Choices: []string{"yes", "no"}})
	if err != nil {
		panic(err)
	}
	for i := range 40 {
		sides := [2][]string{{"ada", "bob"}, nil}
		for j, name := range []string{"cyd", "dee", "eve"} {
			side := i >> j & 1
			sides[side] = append(sides[side], name)
		}
		right := []string{"yes", "no"}[i%3%2]
		ballots := ask(sides[0], sides[1])
		if right == "no" {
			ballots = ask(sides[1], sides[0])
		}
		if err := book.Observe(fmt.Sprint("decision ", i), ballots); err != nil {
			panic(err)
		}
		if i%2 == 0 {
			if err := book.Resolve(fmt.Sprint("decision ", i), right); err != nil {
				panic(err)
			}
		}
	}
	return book
}

func Example() {
	model := history().Model()
	ballots := ask([]string{"ada", "bob"}, []string{"cyd", "dee", "eve"})
	d := reliability.Strategy{Model: model}.Decide(ballots)
	fmt.Printf("%s %s, probably right: %.2f\n", d.Outcome, d.Choice, d.Confidence)
	fmt.Println(consensus.Voting{}.Decide(ballots).Leader(), "leads by votes")
	// Output:
	// reached yes, probably right: 0.76
	// no leads by votes
}

func ExampleModel_Next() {
	model := history().Model()
	rest := []string{"cyd", "dee", "ada"}
	fmt.Println(model.Next(ask(nil, nil), rest, nil))
	ballots := ask([]string{"ada", "bob"}, nil)
	fmt.Println(model.Enough(ballots, []string{"cyd", "dee", "eve"}, reliability.Stop{}))
	// Output:
	// ada
	// true
}

func ExampleModel_asReliabilities() {
	// Any strategy can use what the model knows about each voter.
	o := &consensus.Options{Reliabilities: history().Model()}
	ballots, err := consensus.NewBallots(o, []string{"yes", "no"}, []consensus.Vote{
		{Voter: "ada", ProposalID: "yes", Stance: consensus.Agree, Weight: 1},
		{Voter: "cyd", ProposalID: "no", Stance: consensus.Agree, Weight: 1},
		{Voter: "dee", ProposalID: "no", Stance: consensus.Agree, Weight: 1},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(consensus.Bayesian{}.Decide(ballots).Leader())
	// Output:
	// yes
}

func ExampleModel_Calibrated() {
	book, err := reliability.NewBook(&reliability.Options{Choices: []string{"yes", "no"}})
	if err != nil {
		panic(err)
	}
	// Ada is right whenever she states 0.9, and half of the time when she states 0.6. Bob is wrong in one of seven
	// decisions, whatever he states.
	for i := range 120 {
		right, wrong := []string{"yes", "no"}[i%2], []string{"no", "yes"}[i%2]
		ada := consensus.Vote{Voter: "ada", ProposalID: right, Stance: consensus.Agree, Weight: 0.9}
		bob := consensus.Vote{Voter: "bob", ProposalID: right, Stance: consensus.Agree, Weight: 0.6}
		if i%3 == 0 {
			ada.Weight, bob.Weight = 0.6, 0.9
		}
		if i%6 == 0 {
			ada.ProposalID = wrong
		}
		if i%7 == 0 {
			bob.ProposalID = wrong
		}
		ballots, err := consensus.NewBallots(nil, []string{"yes", "no"}, []consensus.Vote{ada, bob})
		if err != nil {
			panic(err)
		}
		tell(book, fmt.Sprint(i), ballots, right)
	}
	model := book.Model()
	for _, name := range []string{"ada", "bob"} {
		unsure, _ := model.Calibrated(name, 0.6, 2)
		sure, _ := model.Calibrated(name, 0.9, 2)
		fmt.Printf("%s: 0.6 means %.1f, 0.9 means %.1f\n", name, unsure, sure)
	}
	// Output:
	// ada: 0.6 means 0.6, 0.9 means 1.0
	// bob: 0.6 means 0.8, 0.9 means 0.9
}

func ExampleModel_Groups() {
	book, err := reliability.NewBook(&reliability.Options{Choices: []string{"yes", "no"}})
	if err != nil {
		panic(err)
	}
	// Three copies of one model are wrong together in every fourth decision; two others are sometimes wrong on their own.
	for i := range 252 {
		right, wrong := []string{"yes", "no"}[i%2], []string{"no", "yes"}[i%2]
		sides := map[string][]string{}
		for j, name := range []string{"m1", "m2", "m3", "ada", "bob"} {
			said := right
			if every := []int{4, 4, 4, 7, 9}[j]; i%every == 1 {
				said = wrong
			}
			sides[said] = append(sides[said], name)
		}
		tell(book, fmt.Sprint(i), ask(sides["yes"], sides["no"]), right)
	}
	groups := book.Learn().Groups(0.1)
	fmt.Println(groups)

	said := map[string]string{"m1": "no", "m2": "no", "m3": "no", "ada": "yes", "bob": "yes"}
	var votes []consensus.Vote
	for name, proposal := range said {
		votes = append(votes, consensus.Vote{Voter: name, ProposalID: proposal, Stance: consensus.Agree, Weight: 1})
	}
	ballots, err := consensus.NewBallots(&consensus.Options{Groups: groups}, []string{"yes", "no"}, votes)
	if err != nil {
		panic(err)
	}
	fmt.Println(consensus.Grouped{}.Decide(ballots).Leader())
	// Output:
	// map[m1:m1 m2:m1 m3:m1]
	// yes
}

func ExampleBook_MarshalJSON() {
	saved, err := json.Marshal(history())
	if err != nil {
		panic(err)
	}
	var restored reliability.Book
	if err := json.Unmarshal(saved, &restored); err != nil {
		panic(err)
	}
	fmt.Println(restored.Len(), restored.Model().Voters())
	// Output:
	// 40 [ada bob cyd dee eve]
}

func ExampleCertificate() {
	book, err := reliability.NewBook(nil)
	if err != nil {
		panic(err)
	}
	// Two camps of equal size always disagree.
	for i := range 30 {
		camps := [2][]string{
			{"ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"},
			{"ivy", "jim", "kim", "lou", "mia", "ned", "ola", "pat"},
		}
		if err := book.Observe("", ask(camps[i%2], camps[1-i%2])); err != nil {
			panic(err)
		}
	}
	fmt.Println(book.Model().Certificate().OK)
	// Output:
	// false
}
