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
// A solve is a trace: the solve, its rounds, in them the agents' turns and the
// evaluations of the votes. These spans open and close when the work does. A
// turn has links to where the signals that it heard were said.
//
// A signal carries where it was said in its header. When it enters the log it
// is a span inside of that, with a link to the signal that it answers; when a
// reader is done with it, that is a span inside of the publish, with a link to
// where it was said. Both are moments, as long as it takes to note them; how
// long the delivery took is an attribute. Signals without a trace, such as
// those of programs without swarms, are part of the trace of what they answer,
// or of the first signal of their thread, so a thread is one trace.
//
// Conflicts, escalations, refused signals and dead letters are events. The
// status of a solve is Ok if it decided, and Error with the stop reason if it
// did not; that of a delivery is Error for a dead letter. What a reader has not
// read when it is closed is counted and no span: every solve ends so.
//
// # Metrics
//
// Signals published and delivered, delivery latency, backlog, dead letters by
// reason, open conflicts, decisions by outcome and strategy, votes to a
// decision, time of a solve. All names are in names.go, with where they come
// from. Names of spans and attributes of metrics are kinds, agents, strategies
// and reasons: when there are too many of them, the rest are "other".
//
// # What it costs and keeps
//
// Providers are passed in; nothing is global, and the package links no
// exporter (package export does). A bus that nobody watches and a swarm without
// a hook do nothing for it. What agents say is recorded only by option, see
// [Options]; without it errors are recorded by their sort, as they may quote
// what was said. For each bus the last 65,536 signals are remembered by id.
package otel
