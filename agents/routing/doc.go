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
// What the specification says, how it is read here, and the test that holds it.
//
//	statement                               reading                                 test
//	a signal has a kind and a payload       signals.Any                             TestSignalKindsOfTheSpecification
//	kinds UserMessage, Stop, Timer          payloads of this package                TestSignalKindsOfTheSpecification
//	kind ToolResult                         signals.ToolResult                      TestSignalKindsOfTheSpecification
//	kind Custom(String)                     any other kind; JSON as signals.Raw     TestSignalKindsOfTheSpecification
//	payload is JSON                         typed, and JSON on the wire             TestKindsTravelAsJSON
//	five actions, and Reject in the text    Action, six verbs                       TestEveryActionIsDecided
//	the strategy can gate UserMessage       Reject or GracefulStop, in a state      TestStrategyGatesUserMessagesMidTransaction
//	authority by structure, not by number   three fields of Config                  TestNoPriorityLetsALowerTierWin
//	strategy: unconditional precedence      TierStrategy first                      TestNoPriorityLetsALowerTierWin
//	agent tier second, plugins overridden   TierAgent, TierPlugin                   TestNoPriorityLetsALowerTierWin
//	strategy at 0 beats agent at 100        likewise                                TestTierBoundaryIsAbsolute
//	registered at build time                New; a Router never changes             TestRouterKeepsNothingOfItsConfig
//	highest priority wins in a tier         priority is an int, may be negative     TestRouterDecidesAsItsTwin
//	ties are not mentioned                  the first registered                    TestTiesGoToTheFirstRegistered
//	kind must match                         byte for byte                           TestRouterDecidesAsItsTwin
//	predicate optional; none matches all    When nil                                TestRouterDecidesAsItsTwin
//	predicate is a pure function            Predicate on View, also sees the state  TestPredicateSeesSignalAndState
//	a predicate that says no                the next route decides, also below      TestRouterDecidesAsItsTwin
//	specific route above a catch-all        by priority                             TestCommandModeAndCatchAll
//	a predicate that panics (open)          strategy: reject; else: no, reported    TestPanicInTheStrategyRejects
//	                                                                                TestPanicElsewhereCountsAsNo
//	None: unrouted                          Unrouted: the agent's own handling      TestWithoutARouteASignalIsUnrouted
//	strategies contribute routes            Strategy.Routes                         TestStrategyGatesUserMessagesMidTransaction
//	Stop is ForceStop in any state          In nil                                  TestStopInAnyState
//	Timer is Transition from idle           In idle                                 TestTimerLeavesIdle
//	states and guards (referred to)         Strategy.States, Edge                   TestGuardsAreAskedInTheOrderOfPriority
//	undeclared states (open)                refused by New                          TestNewReportsEverythingThatIsWrong
//	transitions at once (open)              atomic, see Machine.Route               TestTransitionsAreAtomic
//	                                                                                TestASignalIsDecidedOnAgainWhereTheStateChangedMeanwhile
//	plugins contribute routes, or none      Plugin; the zero value has none         TestPluginWithoutRoutesIsFine
//	rate limiter forwards to GracefulStop   a predicate that reads a counter        TestRateLimiterOfAPlugin
//	routes are Clone + Send + Sync          plain values; predicates concurrent     TestTransitionsAreAtomic
//	empty tiers cost next to nothing        one lookup by kind                      BenchmarkDecide
package routing
