package bus_test

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func Example() {
	ctx := context.Background()
	b, _ := bus.New(nil)
	defer b.Close()
	ann, _ := b.Agent("ann", bus.Permissions{CanEmit: []signals.Kind{signals.KindDiscovery}})
	inbox, _ := b.Subscribe(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindDiscovery}})

	_, err := ann.Publish(ctx, signals.New(
		signals.Header{Thread: "retries", Confidence: 0.9},
		signals.Discovery{Finding: "retries have no jitter", Relevance: 1},
	))
	fmt.Println("published:", err)
	_, err = ann.Publish(ctx, signals.New(signals.Header{}, signals.Vote{ProposalID: "p", Stance: signals.Agree}))
	fmt.Println(err)

	s, _ := inbox.Next(ctx)
	if d, ok := signals.As[signals.Discovery](s); ok {
		fmt.Printf("%d %s: %s\n", d.Seq, d.Source, d.Payload.Finding)
	}
	// Output:
	// published: <nil>
	// bus: agent "ann" may not publish "vote" in thread "": not in CanEmit
	// 1 ann: retries have no jitter
}

func ExampleHandle() {
	ctx := context.Background()
	b, _ := bus.New(nil)
	defer b.Close()
	ann, _ := b.Agent("ann", bus.Permissions{})
	bob, _ := b.Agent("bob", bus.Permissions{})
	// Bob agrees with whatever is proposed.
	_, _ = bus.Handle(b, bus.HandleOptions{Agent: "bob"}, func(ctx context.Context, s signals.Signal[signals.Proposal]) error {
		_, err := bob.Publish(ctx, signals.New(
			signals.Header{Thread: s.Thread, ReplyTo: s.ID, Confidence: 1},
			signals.Vote{ProposalID: s.Payload.ProposalID, Stance: signals.Agree, Weight: 1},
		))
		return err
	})
	_, _ = ann.Publish(ctx, signals.New(signals.Header{Thread: "t", Confidence: 1}, signals.Proposal{ProposalID: "p", Content: "back off"}))
	for s := range b.History(bus.Filter{}) {
		fmt.Println(s.Head().Seq, s.Head().Source, s.Kind())
	}
	// Output:
	// 1 ann proposal
	// 2 bob vote
}

func ExampleBus_History() {
	ctx := context.Background()
	b, _ := bus.New(nil)
	defer b.Close()
	ann, _ := b.Agent("ann", bus.Permissions{})
	for _, c := range []float64{0.3, 0.6, 0.9} {
		_, _ = ann.Publish(ctx, signals.New(
			signals.Header{Confidence: c},
			signals.Discovery{Finding: fmt.Sprintf("found with %v", c)},
		))
	}
	for s := range b.History(bus.Filter{Kinds: []signals.Kind{signals.KindDiscovery}, MinConfidence: 0.6}) {
		fmt.Println(s.Body().(signals.Discovery).Finding)
	}
	// Output:
	// found with 0.6
	// found with 0.9
}

func ExampleBus_Resolve() {
	ctx := context.Background()
	b, _ := bus.New(nil)
	defer b.Close()
	ann, _ := b.Agent("ann", bus.Permissions{})
	bob, _ := b.Agent("bob", bus.Permissions{})
	proposal := func(p *bus.Publisher, id, content string) {
		_, _ = p.Publish(ctx, signals.New(signals.Header{Thread: "t", Confidence: 1}, signals.Proposal{ProposalID: id, Content: content}))
	}
	proposal(ann, "p", "back off")
	proposal(bob, "q", "give up")
	for c := range b.Conflicts("t") {
		fmt.Println(c.A.Source, "against", c.B.Source)
		_, _ = b.Resolve(ctx, "t", c.A.Signal, c.B.Signal, "ann's covers both")
	}
	fmt.Println(b.Stats().Conflicts.Open, "open")
	// Output:
	// ann against bob
	// 0 open
}
