// Package reports is what workers report at the end of a turn, and the gate that
// decides what of it counts.
//
//	report, err := reports.Decode(data) // JSON of Schema, such as a model writes
//	judgement := gate.Judge(reports.Worker{ID: "ann", Research: true}, report, now)
//	publish(judgement.Signals) // all of them, with nothing between
//	for _, s := range judgement.Signals {
//		gate.Apply(s)
//	}
//	fmt.Println(judgement.Receipt) // ann t1 running: finding f1; held back: finding low_confidence
//
// # Two planes
//
// A report has findings, learnings, artifacts and a status, which become signals
// for whoever reads the log, and escalations, which somebody has to decide. The
// package publishes nothing and tells nobody anything: it returns signals. Who
// publishes them, and tells the conductor of a [Requested] that was just accepted,
// is package swarm/reporting.
//
// # The gate is a fold
//
// What a [Gate] knows is what [Gate.Apply] was given: turns, claims, reasons,
// findings, escalations and counts are all read from the log, by the log's time. So a
// gate survives a restart, and two that read the same log say the same. Receipts
// are a fold, too: [ReceiptOf] the signals of a report is what its worker was told.
//
// # Limits
//
// A report is at most 256 KiB of JSON and becomes at most 18 signals with the
// default caps. Of each worker the newest 1024 turns, claims, reasons, findings and
// escalations are remembered ([Options].Keep): beyond them a turn that is sent again
// is a new one. Claims are compared by their words, not by what they mean.
//
// # Statements
//
// docs/statements/reports.md lists what the specification says, how it is read
// here, and the test that holds it.
package reports
