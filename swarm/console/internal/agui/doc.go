// Package agui shows solves to frontends by AG-UI, the Agent-User Interaction protocol,
// version 1.0: a chat in a browser gives a team a task, and sees its agents talk, vote, ask
// and decide.
//
//	s := agui.Server{Backend: h.Backend(), Hub: hub, User: guard.User}
//	mux.Handle("POST /api/agui/", s.Handler())
//
// A fold makes the events, from frames of the console's feed and values of its API; it has
// no clock and does no input or output. The [Server] drives it.
//
// # Routes
//
// Both take a RunAgentInput, and answer with events as server-sent events.
//
//   - POST /api/agui/teams/{team}: gives the team the text of the newest user message as its
//     task, with the entries of the input's context. A client that leaves cancels the solve.
//   - POST /api/agui/solves/{id}: shows a solve from its beginning. A client that leaves
//     changes nothing.
//
// A question to a person, or a tool's call to allow, ends a run with the outcome interrupt.
// A run with resume entries, by either route, answers it and shows how the solve continues.
//
// # What is shown
//
// A round is a step, a statement of an agent or person is a message with their name, a
// tool's result is a tool call, and any other signal is a custom event "swarmbus/FORM".
// Messages have the whole api.Said as metadata "swarmbus". The state is changed
// by JSON Patch.
package agui
