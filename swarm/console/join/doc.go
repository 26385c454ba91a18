// Package join lets programs in any language be members of a swarm, over HTTP.
//
//	desk, err := join.New(join.Options{Tokens: map[string]string{"critic": token}})
//	critic := &agents.Agent{ID: "critic", TurnTimeout: time.Minute, Reactor: desk.Reactor()}
//	http.Serve(listener, desk.Handler())
//
// A member takes a turn with GET /join/turn, which waits until there is one, and answers it
// with POST /join/turns/{id}. Turns and answers are the JSON of package remote. The routes
// are described by openapi.json beside this file, and at /join/openapi.json.
//
// # Who may say what
//
// A token belongs to one agent, which is the source of all signals answered with it. An answer
// with another source or thread, with an invalid signal, or with two votes on one proposal is
// refused as a whole, and the refusal says what is wrong. The member may answer
// again, but after a few refusals the turn fails with the last one.
//
// # Time
//
// A turn is answered once: a second answer gets 409, and one after the end of the turn 410.
// An agent needs a TurnTimeout, or an absent member holds the swarm up until the deadline of
// the solve. A member that asks again before it has answered gets the same turn again, so one
// that was restarted goes on where it was. When the desk is closed, members get 410.
//
// # Limits
//
// Bodies have at most 1 MiB. A member has at most 8 requests that wait, and 50 requests a second;
// more get 429. Without TLS, listen on a loopback address.
package join
