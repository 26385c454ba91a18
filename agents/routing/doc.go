// Package routing decides what an agent does about a signal, by three tiers of
// routes whose authority is their place and not a number.
//
//	router, err := routing.New(routing.Config{
//		Strategy: routing.Strategy{
//			States: []routing.State{"idle", "transaction"},
//			Routes: []routing.Route{{
//				Kind: routing.KindUserMessage, In: []routing.State{"transaction"}, Action: routing.Reject,
//			}},
//		},
//		Agent:   []routing.Route{{Kind: routing.KindUserMessage, Action: routing.Continue}},
//		Plugins: []routing.Plugin{limiter},
//	})
//	machine := router.Machine()
//	decision := machine.Route(signal)
//
// # Authority
//
// The routes of the strategy have precedence over those of the agent, and those
// over the routes of plugins. Priorities order the routes of one tier and say
// nothing across tiers: no priority of a plugin overrules the agent or the
// strategy.
//
// # States
//
// A strategy may have states. Routes may be for some of them ([Route].In), their
// predicates may see the state ([View]), and a transition changes it, if an
// [Edge] allows that. What is not declared is refused when the router is built:
// states, transitions to them, routes for them. A [Router] never changes; a
// [Machine] is a router with a state, of one agent in one solve.
//
// # Execution
//
// The package only decides. Who drives the agent carries the [Action] out, such as
// package swarm in its turns. Actions are the spec's and Reject, which its text
// asks for and its list leaves out.
//
// # Cost
//
// A decision looks at the routes for the signal's kind in the order in which
// they decide, allocates nothing, and takes no lock. What it takes is what the
// predicates take that it asks: among a hundred routes, where ten are asked, under
// 200 ns, and where 99 are, as long as a bare loop over the 99 (BenchmarkDecide,
// BenchmarkPredicates).
//
// # Statements
//
// docs/statements/routing.md lists what the specification says, how it is read
// here, and the test that holds it.
package routing
