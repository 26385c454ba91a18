package replay_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A solve is kept in a journal, its conflicts and decision are derived again from that alone, and the
// vote that somebody changed afterwards is found.
func Example() {
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
	// Output:
	// As it was kept:
	// 9 signals and 1 decision are as they derive
	// With one vote changed:
	// replay: signal 8 in solve-00000001-1: decision by swarm: the log says {"strategy":"confidence-weighted","outcome":"reached","choice":"backoff","leaders":["backoff"],"support":1,"none":0,"confidence":0.8957758571382778,"voters":2,"falls":["critic"],"worth":{"voters":2,"unknown":true}}, derived is {"strategy":"confidence-weighted","outcome":"pending","leaders":["backoff"],"support":0.5,"none":0.5,"confidence":0.5,"voters":2,"falls":["critic"],"worth":{"voters":2,"unknown":true}}
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
		panic(err)
	}
}
