// Package otel records traces and metrics of swarms and buses, for Jaeger and
// any other OpenTelemetry backend.
//
//	observer, err := otel.New(&otel.Options{Tracers: tracerProvider, Meters: meterProvider})
//	s, err := swarm.New(swarm.Options{Agents: team, Hook: observer})
//	stop, err := observer.Watch(s.Bus())
//	defer stop()
//	result, err := s.Solve(ctx, task)
//
// # Traces
//
// A solve is a trace: the solve, its rounds, the agents' turns in them, their
// calls, and the evaluations of the votes that changed the decision. These spans
// begin and end with the work. A turn has links to the publishes of the signals
// that it heard.
//
// A signal carries its trace context in its header. When it enters the log it
// becomes a span inside that context, with a link to the publish that it answers.
// That span has no duration. It is kept open for the results of its deliveries,
// which become its attributes: until its solve is over, or for a second if there
// is none. A delivery that failed, or came later, has a span of its own. Signals
// without a trace, such as those of programs without swarms, are part of the
// trace of what they answer, or of the first signal of their thread, so a thread
// is one trace. Signals that are fed to a bus, such as the log of a solve that is
// resumed, have no spans there.
//
// On a bus without swarms a trace context is trusted: a publisher can add a signal to
// any trace by setting that trace's context. In the turn of a traced swarm every
// signal has the trace context of the turn, whatever its agent set.
//
// The spans of turns are also sent with their solve, even if they return late:
// so a turn records whether it was late or its result was dropped, and one that
// never returns is not lost.
//
// A trace describes a decision without the content of signals: who proposed and
// voted, for or against, with what weight, and whether the vote counted; how
// far support was from the threshold and who had not voted; why the solve
// stopped, in numbers and names.
//
// Conflicts, escalations and refused signals are events of the round. The status
// of a span is Error, with its error.type, if it failed, and unset otherwise. A
// solve failed if it did not decide. Signals that a reader has not read when it
// is closed are not counted, because every solve ends that way.
//
// # Metrics
//
// Signals published and delivered, delivery latency, backlog, dead letters by
// reason, open conflicts, decisions by outcome and strategy, votes to a decision,
// durations of solves, turns, and calls of models and tools, tokens. All names
// are in names.go, with their sources. Span names and metric attributes are
// kinds, agents, strategies and reasons; if there are too many of them, the rest
// become "other".
//
// # Cost and data
//
// Providers are passed in; nothing is global, and the package links no exporter
// (package export does). A bus that is not watched and a swarm without a hook
// have no overhead. For each bus the last 65,536 signals are remembered by id.
//
// The content of signals is recorded only by option: see [Options]. Without it, only the
// type of an error is recorded, as its text may quote signals. Names that agents
// choose (ids of proposals and signals, threads, kinds) are recorded if they are
// identifiers: at most 64 ASCII letters, digits and "_.:/#+-", beginning with a
// letter, digit or underscore, and not of a form that [Redact] finds. Others are
// recorded as "id-" and a part of their SHA-256, kinds as "other".
package otel
