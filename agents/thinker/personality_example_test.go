package thinker_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

// One turn of two agents of opposite traits: what each hears first, how a model is asked on its
// behalf, and what it takes to convince it.
func Example_personality() {
	show("scout", agents.Personality{Curiosity: 0.9, Caution: 0.1, Conformity: 0.2, Verbosity: 0.1})
	show("judge", agents.Personality{Curiosity: 0.1, Caution: 0.9, Conformity: 0.8, Verbosity: 0.9})
	// Output:
	// scout hears the discovery first, the doubt waits
	//   asked by: Look for what others have not seen. Act on what is likely. Judge for yourself, whatever others say. Be brief. Your traits, from 0 to 1: curiosity 0.9, caution 0.1, conformity 0.2, verbosity 0.1.
	//   and: Your answer, in at most 38 words:
	//   of a proposal it is 0.5 sure; where all others are for it, 0.55, which convinces it: true
	// judge hears the doubt first, the discovery waits
	//   asked by: Stay with what is known. Ask for evidence before you agree. Give weight to what others agree on. Explain your reasons in full. Your traits, from 0 to 1: curiosity 0.1, caution 0.9, conformity 0.8, verbosity 0.9.
	//   and: Your answer, in at most 238 words:
	//   of a proposal it is 0.5 sure; where all others are for it, 0.70, which convinces it: false
}

// fresh is what is new. The agents take in one signal a turn.
var fresh = []agents.Fresh{
	{Signal: signals.New(signals.Header{Seq: 1, Source: "ann"}, signals.Discovery{Finding: "bursts of 429", Relevance: 0.6}), Record: 0.5},
	{Signal: signals.New(signals.Header{Seq: 2, Source: "bob"}, signals.Doubt{Concern: "it may be slow", Severity: signals.Medium}), Record: 0.5},
}

func show(id string, p agents.Personality) {
	var asked *models.Request
	model := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		asked = r
		return models.Text(`{"say":[{"type":"pass","reason":""}]}`), nil
	}}
	agent := thinker.Thinker{ID: id, Model: model, Personality: p}.Agent()
	agent.Attention = 1
	now, later := agent.Attend(fresh)
	turn := &agents.Turn{Round: 1, Task: signals.Task{Task: "Which retry policy?"}, New: []signals.Any{now[0].Signal}}
	if _, err := agent.Take(context.Background(), turn); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s hears the %s first, the %s waits\n", id, now[0].Signal.Kind(), later[0].Signal.Kind())
	fmt.Println("  asked by:", strings.Split(asked.System, "\n")[2])
	last := asked.Messages[len(asked.Messages)-1].Text
	fmt.Println("  and:", last[strings.LastIndex(last, "\n")+1:])
	fmt.Printf("  of a proposal it is 0.5 sure; where all others are for it, %.2f, which convinces it: %v\n", p.Sway(0.5, 1), p.Convinced(p.Sway(0.5, 1)))
}
