// Package connectivity lets the parts of a swarm coordinate: they emit
// attention, confidence, conflict, handoff and escalation as signals with a
// lifecycle on a bus.
//
//	layer, err := connectivity.New(b, nil)
//	layer.SetCoordinator("review", "lead")
//	layer.OnSignal(func(ctx context.Context, s coordination.Signal, e connectivity.Event) { … })
//
//	tester, err := layer.Component("tester") // the handle with which it emits
//	e, err := tester.Emit(ctx, connectivity.Input{Thread: "review", Class: coordination.HandoffReady, Summary: "all green"})
//
//	layer.Converged("review")
//
// # The log
//
// A signal of the layer is a signal of the bus: its kind is its message class
// and its recipients are those of the bus, so agents receive the signals addressed
// to them, and the history, traces and observers of the bus see all signals. Its
// later states are in the log too ([coordination.Transition] and the entries of
// package lifecycle), so the layer's state is a fold of the log: [Rebuild] restores it, and
// a [coordination.Thread] is the same fold for a reader of the log of one thread. The kinds
// are reserved: the bus refuses them from agents. Several layers may share a bus if their
// names differ. Processes that share a log ([bus.Options].Sequencer) have one state if each makes
// its layer by Rebuild, which follows the log.
//
// Every call decides on the state at the end of the log, and is committed and
// folded atomically. A signal that is not in the log suppresses, ends and
// resolves nothing: a call that asked a resolver decides anew afterwards. If its
// context ends before a sequencer says whether its signals are in the log, they may
// enter it later, and are folded then; the hook is not called for them. The next call
// sends them again before it decides, so the same emission, tried again, is a repetition.
//
// # Ordering
//
// Order is by position in the log, never by time. Observers are called for one
// event at a time, for the events of a thread in order, and after the hook. Emit
// and Resolve return after the commit, and usually after the observers have been
// called; inside an observer, or while another goroutine is calling observers,
// events are delivered after the return. Calls inside observers, hooks,
// resolvers and handlers of the bus neither recurse nor deadlock, and see the
// signal that they were called for.
//
// # Agents
//
// The vocabulary is that of package coordination. An agent that yields it in its turn
// yields drafts ([coordination.Draft], [coordination.Resolution]), which the driver of the
// swarm emits in the agent's name in the order of commits ([Component.EmitDraft]). So
// suppression and recipients are decided at the end of the log, and a run with the same
// clock and mint makes the same log.
//
// # Ownership
//
// Values that are returned or passed to callbacks are copies. Resolvers, hook and
// observers are configuration: they are not in the log. The [Layer] is for the operator of the swarm and has all rights; a
// [Component] has only its own.
//
// # Limits
//
// The cost of Emit, Get, Resolve and of a query for the newest live signals of a thread
// or a source does not depend on the size of the thread; that of a step is linear in the
// signals that expire. A query with other conditions passes over the signals that do not
// meet them. A signal takes about 700 bytes;
// ended signals are kept until CloseThread, at most 65536 per thread
// ([Options].Retain). Threads are kept until they are closed, which frees their
// memory.
//
// # Rules
//
// docs/statements/connectivity.md has each rule, where it departs from the
// specification and why, and its test.
package connectivity
