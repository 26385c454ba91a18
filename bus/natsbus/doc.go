// Package natsbus puts one log of signals on many machines, over NATS JetStream.
//
//	log, err := natsbus.Join(ctx, natsbus.Options{URL: "nats://n1:4222,nats://n2:4222", Storage: natsbus.Storage{Replicas: 3}})
//	defer log.Close()
//	b := log.Bus() // a *bus.Bus like any other
//	analyst, _ := b.Agent("analyst", bus.Permissions{})
//	analyst.Publish(ctx, signals.New(signals.Header{Confidence: 0.9}, signals.Discovery{Finding: "x"}))
//
// There is no second type of bus and no consensus protocol of our own: a JetStream stream
// orders the messages, and the log is the sequencer of a bus ([bus.Sequencer]). Publish
// sends a message and returns when this process has read it back: the servers deliver what
// they have stored, so that reading is an acknowledgement. Each process reads the whole
// stream and judges every message by what is before it, so all of them have the same log,
// and what they fold from it is the same.
//
// # Order
//
// The sequence number of a signal is that of its message in the stream, shifted by 12 bits
// ([StreamSequence]), plus its place in the message. Signals that are published at once
// ([bus.Publisher.PublishAll], [bus.Layer]) are one message. The signals of conflicts are
// not sent: each process derives them, directly behind their cause.
//
// # Messages
//
// A message is an event of CloudEvents 1.0 (package cloudevents): in binary mode, or as JSON with
// the content type of structured mode or of a batch, as other programs may write it. Its subject
// is STREAM.log.THREAD.KIND.SOURCE ([Subject]). Its message id is the
// id of its first signal: servers recognise it for [Storage].Window, and readers for
// [Options].Remember messages, however late a process sends it again. A message of another program
// may come without one: readers recognise the id of its signal. What is refused because
// a message that is not in the log has its id is sent in an envelope, without one. A message that is
// not in the log is a [DeadLetter] with a reason, in every process.
//
// While a process has eight messages on their way, what it publishes meanwhile waits, and is
// sent in an envelope of up to 32 messages of one thread, with %% in its subject for
// kinds and sources that differ. Each of its messages is judged as if it had come alone. An
// envelope is no CloudEvent: it has a format of its own, with the subject, headers and data of each
// message, and the header Swarmbus-Envelope, by which other programs that read the stream know it.
// [Options].Alone sends each message alone: where servers filter by kind, where others read
// the stream, and where this process may not publish to %%, which it finds out by itself.
//
// Signals have a TTL, by which each reader judges them, and messages have none: what vanished
// from the midst of a stream would be missing to whoever joins. A stream that allows messages
// with a TTL is refused. Limits of the stream, with snapshots, make room on the servers.
//
// # Promises of the bus
//
// The tests are those of package natstest, and each of them runs in .ci/nats.
// TestPromisesOfTheBusHoldOverNATS runs those tests of package bus that do not depend on what
// is weaker here. An observer ([bus.Bus.Observe]) must not publish, other than in a goroutine of its
// own: it would wait for the reader of the log, which waits for the observer.
//
//	promise                        across machines               test
//	one order, everywhere          holds                         TestProcessesHaveOneLog, TestFaults, TestEachFault
//	conflict behind its cause      holds                         TestProcessesHaveOneLog
//	PublishAll all or nothing,     holds, up to 2048 signals     TestSeveralSignalsAreNextToEachOtherOrNotThere,
//	  next to each other             and one message's size        TestMoreThanAMessageHoldsIsRefused
//	sequence numbers without gap   weaker: they only increase    TestProcessesHaveOneLog
//	acknowledged is not lost,      holds if the servers sync     TestFaults, TestServersThatAcknowledgeBeforeFsyncAreNamed
//	  and there once                 always, or lose no power
//	an error means not published   weaker: [bus.ErrUnknown] if   TestFaults, TestEachFault,
//	                                 ctx or the log ended,         TestPublishersWaitWhileTheFollowersOfTheLeaderPause,
//	                                 or servers answered late      TestPublisherWhoseLogIsClosedDoesNotKnow,
//	                                                               TestPublisherOnAFullLogGetsTheServersAnswer,
//	                                                               TestPublisherWhoseSecondTryIsDeniedDoesNotKnow,
//	                                                               TestLogThatLostMessagesBeforeTheyWereReadEnds
//	lossless subscriptions         holds in the process; a       TestLogThatLostMessagesBeforeTheyWereReadEnds
//	                                 [*GapError] ends a log
//	                                 whose stream dropped some
//	                                 before it read them
//	what was read stays            a [*LostError] ends a log      TestLogEndsIfServersLoseSignalsAlreadyRead
//	                                 whose servers lost data, or
//	                                 have an older backup
//	inline handlers, in order      holds; Publish does not wait  TestHandlersPublishWithoutDeadlock
//	                                 for those of any process
//	a proposal id has one owner    holds: the first in the log   TestProposalBelongsToTheFirstInTheLog
//	duplicate ids are refused      holds, for Remember messages  TestDuplicatesAreFoundWithinTheWindowAndBeyond,
//	                                                               TestDuplicateThatReadersHaveForgottenIsRefused,
//	                                                               TestSignalWhoseIDIsOnItsWayIsRefusedAtOnce,
//	                                                               TestIDsThatFollowAreNotThoseOfTheNextSignals
//	each signal is judged alone,   holds                         TestEnvelopesAreJudgedMessageByMessage,
//	  whatever is sent with it                                     TestEnvelopeTakesNoNumbersOfTheNextMessage,
//	                                                               TestIDThatGarbageHasTakenKeepsNoSignalOut
//	permissions of an agent        weaker: of its own process;   TestForgedSourcesAreDeadLettersWithAReason,
//	                                                               TestCallsAndAnswersCountByTheirSignatures,
//	                                                               TestForgedResultDoesNotCount,
//	                                 others need permissions of    TestDocumentedPermissionsSufficeForASolve,
//	                                 NATS or signatures            TestDocumentedPermissionsAreTight
//	a layer decides by the log     holds: it decides again when  TestLayerDecidesByTheLogAsItIs,
//	  as it is                       another process was quicker   TestLayerFoldsWhatItAppendsBeforeItDecidesAgain,
//	                                                               TestLayerFoldsWhatItsCallersLeftDuringAnOutage,
//	                                                               TestLayerKeepsWhatServersLeftUnansweredBeforeTheyRefused
//	a layer's fold follows         holds with                    TestLayersOfAllProcessesHaveOneState,
//	                                 [bus.Layer.Follow], as in     TestLayersThatEmitAtOnceAgree,
//	                                 connectivity.Rebuild; else    TestLayerFoldsWhatItsOwnProcessAppends
//	                                 only what its own process
//	                                 appends: hold a [Lease]
//	expiry                         weaker: each reader judges    TestEachReaderJudgesExpiryByItsOwnClock
//	                                 by its own clock; conflicts
//	                                 expire by the log's time
//	rate limits and byte caps      weaker: of one process        TestRateLimitsAreOfOneProcess
//	CloseThread                    weaker: only by a signal in   TestThreadIsClosedInEveryProcessByASignalOfTheLog
//	                                 the log ([bus.ThreadCloser])
//	one driver at a time           holds: who lost its lease     TestDriverThatLostItsLeaseCommitsNothing,
//	                                 commits nothing, and forged   TestProcessThatCannotRaiseItsFenceHoldsNoLease,
//	                                 fences do not count           TestForgedFenceTakesNoLease,
//	                                                               TestLeasesGoOnFromTheFenceInTheStreamWithoutTheirBucket
//	across regions                 holds, also while the link    TestLinkBetweenRegionsIsCutAndNothingIsLostOrThereTwice
//	                                 of leaf nodes or gateways
//	                                 is cut
//	same state after a restart     holds, from the stream or a   TestLateProcessBeginsWithTheSnapshotAndAgrees,
//	                                 snapshot; refused if both     TestSnapshotThatDoesNotFitIsRefusedAndTheStreamIsRead,
//	                                 lack the beginning            TestLogWhoseBeginningIsGoneNeedsASnapshot
//
// # Snapshots
//
// [Log.Snapshot] stores the log without the threads that are over ([Options].Over), beside
// the stream, with the ids and leases that readers remember, and a hash of what became of
// every message so far. A process that joins feeds its bus with it and reads on from there.
// It knows which kinds a snapshot leaves out ([Log.Lacks]).
// It refuses a snapshot that was changed, that is of another stream, or whose signals lead to
// other conflicts here, says so with [Tell].Warn, and reads the stream. A snapshot has signals
// and not the state of a fold: folds need no form on the wire then, and one of a later version
// derives its own. The hash of all messages is in what processes compare, so that
// a snapshot of a process that derived something else raises an alarm.
//
// # Durability
//
// By default servers acknowledge before fsync, and a loss of power takes back what they
// acknowledged; replicas help only if not all lose power. Join says so, or refuses with
// [Storage].Strict, unless [Storage].Monitor shows that they sync always. With an odd
// number of replicas R the log survives the loss of (R-1)/2 servers. It does not survive
// what the storage of the servers does not survive, such as damaged disks of a majority.
//
// # Trust
//
// The kinds by which a swarm is driven, such as tasks, terms and decisions, are reserved
// ([Options].Reserved): a process that may not speak for [bus.System] cannot say them.
//
// Servers decide who may publish to which subject, so with permissions for
// [Subject] (stream, "*", "*", agent) a process can speak for that agent only: a message
// whose subject has another source than its signals is a dead letter, and one that the
// servers refuse is an [ErrDenied]. Where the servers
// are not trusted, processes sign what they publish ([Options].Key) and check what they
// read ([Options].Keys). A signature covers subject, headers and data. Calls, their answers,
// results and snapshots are signed, too. It does not keep servers from reading signals,
// withholding them, or deciding their order.
//
// A process that only takes the turns of an agent needs no log: [Dial] connects it, and its
// calls, answers, inboxes ([Options].Agent) and results carry the agent's name in their subjects.
// docs/scale.md has the permissions.
//
// # Drivers
//
// A process that drives a solve holds a [Lease]. It says so with a fence: a message of the
// system ([bus.System]), whose place in the stream is the lease's number. Messages have that
// number, and once a later holder's fence is in the log no message with an earlier one is.
// Who may not publish as the system, by permissions or keys, raises no fence. What models
// answered is in [Results], so that a later driver does not ask again.
//
// # Agreement
//
// Processes tell each other what they read and derived from it, with the program's own
// [Options].Digest, and call [Tell].Alarm with the first signal that differs.
// With [Options].Keys they hear only those that have one of the keys.
//
// # Connections
//
// A lost connection is made again, with pauses that grow up to 2 s, also when the servers
// refuse the login; [Tell].Status tells of it, and of servers that are there and do not answer
// for the log. Meanwhile the bus can be read, and publishers wait until their contexts end.
package natsbus
