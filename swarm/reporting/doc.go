// Package reporting publishes workers' turn reports on a bus: the parts that
// package agents/reports accepts become signals, and the conductor is notified
// of escalations.
//
//	desk, err := reporting.New(b, &reporting.Options{Conductor: conductor})
//	ann, err := desk.Worker(reports.Worker{ID: "ann", Task: "latency", Research: true})
//	filed, err := ann.Report(ctx, data) // what its model wrote
//	fmt.Println(filed.Receipt)          // what was accepted, and what was held back and why
//
//	for _, r := range desk.Open() {
//		desk.Decide(ctx, reports.Decision{Request: r.ID, By: "lead", Verdict: reports.Refused})
//	}
//
// # The log
//
// All signals of a report have consecutive sequence numbers: the report is judged
// at the end of the log, and its signals are committed and folded atomically. If
// the bus refuses them, none is in the log, no one is notified, and the same
// report can be filed again. The kinds are reserved for desks: the bus refuses
// them from agents. There is one desk per bus.
//
// # Agents
//
// An agent publishes its report in its turn, as a [reports.Turn]; one of package
// agents/thinker does so if its Reports are set. [Desk.Listen] files the report when
// the turn is committed, or after a restart if it was not filed before. It is filed
// once, since the signals of a filed report reply to the turn.
//
// # Two planes
//
// Everything accepted and rejected is in the log, for all observers. The
// [Conductor] is notified only of accepted escalations, when they are accepted,
// by the call that files the report. A log that the bus was fed
// with is folded by a [reports.Gate], which has no conductor, so a replay cannot notify
// anyone; escalations that were undecided when a process ended are in [Desk.Open] of the
// next one. Advisories of a [reports.Watcher] do not notify anyone either.
//
// A conductor can be an agent, too: a [Lead] listens to accepted escalations
// ([reports.Requested]) and emits a [reports.Ruling] for each that its [Policy] answers. A
// desk that listens makes the decision, which reaches the worker as a [reports.Decided]. So
// what a lead does is in the log, and is recorded and replayed like any turn.
// [Escalate] returns a conductor that ends a solve of package swarm: the
// escalation becomes its question, and Resume takes the answer.
package reporting
