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
// What the specification says, how it is read here, and the test that holds it.
// Tests of the bus and the conductor are in package swarm/reporting.
//
//	statement                                reading                                   test
//	1 every turn against one schema          Schema; Decode accepts just that          TestDecoderIsTheSchema
//	                                         what every provider takes                 TestSchemaIsWhatProvidersTake
//	2 conductor only after acceptance        after the commit, once                    TestConductorIsToldOfAcceptedEscalationsAlone
//	                                         not if the log did not take it            TestWhatTheBusDoesNotTakeDidNotHappen
//	3 findings replay without files          signals hold them whole                   TestFindingsAndLearningsAreReadFromTheLogAlone
//	4 duplicate and weak spam is limited     by hash, window, caps, cooldown           TestOneClaimInAHundredSpellingsIsOneClaim
//	                                                                                   TestFloodsAreCappedAndCounted
//	                                                                                   TestNonsenseIsBoundedAndCounted
//	… and visible in rejection events        one each, one for all beyond a cap        TestEachCheckHasItsReason
//	5 raw event and summary agree            Receipt is made of the signals            TestReceiptIsWhatTheLogShows
//	envelope of a report                     Report, same names as JSON                TestReportsRoundTripAsJSON
//	  (open) the worker's model              a member, or what the runtime knows       TestCountersAreByWorkerAndModel
//	  (open) items that do not fit           rejected one by one; nothing else lost    TestMalformedItemsAreRejectedAndNothingElse
//	  (open) envelopes that do not fit       refused as a whole, which is an event     TestWhatIsNoReportIsRefusedWithTheField
//	  (open) in another's name               refused                                   TestReportsOfSomebodyElseAreRefused
//	  (open) novel, changes_plan             shown to readers, not judged              TestFindingsAndLearningsAreReadFromTheLogAlone
//	workers do not decide transport          a report has content alone                TestAcceptedReportBecomesTheCanonicalEvents
//	prompt: default to empty arrays          Instructions                              TestInstructionsSayWhatTheSpecificationWants
//	prompt: when to emit what                with the gate's own bounds                TestInstructionsClaimWhatTheGateDoes
//	                                         its examples are accepted                 TestInstructionsShowReportsThatAreAccepted
//	caps 2, 1, 1 (schema layer)              the gate's, by place; artifacts 8         TestCapsCountPlaces
//	required fields, confidence required     Schema; text that says something          TestEachCheckHasItsReason
//	dedup by normalized claim hash           SHA-256, NFKC, case, punctuation          TestDifferentClaimsAreNotDuplicates
//	… in a rolling window                    15 min, inclusive, from what counted      TestDuplicatesAreOfAWorkerAndTaskWithinTheWindow
//	                                                                                   TestOnlyAcceptedClaimsMakeDuplicates
//	finding: grounded, with evidence         one reference that is not blank           TestEachCheckHasItsReason
//	learning: synthesis                      names accepted findings only              TestLearningsNameAcceptedFindings
//	cooldown of escalation keys              90 s for worker, kind and reason          TestEscalationsCoolDown
//	  (open) in other words each turn        4 of a worker wait at once                TestAnEscalationInEveryTurnIsLimited
//	counters per worker and model            Gate.Counts                               TestCountersAreByWorkerAndModel
//	canonical events                         14 kinds, also task.blocked               TestAcceptedReportBecomesTheCanonicalEvents
//	                                         outside research: worker.…                TestEveryKindHasAPayload
//	rejected: four reasons                   and cap, invalid                          TestEachCheckHasItsReason
//	never notified by replay                 a gate has nobody to tell, by type        TestReplayHasNobodyToTell
//	                                         rebuilt from a journal                    TestRebuildGoesOnAndTellsNobody
//	files are artifacts                      artifact.created with a reference         TestAcceptedReportBecomesTheCanonicalEvents
//	approval: explicit authorization         approved or refused; maybe by a person    TestWhatCannotBeDecided
//	  (open) who decides                     the first; the same again is fine         TestTheFirstDecisionCounts
//	  (open) nobody decides                  expires after a day                       TestEscalationsExpireByTheBusesClock
//	  (open) a report sent twice             is one report                             TestAReportSentTwiceIsOneReport
//	                                                                                   TestWhatAReportSaysIsWhatItIs
//	                                                                                   TestAReportFiledByManyAtOnceIsOneReport
//	  (open) a restart                       the gate is a fold of the log             TestGateIsAFoldOfTheLog
//	  (open) clocks                          the log's time never goes back            TestTimeNeverGoesBack
//	  (open) events of a report              are contiguous                            TestSignalsOfAReportAreContiguous
//	watcher: patterns, anomalies             Watcher, sliding windows                  TestWatcherIsItsTwin
//	  failure spikes                         5 in 10 min, half of all turns            TestFailureSpikesStraddleWindows
//	  stalls                                 10 min of silence while running           TestStallsAreOfRunningTasks
//	  retry storms                           the same 5 times in 10 min                TestRetryStormsAreOfTheSame
//	                                         nothing else                              TestWatcherIsQuietWhereNothingIsWrong
//	advisory; does not replace escalation    it has nobody to tell                     TestReplayHasNobodyToTell
package reports
