// Package a2a offers teams as agents of A2A, the Agent2Agent protocol, version 0.3, over
// JSON-RPC: an agent of any framework gives a team a task, follows it, answers its questions
// and gets the decision with its dissent.
//
//	s, err := a2a.New(ctx, a2a.Options{Backend: h.Backend(), Version: version})
//	mux.Handle("/api/a2a/", s.Handler())
//
// The team t is the agent at /api/a2a/t, whose card is at
// /api/a2a/t/.well-known/agent-card.json, and at agent.json beside it for older clients.
// [Server.Card] has the card of the only team for everybody.
//
// # Tasks
//
// A task is a solve: its id is that of the solve, and what is said of it is made of the log
// whenever somebody asks (taskOf), so that tasks outlive the server. A message without a
// task starts a solve; one with a task that is input-required answers its question: a text,
// or a data part with the members answer, vote and stance, or verdict and reason for the call
// of a tool. A task is in the context that its message names, and its log has the ids of both: a
// message that is sent again begins no other task. A client that leaves does not end a task: tasks/cancel does.
//
// # Limits
//
// Messages have a maximum size, a team runs so many tasks at once, and a client that does not
// read a stream loses it. A client of another version of the protocol is refused, with the
// versions in the error. A request that is no call of JSON-RPC, and a call with parameters that the
// protocol does not allow, are refused before anything begins, with the code of the fault.
//
// Package agents/models/a2a is the other direction: an agent of A2A as a member of a team.
package a2a
