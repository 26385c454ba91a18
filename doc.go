// Package swarmbus is the home of a library for programs in which many agents
// decide together. It holds no code; these packages do:
//
//   - signals: what agents say: typed, validated, immutable values
//   - bus: one ordered, bounded log of signals and its readers
//   - bus/events: what observers of a bus see
//   - signals/coordination: how agents say that they need or hand over something
//   - bus/connectivity: coordination signals with a lifecycle
//   - bus/journal: what happened on disk or in memory, and replayed
//   - bus/bustest: helpers for tests against a bus
//   - conflict: proposals that cannot both stand
//   - consensus: votes to decisions, pure
//   - consensus/reliability: what voters are worth, learned across decisions
//   - agents: one agent and its turns
//   - agents/hooks: the operations of agents and swarms, as hooks see them
//   - agents/choice: strategies that learn which of them serves
//   - agents/routing: what an agent does about a signal, in three tiers
//   - agents/models, agents/thinker: language models, and agents that ask them
//   - agents/reports, swarm/reporting: reports of workers, and who is asked
//   - swarm: many agents: rounds, votes, a decision, a reason to stop
//   - swarm/transcript: a solve as text or as JSON lines
//   - otel: traces and metrics of all of it
//
// Start with README.md and run examples/review.
package swarmbus
