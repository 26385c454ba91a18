// Modes asks five scripted agents one question in three modes: for votes, for what they
// know first, and for answers that judges check.
//
//	go run ./examples/modes
package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
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
		return agents.Emit(judge(turn))
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

// judge accepts the answer whose argument is a proof.
func judge(turn *agents.Turn) signals.Any {
	for _, p := range turn.Proposals {
		if strings.HasPrefix(p.Proposal.Payload.Reasoning, "proof") {
			return agents.Agree(p.ID(), 0.9, "it was measured")
		}
	}
	return agents.Pass("nothing is proved")
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	for _, m := range []mode.Mode{mode.Vote, mode.FactsFirst, mode.Check} {
		if err := solve(ctx, w, m); err != nil {
			return err
		}
	}
	return nil
}

func solve(ctx context.Context, w io.Writer, m mode.Mode) error {
	var team []*agents.Agent
	for _, w := range witnesses {
		team = append(team, &agents.Agent{ID: w.name, Reactor: agents.Func(w.take)})
	}
	s, err := swarm.New(swarm.Options{Agents: team, Mode: m, Seed: 1})
	if err != nil {
		return err
	}
	r, err := s.Solve(ctx, signals.Task{Task: "What makes the site slow?"})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-11v  %s after %d calls: %s\n", m, r.Answer, r.Calls, r.Decision.Note)
	return s.Shutdown(ctx)
}
