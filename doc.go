// Package swarmbus is the home of a library for programs in which many agents
// decide together. It holds no code; these packages do:
//
//   - signals: what agents say: typed, validated, immutable values
//   - bus: one ordered, bounded log of signals and its readers
//   - bus/connectivity: coordination signals with a lifecycle
//   - bus/bustest: helpers for tests against a bus
//   - conflict: proposals that cannot both stand
//   - consensus: votes to decisions, pure
//   - consensus/reliability: what voters are worth, learned across decisions
//   - agents: one agent and its turns
//   - swarm: many agents: rounds, votes, a decision, a reason to stop
//   - swarm/transcript: a solve as text or as JSON lines
//   - otel: traces and metrics of all of it
//
// Start with README.md and run examples/review.
package swarmbus
