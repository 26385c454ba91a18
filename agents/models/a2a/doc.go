// Package a2a makes a model of an agent of A2A, the Agent2Agent protocol: an agent of any
// framework is a member of a team, with the prompts, time limits, retries and budgets of
// models, and what it says is data.
//
//	m, err := a2a.New(a2a.Options{Name: "legal", URL: "https://agents.example.org/legal", Key: key})
//	member := thinker.New(thinker.Options{ID: "legal", Model: limits.New(limits.Options{}).Limit(m), …})
//
// A team file names one as a model with the provider a2a.
//
// # Versions
//
// The agent's card, at URL/.well-known/agent-card.json, says what it speaks: the model takes
// A2A 1.0 or 0.3 over JSON-RPC, and refuses anything else with the versions in the error. It
// is read again after a failure.
//
// # Limits
//
// Each call of [Model.Ask] is a task of its own, without streaming: a message is sent, and the
// task looked at until it ends. An answer has at most 1 MiB, and all of a response 16 MiB. An
// agent that does not end is left when the context ends, and its task is cancelled. An agent
// that asks back, or wants other credentials, has failed, with its question in the error. The
// key goes to the host of the URL alone: a card that names another one is refused.
//
// The protocol counts no tokens, so that a budget books what it has reserved. Tools of the
// request, temperature and seed cannot be said.
//
// Package swarm/console/a2a is the other direction: a team as an agent of A2A.
package a2a
