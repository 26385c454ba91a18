// Command bus publishes typed signals for two readers, who see them in one order, and
// shows what is refused and what becomes of every signal.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func main() {
	ctx := context.Background()
	b, err := bus.New(nil)
	check(err)
	defer b.Close()

	ann, err := b.Agent("ann", bus.Permissions{})
	check(err)
	bob, err := b.Agent("bob", bus.Permissions{CanEmit: []signals.Kind{signals.KindVote}})
	check(err)
	all, err := b.Subscribe(bus.SubscribeOptions{})
	check(err)
	votes, err := b.Subscribe(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
	check(err)

	proposal, err := ann.Publish(ctx, signals.New(
		signals.Header{Thread: "retries", Confidence: 0.8}, signals.Proposal{ProposalID: "jitter", Content: "back off with jitter"},
	))
	check(err)
	vote := signals.Vote{ProposalID: "jitter", Stance: signals.Agree, Weight: 0.9, Reasoning: "it spreads load"}
	_, err = bob.Publish(ctx, signals.New(signals.Header{Thread: "retries", ReplyTo: proposal.ID, Confidence: 0.9}, vote))
	check(err)

	// Neither of these changes anything.
	_, err = bob.Publish(ctx, signals.New(signals.Header{Thread: "retries"}, signals.Discovery{Finding: "bursts"}))
	fmt.Println("refused:", err)
	_, err = ann.Publish(ctx, signals.New(signals.Header{Thread: "retries", Source: "bob", Confidence: 1}, vote))
	fmt.Println("refused:", err)

	for _, reader := range []*bus.Subscription{all, votes} {
		for {
			s, err := reader.Poll()
			check(err)
			if s == nil {
				break
			}
			fmt.Printf("%d %s: %s\n", s.Head().Seq, s.Head().Source, s.Kind())
		}
		k := reader.Account()
		fmt.Printf("%d intended = %d delivered + %d filtered + %d pending + %d dead\n", k.Intended, k.Delivered, k.Filtered, k.Pending, k.Dead())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
