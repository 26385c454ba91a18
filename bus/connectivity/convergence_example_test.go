package connectivity_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

const thread = "why is checkout slow"

// Three specialists and a coordinator come to an answer by signalling: low confidence, a conflict,
// a handoff and an escalation on the way. Nothing in it thinks; the signals are the point.
func Example_convergence() {
	b, err := bus.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	s := &story{ctx: context.Background()}
	if s.layer, err = connectivity.New(b, &connectivity.Options{Hook: s.escalate}); err != nil {
		fmt.Println(err)
		return
	}
	s.layer.OnSignal(s.tell)
	if err := s.layer.SetCoordinator(thread, "coordinator"); err != nil {
		fmt.Println(err)
		return
	}
	// What is ready to hand on goes to the writer.
	s.layer.SetResolver(thread, func(context.Context, coordination.Signal) ([]string, error) {
		return []string{"writer"}, nil
	})

	s.step("Two specialists grade what they have")
	low := s.says("profiler", connectivity.Input{
		Class: coordination.ConfidenceLow, Confidence: coordination.Graded(0.3), Summary: "looks like the database, few samples",
	})
	s.says("reader", connectivity.Input{
		Class: coordination.ConfidenceMedium, Confidence: coordination.Graded(0.7), Summary: "the code retries without a limit",
	})

	s.step("They disagree")
	clash := s.says("reader", connectivity.Input{
		Class: coordination.ConflictActive, Confidence: coordination.Graded(0.2), Summary: "not the database: retries multiply its load",
	})

	s.step("The profiler is too uncertain to go on")
	alarm := s.says("profiler", connectivity.Input{
		Class: coordination.EscalationUncertainty, Summary: "cannot tell cause from effect at this depth",
	})

	s.step("In deep mode it measures again; the coordinator settles the rest")
	s.resolves("coordinator", alarm)
	s.says("profiler", connectivity.Input{
		Class: coordination.ConfidenceHigh, Confidence: coordination.Graded(0.9), Summary: "without retries the database is idle",
		Replaces: low.ID,
	})
	s.says("coordinator", connectivity.Input{
		Class: coordination.ConflictResolved, Confidence: coordination.Graded(0.9), Summary: "the retries it is",
	})
	s.resolves("coordinator", clash)

	s.step("The writer takes over")
	ready := s.says("reader", connectivity.Input{Class: coordination.HandoffReady, Summary: "cause and two measurements"})
	s.says("writer", connectivity.Input{
		Class: coordination.ConfidenceHigh, Confidence: coordination.Graded(0.95), Summary: "limit retries to 10 % of requests",
	})
	s.resolves("writer", ready)
	s.judge()
	if s.err != nil {
		fmt.Println(s.err)
	}
	// Output:
	// 1. Two specialists grade what they have
	//    profiler     confidence.low to coordinator: looks like the database, few samples
	//    reader       confidence.medium to coordinator: the code retries without a limit
	//    in the way: profiler is at confidence.low: looks like the database, few samples
	//
	// 2. They disagree
	//    reader       conflict.active to coordinator: not the database: retries multiply its load
	//    in the way: profiler is at confidence.low: looks like the database, few samples
	//    in the way: conflict.active by reader is open: not the database: retries multiply its load
	//
	// 3. The profiler is too uncertain to go on
	//    hook         asks for deep mode
	//    profiler     escalation.uncertainty to coordinator: cannot tell cause from effect at this depth
	//    in the way: profiler is at confidence.low: looks like the database, few samples
	//    in the way: conflict.active by reader is open: not the database: retries multiply its load
	//    in the way: escalation.uncertainty by profiler is open: cannot tell cause from effect at this depth
	//
	// 4. In deep mode it measures again; the coordinator settles the rest
	//    (profiler)   resolved: cannot tell cause from effect at this depth
	//    (profiler)   superseded: looks like the database, few samples
	//    profiler     confidence.high to coordinator: without retries the database is idle
	//    coordinator  conflict.resolved to coordinator: the retries it is
	//    (reader)     resolved: not the database: retries multiply its load
	//    converged: 2 sources are sure enough
	//
	// 5. The writer takes over
	//    reader       handoff.ready to writer: cause and two measurements
	//    writer       confidence.high to coordinator: limit retries to 10 % of requests
	//    (reader)     resolved: cause and two measurements
	//    converged: 3 sources are sure enough
}

// A story is a layer that tells what happens, and the first error.
type story struct {
	ctx   context.Context
	layer *connectivity.Layer
	steps int
	err   error
}

func (s *story) step(title string) {
	if s.steps > 0 {
		s.judge()
		_, err := s.layer.AdvanceStep(s.ctx, thread)
		s.note(err)
	}
	s.steps++
	fmt.Printf("\n%d. %s\n", s.steps, title)
}

func (s *story) judge() {
	c := s.layer.Converged(thread)
	for _, o := range c.Obstacles {
		fmt.Printf("   in the way: %s\n", o)
	}
	if c.Converged {
		fmt.Printf("   %s\n", c)
	}
}

// says lets a component say something, and returns the signal.
func (s *story) says(source string, in connectivity.Input) coordination.Signal {
	c, err := s.layer.Component(source)
	s.note(err)
	in.Thread = thread
	e, err := c.Emit(s.ctx, in)
	s.note(err)
	return e.Signal
}

func (s *story) resolves(id string, sig coordination.Signal) {
	c, err := s.layer.Component(id)
	s.note(err)
	_, err = c.Resolve(s.ctx, sig.ID)
	s.note(err)
}

func (s *story) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// escalate is the hook: it is called before anybody else hears of an alarm.
func (s *story) escalate(_ context.Context, sig coordination.Signal) (signals.Effort, error) {
	fmt.Printf("   hook         asks for deep mode\n")
	return signals.Deep, nil
}

// tell is an observer: it hears of everything, in order.
func (s *story) tell(_ context.Context, sig coordination.Signal, e connectivity.Event) {
	if e == connectivity.WasEmitted {
		fmt.Printf("   %-12s %s to %s: %s\n", sig.Source, sig.Class, strings.Join(sig.Recipients, ", "), sig.Summary)
		return
	}
	fmt.Printf("   %-12s %s: %s\n", "("+sig.Source+")", e, sig.Summary)
}
