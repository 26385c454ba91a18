package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A witness knows one thing, and has an answer from that alone.
type witness struct{ name, saw, guess, why string }

var witnesses = []witness{
	{"web", "requests wait for the cache", "cache", "requests wait for it"},
	{"cache", "the cache waits for the database", "cache", "it is slow"},
	{"database", "commits wait for the disk", "disk", "proof: fsync takes 900 ms"},
	{"network", "no packet is lost", "cache", "it is not the network"},
	{"disk", "a battery of the controller is dead", "disk", "writes are not buffered"},
}

// take is the turn of a witness: turn.Ask says what it is asked for.
func (w witness) take(_ context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
	switch turn.Ask {
	case agents.AskFacts: // no answer yet
		return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Discovery{Finding: w.saw, Relevance: 1}))
	case agents.AskAnswer: // nobody is shown an answer of another; in facts-first, all facts
		return agents.Emit(w.answer(turn))
	case agents.AskVerdict: // one argument for each answer is shown
		return agents.Emit(proves(turn))
	}
	return agents.Emit(agents.Pass("it does not deliberate"))
}

// answer is that of a witness who has read of the disk, or else its guess. It replies to the
// fact that it follows from, so that it falls if that is taken back.
func (w witness) answer(turn *agents.Turn) signals.Any {
	p := signals.Proposal{ProposalID: turn.NewID().String(), Content: "the " + w.guess, Reasoning: w.why}
	h := signals.Header{Confidence: 0.8}
	for _, s := range turn.New {
		if found, ok := signals.As[signals.Discovery](s); ok && strings.Contains(found.Payload.Finding, "disk") {
			p.Content, p.Reasoning, h.ReplyTo = "the disk", "all others wait for it", found.ID
		}
	}
	return signals.New(h, p)
}

// proves accepts the answer whose argument is a proof.
func proves(turn *agents.Turn) signals.Any {
	for _, p := range turn.Proposals {
		if strings.HasPrefix(p.Proposal.Payload.Reasoning, "proof") {
			return agents.Agree(p.ID(), 0.9, "it was measured")
		}
	}
	return agents.Pass("nothing is proved")
}

// Five agents decide three times: by votes, after what they know was stated first, and by answers that
// judges check.
func Example_modes() {
	for _, m := range []mode.Mode{mode.Vote, mode.FactsFirst, mode.Check} {
		var team []*agents.Agent
		for _, w := range witnesses {
			team = append(team, &agents.Agent{ID: w.name, Reactor: agents.Func(w.take)})
		}
		s, err := swarm.New(swarm.Options{Agents: team, Mode: m, Seed: 1})
		if err != nil {
			log.Fatal(err)
		}
		defer s.Close()
		r, err := s.Solve(context.Background(), signals.Task{Task: "What makes the site slow?"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-11v  %s after %d calls: %s\n", m, r.Answer, r.Calls, r.Decision.Note)
	}
	// Output:
	// vote         the cache after 15 calls: vote: 15 calls, at the price of 15 of 15; 9 of 15 answers
	// facts-first  the disk after 8 calls: facts-first: 8 calls, at the price of 11 of 15; 3 of 3 answers; its readers have answered
	// check        the disk after 10 calls: check: 10 calls, at the price of 12.5 of 15; 5 of 5 answers; all of its supporters have judged
}
