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
// An agent may call what a [Rule] of its set matches, and nothing else. A rule allows,
// asks or denies. A rule that says nothing allows Go functions and those tools of a server
// that only read by their own hint; other tools of a server are asked. A server's hints
// are its own claims: deny or ask for what it must not do.
//
// A tool that changes its description, schemas or hints after an agent was first offered
// it is asked, whatever the rule allows. Until a person has allowed the new one for the
// solve the agent is offered the old text, so that no new text of a server reaches a
// prompt unseen.
//
// # Asking
//
// A call that has to be asked ends the turn with an [*AskError], which names the agent, the
// tool and the arguments; a swarm stops for it. With a [Recorder] the [Question] is on
// record. Once a person's [Answer] is on record too, and the solve is resumed, the turn is
// taken again: calls that have a result are not made again, and the asked call continues
// from the answer.
//
// # Recording
//
// A recorder keeps what a turn was offered, which calls began, and their results. So a run
// is replayed without the tools, and a run that was interrupted continues without
// repeating a call that has a result. A call that began and has no result is repeated if
// its hints allow that, and asked otherwise, because it may have been done. Package
// cassette has a recorder.
//
// # Bounds
//
// The calls of an answer run side by side, up to [Set.Parallel]. Each has a timeout, and
// arguments are checked against the schema before it. A result beyond [Set.Output] is cut,
// and says how much was. [Limit] adds a rate and a circuit breaker, shared by all who call
// a server. Schemas that would take long to check are refused.
//
// # Results
//
// [Outcome.Signal] is the tool:result signal of a call. Whatever a tool returns is data:
// prompts quote it, and nothing in it is executed or followed.
package tools
