// Package reporting puts workers' turn reports on a bus: what package
// agents/reports accepts becomes signals, and the conductor is told of
// escalations.
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
// All signals of a report have consecutive sequence numbers: what is accepted is
// decided at the end of the log, and committed and folded in the same moment. If
// the bus does not take them, none is there, nobody was told, and the same report
// can be filed again. The kinds are reserved for desks: the bus refuses them from
// agents. There is one desk on a bus.
//
// # Two planes
//
// Everything accepted and rejected is in the log, for whoever watches. The
// [Conductor] is told of accepted escalations alone, when they are accepted, by
// the call that files the report. [Rebuild] reads a log through a
// [reports.Gate], which knows no conductor, so replay cannot tell anybody
// anything; what waited for a decision when a process ended is in [Desk.Open] of
// the next one. Nor are advisories of a [reports.Watcher] told to anybody.
//
// [Escalate] is a conductor that ends a solve of package swarm: its question is
// then the escalation, and its Resume takes the answer.
package reporting
