// Package connectivity is how the parts of a swarm tell each other what they
// need to coordinate: attention, confidence, conflict, handoff and escalation,
// as signals with a lifecycle on a bus.
//
//	layer := connectivity.New(b, nil)
//	layer.SetCoordinator("review", "lead")
//	layer.OnSignal(func(ctx context.Context, s connectivity.Signal, e connectivity.Event) { … })
//	e, err := layer.Emit(ctx, connectivity.Input{
//		Thread: "review", Source: "tester", Class: connectivity.ConfidenceLow,
//		Audience: connectivity.Coordinator, Priority: connectivity.Normal,
//		Confidence: connectivity.Graded(0.3), Summary: "two tests are flaky",
//	})
//	layer.Resolve(ctx, e.Signal.ID)
//	layer.Converged("review")
//
// # The log
//
// A signal is a signal of the bus: its kind is its message class, its
// recipients are the bus's, and so agents hear what is addressed to them and
// the history, traces and observers of the bus see all. What becomes of it is
// in the log too ([Transition], [Step], [Requested], [Closed]), so the layer's
// state is a fold of the log and [Rebuild] restores it. Only a layer writes
// these kinds: a note that names no layer is refused, and books count only if
// the bus's system wrote them. Leave the kinds out of what agents may publish:
// a note forged with a layer's name is not in that layer, but in a rebuilt one.
// Several layers may share a bus under different names, not one name.
//
// # Ordering
//
// Order is by place in the log, never by time. Observers are called one event
// at a time, those of a signal in order, the hook before the observers. Emit and
// Resolve return after the commit, usually also after the observers; inside an
// observer, and while another caller is at it, events come after the return.
// Calls inside observers, hooks, resolvers and handlers of the bus neither
// recurse nor deadlock, and find what they were called for. Calls that depend
// on a signal on its way to the log wait for it, at most 100ms, after
// which it counts as arrived. A bus's history has to be longer than what is
// published in the meantime: it is how a handler's call finds such a signal.
//
// # Ownership
//
// Values returned and shown are copies. Coordinators, components, resolvers,
// hook and observers are configuration: they are not in the log.
//
// # Limits
//
// Emit, Get, Resolve and the default query cost the same whatever a thread
// holds; a step costs what expires. A query that combines conditions which many
// signals meet one by one and few together costs the shortest list among them.
// A signal takes about 350 bytes; ended ones are kept until CloseThread, at
// most 65536 of a thread ([Options].Retain). Threads are kept until they are
// closed.
//
// # Rules
//
// Where the rule departs from the specification's letter, or settles what it
// leaves open, it is marked with an asterisk and explained below.
//
//		rule                                          name                    test
//		id, time, state and step are added            Layer.Emit              TestEmitAddsIDTimeStateAndStep
//		thread, source, summary required              ValidationError         TestEmitRefusesInvalidInput
//		class consistent with message class        *1 Class.Message           TestMessageClassFollowsFromClass
//		                                              Note                    TestKindAndClassCannotDisagree
//		confidence required, and its bands         *2 Grade                   TestConfidenceBands
//		replaces: same thread                      *3 Input.Replaces          TestReplacesNamesALiveSignalOfTheThread
//		duplicates: thread, source, class, audience   Suppression             TestSameSignalIsSuppressedWithinAStep
//		window by time, 5s                            ByTime                  TestSuppressionByTimeIsInclusiveAndDoesNotSlide
//		not if resolved or superseded              *4 Suppression             TestOnlyLiveSignalsSuppress
//		critical never                                Critical                TestCriticalIsNeverSuppressed
//		high escalations differ by summary            Suppression             TestUrgentEscalationsDifferBySummary
//		correction and raise never                 *5 Emission                TestACorrectionInTheSameStepIsNotLost
//		                                                                      TestARaiseInPriorityIsNotSuppressed
//		broadcast like any other                      All                     TestAllIsSuppressedLikeAnyAudience
//		emitted becomes active                     *6 Active                  TestAnObserverMakesASignalActive
//		                                              Inbox, Layer.Received   TestARecipientMakesASignalActive
//		terminal states stay                          State.Terminal          TestTheLayerIsItsModel
//		resolve is idempotent                         Layer.Resolve           TestResolve
//		resolve of superseded and expired          *7 ErrTerminal             TestResolveOfWhatEndedOtherwise
//		expiry at a step, with events                 Layer.AdvanceStep       TestSignalsExpireAtTheirStep
//		expiry in the past                         *8 ValidationError         TestEmitRefusesInvalidInput
//		ended signals are kept                     *9 Layer.CloseThread       TestEndedSignalsAreKept
//		                                              Options.Retain          TestRetentionDropsTheOldestEnds
//		no cap on live signals                        Options.MaxLive         TestLiveSignalsAreCappedOnlyOnRequest
//		query: default, limit, order                  Query                   TestQueryDefaults
//		                                                                      TestNewestFirstWithEqualTimesKeepsTheNewest
//		since                                         Query.Since             TestSinceIsExclusive
//		observers                                     Layer.OnSignal          TestObserversSeeEveryEventInOrder
//		stop observing                                Layer.OnSignal          TestObserversAreASnapshotOfEachEvent
//		audience self                                 Self                    TestSelfIsTheSource
//		coordinator                                   Layer.SetCoordinator    TestCoordinatorIsTheThreadsOwn
//		selected                                  *10 Resolver                TestSelectedAreWhomTheResolverNames
//		                                                                      TestAResolverThatFailsLeavesNoOrphan
//		all                                           Layer.Register          TestAllAreTheComponentsOfTheThread
//		recipients get it, nobody else                Signal.Recipients       TestRecipientsGetWhatIsForThemAndNothingElse
//		hook before observers                         Hook                    TestTheHookIsCalledBeforeObservers
//		hook for escalations                      *11 Hook                    TestTheHookIsCalledForEscalationsAndCriticalSignals
//		without hook                                  Options.Hook            TestWithoutAHookEscalationsAreEmitted
//		requested mode                            *12 Layer.Mode              TestTheModeIsThatOfTheNewestSignal
//		critical must be acknowledged             *13 Layer.Unacknowledged    TestCriticalStaysUnacknowledgedUntilItEnds
//		converged: conflicts                      *14 Layer.Converged         TestOpenConflictsAreObstacles
//		converged: escalations                        Layer.Converged         TestOpenEscalationsAreObstacles
//		converged: confidence                     *15 Layer.Converged         TestTheNewestGradeInForceCounts
//		                                                                      TestAGradeThatEndedIsNotInForce
//		threads are apart                             Input.Thread            TestThreadsConvergeAlone
//		salience is stored, not judged                Signal.Confidence       TestEmitRefusesInvalidInput
//		more than ten open ones of a source           Query.Source            TestQueryIsAScan
//
//	  - *1 An input has no message class of its own: it follows from the class.
//	    The kinds are attention, confidence, conflict.notice, handoff and
//	    escalation.
//	  - *2 Bands are half-open and leave no gap: 0, (0,0.4), [0.4,0.8), [0.8,1].
//	    conflict.resolved needs a grade like conflict.active.
//	  - *3 It must also be live.
//	  - *4 Nor if expired.
//	  - *5 What replaces a live signal is never suppressed, nor is what is more
//	    urgent than all that is stored: a correction or an alarm would be lost.
//	    Emit says whether it suppressed, and why; ids need not be compared.
//	  - *6 Active is in the log after the first observer returned, or when a
//	    recipient read it. Emit returns the signal as it was stored: emitted.
//	  - *7 An error, for the caller believes something that is not so.
//	  - *8 Refused; at the present step it would never have been live.
//	  - *9 Until the thread is closed, or beyond a cap, those that ended first go.
//	  - *10 A resolver of the thread goes before the layer's. If it fails, nothing
//	    is stored and Emit fails. With no recipients a signal is for nobody on
//	    the bus, not for everyone.
//	  - *11 And for every critical signal, whatever its class.
//	  - *12 It is in the log and stays with the thread, for its agents' next turns.
//	  - *13 Until it ends in whatever way: an update takes the duty over, and who
//	    lets a critical signal expire has said when it stops to matter.
//	  - *14 Emitted or active: an unseen conflict is one too.
//	  - *15 A source takes part while it has a grade that has not ended, and the
//	    newest counts. A resolved doubt is dealt with.
package connectivity
