// Package reports defines the reports of workers at the end of a turn, and the
// gate that decides which parts of them count.
//
//	// data is JSON of Schema, such as a model writes
//	judgement := gate.Judge(reports.Worker{ID: "ann", Research: true}, data, signals.ID{}, now)
//	publish(judgement.Signals) // all of them, with nothing between
//	for _, s := range judgement.Signals {
//		gate.Apply(s)
//	}
//	fmt.Println(judgement.Receipt) // ann t1 running: finding f1; held back: finding low_confidence
//
// # Two planes
//
// A report has findings, learnings, artifacts and a status, which become signals
// for all readers of the log, and escalations, which need a decision. The package
// only returns signals: it publishes nothing and notifies no one. Package
// swarm/reporting publishes the signals and notifies the conductor of a newly
// accepted [Requested].
//
// # The gate is a fold
//
// The state of a [Gate] is a fold of the signals passed to [Gate.Apply]: turns,
// claims, reasons, findings, escalations and counts all come from the log, by the
// log's time. So a gate can be restored after a restart, and two gates that read the
// same log decide alike. Receipts are a fold, too: [ReceiptOf] the signals of a
// report returns the receipt that its worker got, and the report as it was sent:
// [Received] keeps it, unless a [Turn] in the log has it.
//
// # Limits
//
// A report is at most 64 KiB of JSON, as the payload of a signal, and becomes at most 18 signals with the
// default caps. For each worker the newest 1024 turns, claims, findings and
// escalations are remembered ([Options].Keep): an older turn that is sent again
// counts as new. Claims are compared by their words, not by their meaning;
// letters of Cyrillic and Greek that look like Latin ones count as these, those of other
// scripts do not.
//
// # Statements
//
// docs/statements/reports.md lists the statements of the specification, their
// interpretation here, and the tests that check them.
package reports
