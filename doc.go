// Package swarmbus is the home of a library for programs in which many agents
// decide together. [Ask] has three of them decide on a question; everything else is in these packages:
//
//   - signals: what agents say: typed, validated, immutable values
//   - bus: one ordered, bounded log of signals and its readers
//   - signals/coordination: how agents say that they need or hand over something
//   - bus/connectivity: coordination signals with a lifecycle
//   - bus/journal: the log on disk or in memory: append, verify, replay
//   - bus/natsbus: the log on NATS servers, for many machines
//   - bus/bustest: helpers for tests against a bus
//   - conflict: proposals that cannot both stand
//   - consensus: votes to decisions, pure
//   - consensus/reliability: what voters are worth, learned across decisions
//   - agents: one agent and its turns
//   - agents/hooks: the operations of agents and swarms, as hooks see them
//   - agents/choice: strategies that learn which of them serves
//   - agents/routing: what an agent does about a signal, in three tiers
//   - agents/models, agents/thinker: language models, and agents that ask them
//   - agents/tools, agents/memory: what agents may call, and facts from earlier solves
//   - agents/reports, swarm/reporting: reports of workers, and who is asked
//   - swarm: many agents: rounds, votes, a decision, a reason to stop
//   - swarm/mode: who is asked next, and when there is an answer
//   - swarm/teams: a swarm as a file
//   - swarm/rooms, swarm/console: rooms with a fair scheduler, and swarms in a browser
//   - bus/natsbus/machines: a swarm in many processes
//   - swarm/transcript: a solve as text or as JSON lines
//   - otel: traces and metrics of all of it
//
// docs/packages.md lists all packages. Start with README.md and run examples/hello.
package swarmbus
