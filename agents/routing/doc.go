// Package routing decides what an agent does about a signal, by routes in three
// tiers. A route's authority comes from its tier, not from its priority.
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
// over the routes of plugins. Priorities order routes within a tier only: no
// priority of a plugin can overrule the agent or the strategy.
//
// # States
//
// A strategy may have states. Routes may be limited to some of them
// ([Route].In), predicates may read the state ([View]), and a transition changes
// it if an [Edge] allows that. Undeclared states are refused when the router is
// built, in transitions as well as in routes. A [Router] is immutable; a
// [Machine] is a router with the state of one agent in one solve.
//
// # Timers
//
// A strategy, and an agent, may have timers ([Schedule]). [Timers] is a fold of what has
// fired: given a time it says what is due, and it reads no clock. A swarm publishes
// what is due.
//
// # Execution
//
// The package only decides. The driver of the agent, such as package swarm,
// carries out the [Action]. The actions are those of the specification, plus
// Reject, which the specification's text asks for but its list omits.
//
// # Cost
//
// A decision looks at the routes for the signal's kind in order of precedence,
// allocates nothing, and takes no lock. Its cost is that of the predicates called:
// among a hundred routes, under 200 ns if ten are called, and as much as a bare
// loop over them if 99 are (BenchmarkDecide, BenchmarkPredicates).
//
// # Specification
//
// docs/statements/routing.md lists the statements of the specification, their
// interpretation here, and the tests that check them.
package routing
