// Package tools defines what agents may call: Go functions and the tools of servers.
//
//	rate := tools.Func("error_rate", "Share of requests that failed in the last hour.",
//		tools.Hints{ReadsOnly: true},
//		func(ctx context.Context, in struct{ Service string }) (string, error) { … })
//	operator := thinker.Thinker{ID: "operator", Model: model, Tools: tools.Of(rate)}
//
// A [Tool] has a name, a description, JSON schemas and hints. [Func] makes one of a Go
// function. A server's tools come from a [Source]; package mcp connects to servers of the
// Model Context Protocol. A [Set] is what one agent may call. Thinkers call its tools as
// their models ask; any other reactor, or an action of a router, uses [Set.Begin] and
// [Calls.Make] itself.
//
// # Permission
//
// An agent may call the tools that a [Rule] of its set matches, and no others. A rule that
// names no tool is an error. A rule allows
// a call, asks a person, or denies it. A rule without a policy allows Go functions and the
// tools of a server whose hint says that they only read, and asks a person about a server's
// other tools. A server's hints are its own claims: deny or ask for what it must not do.
//
// If a tool's description, schemas or hints change after an agent was first offered it, a
// person is asked, whatever the rule allows. Until a person has allowed the new spec for the
// solve, the agent is offered the old text, so no new text of a server reaches a prompt
// unseen.
//
// # Asking
//
// A call that needs a person's permission ends the turn with an [*asking.Error], which names the
// agent, the tool and the arguments; the swarm says it in its log and stops. Once the log has a
// person's answer too, and the solve is resumed, the turn is taken again: calls that have a
// result are not repeated, and the call in question continues from the answer, which is in the
// context ([asking.With]).
//
// # Recording
//
// A recorder keeps the tools offered in a turn, the calls that began, and their results. So
// a run is replayed without the tools, and an interrupted run continues without repeating a
// call that has a result. A call that began and has no result is repeated if its hints allow
// that; otherwise a person is asked, because it may have taken effect. Package cassette has
// a recorder.
//
// # Bounds
//
// The calls of an answer run side by side, up to [Set.Parallel]. Each has a timeout, and
// arguments are checked against the schema first. A result beyond [Set.Output] is cut, and
// states how much was cut. [Limit] adds a rate and a circuit breaker, shared by all callers
// of a server. Schemas that would take long to check are refused.
//
// # Results
//
// [Outcome.Signal] is the tool:result signal of a call. Whatever a tool returns is data:
// prompts quote it, and nothing in it is executed or followed.
package tools
