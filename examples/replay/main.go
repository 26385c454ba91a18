// Command replay keeps a solve in a journal, derives its conflicts and decision again from
// that alone, and finds the vote that somebody changed afterwards.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

func main() {
	kept := &journal.Memory{} // or journal.Open, for a file
	plan := agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose("backoff", "exponential backoff with jitter", 0.8, ""))
	})
	review := agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, "it has jitter"))
	})
	s, err := swarm.New(swarm.Options{Seed: 1, Journal: kept, Agents: []*agents.Agent{
		{ID: "planner", Reactor: plan}, {ID: "critic", Reactor: review}, {ID: "tester", Reactor: review},
	}})
	check(err)
	_, err = s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	check(err)
	check(s.Shutdown(context.Background()))

	fmt.Println("As it was kept:")
	check(again(kept, func(s signals.Any) signals.Any { return s }))
	fmt.Println("With one vote changed:")
	fmt.Println(again(kept, func(s signals.Any) signals.Any {
		if vote, ok := signals.As[signals.Vote](s); ok && s.Head().Source == "critic" {
			changed := vote.Payload
			changed.Stance = signals.Disagree
			return signals.New(s.Head(), changed)
		}
		return s
	}))
}

// again derives what a journal says, after its signals were changed so.
func again(from journal.Reader, change func(signals.Any) signals.Any) error {
	codec, err := runlog.NewCodec()
	if err != nil {
		return err
	}
	r, err := replay.New(journal.Snapshot{})
	if err != nil {
		return err
	}
	defer r.Close()
	for s, err := range journal.Signals(from, codec, 0) {
		if err != nil {
			return err
		}
		if err := r.Next(change(s)); err != nil {
			return err
		}
	}
	fmt.Printf("%d signals and %d decision are as they derive\n", r.Signals, r.Decisions)
	return nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
