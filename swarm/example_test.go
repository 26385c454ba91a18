package swarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A planner proposes, three reviewers vote, and the swarm decides.
func ExampleSwarm_Solve() {
	planner := &agents.Agent{
		ID:      "planner",
		Listens: []signals.Kind{signals.KindTask},
		CanEmit: []signals.Kind{signals.KindProposal},
		Reactor: agents.On(func(_ context.Context, task *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
			return agents.Emit(signals.New(
				signals.Header{Confidence: 0.8},
				signals.Proposal{ProposalID: "backoff", Content: "exponential backoff with jitter", Reasoning: "it spreads load"},
			))
		}),
	}
	reviewer := func(id string, stance signals.Stance, reason string) *agents.Agent {
		return &agents.Agent{
			ID:      id,
			Listens: []signals.Kind{signals.KindProposal},
			CanEmit: []signals.Kind{signals.KindVote},
			Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
				return agents.Emit(signals.New(
					signals.Header{Confidence: 0.9},
					signals.Vote{ProposalID: p.Payload.ProposalID, Stance: stance, Weight: 0.9, Reasoning: reason},
				))
			}),
		}
	}
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		planner,
		reviewer("ada", signals.Agree, "has jitter"),
		reviewer("dan", signals.Disagree, "no upper bound"),
		reviewer("bob", signals.Agree, "seen it work"),
		reviewer("cyn", signals.Agree, "simple"),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Stop, "after", result.Rounds, "rounds:", result.Answer)
	for _, v := range result.Decision.Dissent() {
		fmt.Println("dissent:", v.Voter, v.Reasoning)
	}
	// Output:
	// consensus after 2 rounds: exponential backoff with jitter
	// dissent: dan no upper bound
}

// A swarm starts with the ledger that another one has filled.
func ExampleSwarm_RecordOutcome() {
	reviewer := func(id string) *agents.Agent {
		return &agents.Agent{ID: id, Reactor: agents.On(func(_ context.Context, task *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
			return agents.Emit(
				signals.New(signals.Header{}, signals.Proposal{ProposalID: id, Content: "what " + id + " says"}),
				signals.New(signals.Header{}, signals.Vote{ProposalID: id, Stance: signals.Agree, Weight: 1}),
			)
		})}
	}
	team := []*agents.Agent{reviewer("ada"), reviewer("bob"), reviewer("cyn")}
	first, err := swarm.New(swarm.Options{Agents: team})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer first.Close()
	for range 3 {
		result, err := first.Solve(context.Background(), signals.Task{Task: "Who is right?"})
		if err == nil {
			err = first.RecordOutcome(result, "ada") // as it turned out
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	saved, err := json.Marshal(first.Ledger())
	if err != nil {
		fmt.Println(err)
		return
	}

	known := new(reliability.Ledger)
	if err := json.Unmarshal(saved, known); err != nil {
		fmt.Println(err)
		return
	}
	second, err := swarm.New(swarm.Options{Agents: team, Ledger: known})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer second.Close()
	before := known.Len()
	if _, err := second.Solve(context.Background(), signals.Task{Task: "Who is right?"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("decisions known before:", before, "after:", second.Ledger().Len())
	// Output:
	// decisions known before: 3 after: 4
}

// A solve asks a person, whose vote decides. The journal is where another process
// finds it.
func ExampleSwarm_Resume() {
	store := new(journal.Memory) // or journal.Open("run.journal", nil)
	proposes := func(id, content string) *agents.Agent {
		return &agents.Agent{
			ID: id, Listens: []signals.Kind{signals.KindTask},
			Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
				return agents.Emit(signals.New(signals.Header{Confidence: 0.8}, signals.Proposal{ProposalID: content, Content: content}))
			}),
		}
	}
	options := swarm.Options{
		Agents:  []*agents.Agent{proposes("ada", "ship"), proposes("bob", "wait")},
		Quorum:  1, // somebody has to vote
		Journal: store, Conflicts: settle.ByEscalation,
	}
	first, err := swarm.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	asked, err := first.Solve(context.Background(), signals.Task{Task: "Ship it on Friday?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(asked.Stop, asked.Question.Options)
	first.Close()

	second, err := swarm.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer second.Close()
	past, err := second.Results()
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := signals.New(
		signals.Header{Source: "eve", Confidence: 1},
		signals.Vote{ProposalID: "wait", Stance: signals.Agree, Weight: 1, Reasoning: "nobody is there on Saturday"},
	)
	result, err := second.Resume(context.Background(), past[0].Log, answer)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Stop, result.Answer)

	_, err = second.Resume(context.Background(), past[0].Log, answer)
	var refused *runlog.AnsweredError
	fmt.Println(errors.As(err, &refused), refused.By)
	// Output:
	// escalated [ship wait]
	// consensus wait
	// true eve
}
