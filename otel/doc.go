// Package otel makes traces and metrics of what swarms and buses do, for
// Jaeger and anything else that speaks OpenTelemetry.
//
//	observer, err := otel.New(&otel.Options{Tracers: tracerProvider, Meters: meterProvider})
//	s, err := swarm.New(swarm.Options{Agents: team, Hook: observer})
//	stop, err := observer.Watch(s.Bus())
//	defer stop()
//	result, err := s.Solve(ctx, task)
//
// # Traces
//
// A solve is a trace: the solve, its rounds, in them the agents' turns, what
// these call, and the evaluations of the votes. These spans open and close when
// the work does. A turn has links to the publishes that it heard.
//
// A signal carries where it was said in its header. When it enters the log it
// is a span inside of that, with a link to the publish that it answers. That
// span is a moment, and waits for what becomes of its deliveries, which is in its
// attributes: until its solve is over, or for a second where there is none. A
// delivery that failed, or came later, has a span of its own. Signals without a
// trace, such as those of programs without swarms, are part of the trace of what
// they answer, or of the first signal of their thread, so a thread is one trace.
//
// The spans of turns end with their solve, too, as late as they came back: so a
// turn says whether it was late or its words were not used, and one that never
// comes back is not lost.
//
// A trace tells a decision without what agents say: who proposed, voted for or
// against, with what weight, whether it counted; how far support was from the
// threshold and who had not voted; why the solve stopped, in numbers and names.
//
// Conflicts, escalations and refused signals are events of the round. The status
// of a span is Error, with its error.type, if it failed, and unset otherwise. A
// solve failed if it did not decide. What a reader has not read when it is closed
// is counted by nobody: every solve ends so.
//
// # Metrics
//
// Signals published and delivered, delivery latency, backlog, dead letters by
// reason, open conflicts, decisions by outcome and strategy, votes to a
// decision, durations of solves, turns, and calls of models and tools, tokens.
// All names are in names.go, with where they come from. Names of spans and
// attributes of metrics are kinds, agents, strategies and reasons: when there are
// too many of them, the rest are "other".
//
// # What it costs and keeps
//
// Providers are passed in; nothing is global, and the package links no
// exporter (package export does). A bus that nobody watches and a swarm without
// a hook do nothing for it. What agents say is recorded only by option, see
// [Options]; without it errors are recorded by their sort, as they may quote
// what was said. For each bus the last 65,536 signals are remembered by id.
package otel
