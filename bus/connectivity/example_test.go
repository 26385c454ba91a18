package connectivity_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// show is an observer that prints events.
func show(_ context.Context, s coordination.Signal, e connectivity.Event) {
	fmt.Printf("%s by %s for %v: %s\n", s.Class, s.Source, s.Recipients, e)
}

func Example() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	_ = layer.SetCoordinator("review", "lead")
	tester, _ := layer.Component("tester")

	low, _ := tester.Emit(ctx, connectivity.Input{
		Thread: "review", Class: coordination.ConfidenceLow, Confidence: coordination.Graded(0.3), Summary: "two tests are flaky",
	})
	for _, o := range layer.Converged("review").Obstacles {
		fmt.Println(o)
	}
	_, _ = tester.Emit(ctx, connectivity.Input{
		Thread: "review", Class: coordination.ConfidenceHigh, Confidence: coordination.Graded(0.9), Summary: "they pass 50 times in a row",
		Replaces: low.Signal.ID,
	})
	fmt.Println(layer.Converged("review"))
	// Output:
	// tester is at confidence.low: two tests are flaky
	// converged: 1 source is sure enough
}

// A critical signal stays on the coordinator's list until it is answered.
func ExampleComponent_Resolve() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	_ = layer.SetCoordinator("deploy", "lead")
	guard, _ := layer.Component("guard")
	lead, _ := layer.Component("lead")

	alarm, _ := guard.Emit(ctx, connectivity.Input{
		Thread: "deploy", Class: coordination.EscalationInterrupt, Priority: coordination.Critical, Summary: "the key is in the diff",
	})
	_, err := guard.Resolve(ctx, alarm.Signal.ID)
	fmt.Println("guard:", errors.Is(err, connectivity.ErrNotAllowed))
	for _, s := range layer.Unacknowledged("deploy") {
		_, err := lead.Resolve(ctx, s.ID)
		fmt.Println("lead:", s.Summary, err)
	}
	fmt.Println(len(layer.Unacknowledged("deploy")), "left")
	// Output:
	// guard: true
	// lead: the key is in the diff <nil>
	// 0 left
}

// A specialist raises attention; the coordinator looks at it before it
// continues.
func Example_attention() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	layer.SetResolver("", func(context.Context, coordination.Signal) ([]string, error) { return []string{"planner"}, nil })
	layer.OnSignal(show)
	layer.OnSignal(func(_ context.Context, s coordination.Signal, _ connectivity.Event) {
		fmt.Println("coordination reads:", s.Details)
	})

	_, _ = layer.Emit(ctx, connectivity.Input{
		Thread: "t", Source: "memory", Class: coordination.AttentionRaise, Audience: coordination.Selected,
		Priority: coordination.Normal, Summary: "this was tried before", Details: "run 17 failed on it",
	})
	// Output:
	// attention.raise by memory for [planner]: emitted
	// coordination reads: run 17 failed on it
}

// Two specialists disagree; a third arbitrates and the conflicts are resolved.
func Example_conflict() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	_ = layer.SetCoordinator("t", "lead")
	layer.OnSignal(show)
	says := func(source string, c coordination.Class, grade float64, summary string) {
		_, _ = layer.Emit(ctx, connectivity.Input{
			Thread: "t", Source: source, Class: c, Audience: coordination.Coordinator, Priority: coordination.High,
			Confidence: coordination.Graded(grade), Summary: summary,
		})
	}
	says("a", coordination.ConflictActive, 0.2, "retries make it worse")
	says("b", coordination.ConflictActive, 0.3, "retries are needed")
	open, _ := layer.Query("t", coordination.Query{
		Messages: []coordination.Message{coordination.AboutConflict}, Order: coordination.Oldest,
	})
	fmt.Println(len(open), "open conflicts")
	says("arbiter", coordination.ConflictResolved, 0.9, "retry with a budget")
	for _, s := range open {
		_, _ = layer.Resolve(ctx, s.ID)
	}
	fmt.Println(layer.Converged("t"))
	// Output:
	// conflict.active by a for [lead]: emitted
	// conflict.active by b for [lead]: emitted
	// 2 open conflicts
	// conflict.resolved by arbiter for [lead]: emitted
	// conflict.active by a for [lead]: resolved
	// conflict.active by b for [lead]: resolved
	// unknown: no one has stated a confidence
}

// One specialist hands its output to another, which reads it from the bus.
func Example_handoff() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	layer.SetResolver("t", func(context.Context, coordination.Signal) ([]string, error) { return []string{"writer"}, nil })
	inbox, _ := layer.Inbox("writer")
	defer inbox.Close()

	e, _ := layer.Emit(ctx, connectivity.Input{
		Thread: "t", Source: "researcher", Class: coordination.HandoffReady, Audience: coordination.Selected,
		Priority: coordination.Normal, Summary: "twelve sources, ranked",
	})
	fmt.Println(e.Signal.State)
	work, _ := inbox.Next(ctx)
	fmt.Println(work.State, "by", work.Source+":", work.Summary)
	done, _ := layer.Resolve(ctx, work.ID)
	fmt.Println(done.State)
	// Output:
	// emitted
	// active by researcher: twelve sources, ranked
	// resolved
}

// A specialist is too uncertain; the hook asks for a stronger mode at once.
func Example_escalation() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, &connectivity.Options{
		Hook: func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
			fmt.Println("hook:", s.Summary)
			return signals.Deep, nil
		},
	})
	_ = layer.SetCoordinator("t", "lead")
	layer.OnSignal(show)
	_, _ = layer.Emit(ctx, connectivity.Input{
		Thread: "t", Source: "solver", Class: coordination.EscalationUncertainty, Audience: coordination.Coordinator,
		Priority: coordination.High, Summary: "three readings of the task",
	})
	fmt.Println("mode:", layer.Mode("t"))
	// Output:
	// hook: three readings of the task
	// escalation.uncertainty by solver for [lead]: emitted
	// mode: deep
}

// Signals of the layer are signals of the bus: handlers, subscriptions and the
// history see them like all others.
func ExampleLayer_history() {
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	_, _ = bus.Handle(b, bus.HandleOptions{Agent: "tester"}, func(_ context.Context, s signals.Signal[coordination.Attention]) error {
		fmt.Println("tester hears:", s.Payload.Summary)
		return nil
	})
	_, _ = layer.Emit(ctx, connectivity.Input{
		Thread: "t", Source: "tester", Class: coordination.AttentionRaise, Audience: coordination.Self,
		Priority: coordination.Low, Summary: "rerun the slow tests",
	})
	for s := range b.History(bus.Filter{}) {
		if n := coordination.NoteOf(s); n != nil {
			fmt.Println(s.Kind(), n.Class, n.Priority)
		}
	}
	// Output:
	// tester hears: rerun the slow tests
	// attention attention.raise low
}
