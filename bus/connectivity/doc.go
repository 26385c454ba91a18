// Package connectivity is how the parts of a swarm tell each other what they
// need to coordinate: attention, confidence, conflict, handoff and escalation,
// as signals with a lifecycle on a bus.
//
//	layer, err := connectivity.New(b, nil)
//	layer.SetCoordinator("review", "lead")
//	layer.OnSignal(func(ctx context.Context, s connectivity.Signal, e connectivity.Event) { … })
//
//	tester, err := layer.Component("tester") // its handle: it speaks as itself
//	e, err := tester.Emit(ctx, connectivity.Input{Thread: "review", Class: connectivity.HandoffReady, Summary: "all green"})
//
//	layer.Converged("review")
//
// # The log
//
// A signal is a signal of the bus: its kind is its message class, its
// recipients are the bus's, and so agents hear what is addressed to them and
// the history, traces and observers of the bus see all. What becomes of it is
// in the log too ([Transition], [Step], [Requested], [Closed]), so the layer's
// state is a fold of the log and [Rebuild] restores it. The kinds are reserved:
// the bus refuses them from agents. Several layers may share a bus under
// different names, not one name.
//
// Every call decides at the end of the log, and is committed and folded in the
// same moment. What is not in the log suppresses, ends and resolves nothing: a
// call that has to wait until a reader has room is judged anew afterwards.
//
// # Ordering
//
// Order is by place in the log, never by time. Observers are called one event
// at a time, those of a thread in order, the hook before the observers. Emit and
// Resolve return after the commit, usually also after the observers; inside an
// observer, and while another caller is at it, events come after the return.
// Calls inside observers, hooks, resolvers and handlers of the bus neither
// recurse nor deadlock, and find what they were called for.
//
// # Ownership
//
// Values returned and shown are copies. Coordinators, components, resolvers,
// hook and observers are configuration: they are not in the log. The [Layer] is
// for whoever runs the swarm; a [Component] can do what is its to do.
//
// # Limits
//
// Emit, Get, Resolve and the default query cost the same whatever a thread
// holds; a step costs what expires. A query that combines conditions which many
// signals meet one by one and few together costs the shortest list among them.
// A signal takes about 400 bytes; ended ones are kept until CloseThread, at
// most 65536 of a thread ([Options].Retain). Threads are kept until they are
// closed, which frees what they held.
//
// # Rules
//
// docs/statements/connectivity.md has each rule, where it departs from the
// specification and why, and its test.
package connectivity
