// Package connectivity is how the parts of a swarm tell each other what they
// need to coordinate: attention, confidence, conflict, handoff and escalation,
// as signals with a lifecycle on a bus.
//
//	layer, err := connectivity.New(b, nil)
//	layer.SetCoordinator("review", "lead")
//	layer.OnSignal(func(ctx context.Context, s connectivity.Signal, e connectivity.Event) { … })
//
//	tester, err := layer.Component("tester") // its handle: it speaks as itself
//	e, err := tester.Emit(ctx, connectivity.Input{Thread: "review", Class: connectivity.HandoffReady, Summary: "all green"})
//
//	layer.Converged("review")
//
// # The log
//
// A signal is a signal of the bus: its kind is its message class, its
// recipients are the bus's, and so agents hear what is addressed to them and
// the history, traces and observers of the bus see all. What becomes of it is
// in the log too ([Transition], [Step], [Requested], [Closed]), so the layer's
// state is a fold of the log and [Rebuild] restores it. The kinds are reserved:
// the bus refuses them from agents. Several layers may share a bus under
// different names, not one name.
//
// Every call decides at the end of the log, and is committed and folded in the
// same moment. What is not in the log suppresses, ends and resolves nothing: a
// call that has to wait until a reader has room is judged anew afterwards.
//
// # Ordering
//
// Order is by place in the log, never by time. Observers are called one event
// at a time, those of a thread in order, the hook before the observers. Emit and
// Resolve return after the commit, usually also after the observers; inside an
// observer, and while another caller is at it, events come after the return.
// Calls inside observers, hooks, resolvers and handlers of the bus neither
// recurse nor deadlock, and find what they were called for.
//
// # Ownership
//
// Values returned and shown are copies. Coordinators, components, resolvers,
// hook and observers are configuration: they are not in the log. The [Layer] is
// for whoever runs the swarm; a [Component] can do what is its to do.
//
// # Limits
//
// Emit, Get, Resolve and the default query cost the same whatever a thread
// holds; a step costs what expires. A query that combines conditions which many
// signals meet one by one and few together costs the shortest list among them.
// A signal takes about 400 bytes; ended ones are kept until CloseThread, at
// most 65536 of a thread ([Options].Retain). Threads are kept until they are
// closed, which frees what they held.
//
// # Rules
//
// Where the rule departs from the specification's letter, or a reading settles
// what it leaves open, it is marked with an asterisk and explained below.
//
//		rule                                          name                    test
//		id, time, state and step are added            Layer.Emit              TestEmitAddsIDTimeStateAndStep
//		thread, source, summary required           *1 ValidationError         TestEmitRefusesInvalidInput
//		                                                                      TestASummaryHasToBeReadable
//		class consistent with message class        *2 Class.Message           TestMessageClassFollowsFromClass
//		                                              Note                    TestKindAndClassCannotDisagree
//		audience and priority of a class           *3 Input                   TestTheUsualEmissionIsOneLine
//		confidence required, and its bands         *4 Grade                   TestConfidenceBands
//		replaces: same thread                      *5 Input.Replaces          TestReplacesNamesALiveSignalOfTheThread
//		duplicates: thread, source, class, audience   Suppression             TestSameSignalIsSuppressedWithinAStep
//		window by time, 5s                            ByTime                  TestSuppressionByTimeIsInclusiveAndDoesNotSlide
//		not if resolved or superseded              *6 Suppression             TestOnlyLiveSignalsSuppress
//		what is not committed suppresses nothing      Emission                TestWhatIsNotCommittedSuppressesNothing
//		… and ends nothing                            Layer.Resolve           TestWhatIsNotCommittedEndsNothing
//		critical never                                Critical                TestCriticalIsNeverSuppressed
//		high escalations differ by summary            Suppression             TestUrgentEscalationsDifferBySummary
//		low without a grade most aggressively      *7 Lowest                  TestTheLeastSalientIsSuppressedAsLongAsTheSameIsLive
//		correction and raise never                 *8 Emission                TestACorrectionInTheSameStepIsNotLost
//		                                                                      TestARaiseInPriorityIsNotSuppressed
//		                                              Signal.Salience         TestARaiseInSalienceIsNotSuppressed
//		a grade only by the one in force           *8 Convergence             TestAGradeIsCoveredByTheOneInForceAlone
//		broadcast like any other                      All                     TestAllIsSuppressedLikeAnyAudience
//		emitted becomes active                     *9 Active                  TestAnObserverMakesASignalActive
//		                                                                      TestOnlyAnObserverThatReturnsMakesASignalActive
//		                                                                      TestAFullReaderHoldsBackNoObserver
//		                                                                      TestASignalIsActiveThoughTheCallWasCancelled
//		                                              Inbox, Layer.Received   TestARecipientMakesASignalActive
//		terminal states stay                          State.Terminal          TestTheLayerIsItsModel
//		resolve is idempotent                         Layer.Resolve           TestResolve
//		resolve of superseded and expired         *10 ErrTerminal             TestResolveOfWhatEndedOtherwise
//		expiry at a step, with events                 Layer.AdvanceStep       TestSignalsExpireAtTheirStep
//		                                              Input.ExpiresAfter      TestExpiresAfterCountsFromThePresentStep
//		expiry in the past                        *11 ValidationError         TestEmitRefusesInvalidInput
//		ended signals are kept                    *12 Layer.CloseThread       TestEndedSignalsAreKept
//		                                              Options.Retain          TestRetentionDropsTheOldestEnds
//		                                              Forgotten               TestAnInboxSaysThatASignalIsForgotten
//		no cap on live signals                        Options.MaxLive         TestLiveSignalsAreCappedOnlyOnRequest
//		more than ten open ones of a source       *13 Crowd                   TestACrowdIsCountedAndAnnounced
//		query: default, limit, order                  Query                   TestQueryDefaults
//		                                                                      TestNewestFirstWithEqualTimesKeepsTheNewest
//		query by source, class, state and priority    Query                   TestQueryIsAScan
//		query for what there is not               *14 ValidationError         TestAQueryThatMakesNoSenseIsRefused
//		since                                         Query.Since             TestSinceIsExclusive
//		observers                                     Layer.OnSignal          TestObserversSeeEveryEventInOrder
//		stop observing                                Layer.OnSignal          TestObserversAreASnapshotOfEachEvent
//		audience self                                 Self                    TestSelfIsTheSource
//		coordinator                                   Layer.SetCoordinator    TestCoordinatorIsTheThreadsOwn
//		selected                                  *15 Resolver                TestSelectedAreWhomTheResolverNames
//		                                                                      TestAResolverThatFailsLeavesNoOrphan
//		all                                       *16 Layer.Register          TestAllAreTheComponentsOfTheThread
//		                                                                      TestAllOfAHundredThousandComponents
//		                                                                      TestAllAreWhoWasThereAtTheTime
//		                                                                      TestAllIsEveryoneOnTheBus
//		recipients get it, nobody else                Signal.Recipients       TestRecipientsGetWhatIsForThemAndNothingElse
//		                                                                      TestAnEndIsForThoseWhomTheSignalWasFor
//		                                              Inbox                   TestAnInboxKeepsTheOrderWhoeverGivesUp
//		critical must be delivered                *17 Emission.Unreached      TestACriticalReachesAllWhereItsAudienceIsNobody
//		                                                                      TestACriticalToAllReachesACoordinatorWhoIsNotRegistered
//		                                                                      TestACriticalToAllOfNobodySaysSo
//		hook before observers                     *18 Hook                    TestTheHookIsCalledBeforeObservers
//		                                              Inbox                   TestInboxesDeliverAfterTheHook
//		                                                                      TestASlowHookDelaysItsThreadAlone
//		hook for escalations                      *19 Hook                    TestTheHookIsCalledForEscalationsAndCriticalSignals
//		without hook                                  Options.Hook            TestWithoutAHookEscalationsAreEmitted
//		requested mode                            *20 Layer.Mode              TestTheModeIsThatOfTheNewestSignal
//		                                                                      TestTheModeStaysThoughTheSignalIsForgotten
//		critical must be acknowledged             *21 Layer.Unacknowledged    TestCriticalStaysUnacknowledgedUntilItEnds
//		                                                                      TestACriticalEndsByAnAnswerAlone
//		                                                                      TestACriticalDoesNotExpire
//		                                              Component.Resolve       TestASourceCannotAnswerItsOwnCritical
//		                                                                      TestASourceCannotHushItsCriticalByAnUpdate
//		                                                                      TestAnUpdateLeavesTheAnswerToWhomItWas
//		converged: conflicts                      *22 Layer.Converged         TestOpenConflictsAreObstacles
//		converged: escalations                        Layer.Converged         TestOpenEscalationsAreObstacles
//		converged: critical signals               *21 Unanswered              TestAnUnansweredCriticalIsAnObstacle
//		converged: confidence                     *23 Layer.Converged         TestTheNewestGradeInForceCounts
//		                                                                      TestAGradeThatEndedIsNotInForce
//		converged: nobody has a grade             *24 Convergence.Unknown     TestAThreadWithoutGradesIsUnknown
//		high below 0.2 is a blocker               *25 Cause                   TestAVeryLowGradeAtHighPriorityCountsAsABlocker
//		threads are apart                             Input.Thread            TestThreadsConvergeAlone
//		salience is stored, not judged                Signal.Confidence       TestEmitRefusesInvalidInput
//		components are their own                  *26 Component               TestAComponentSpeaksAsItself
//		                                                                      TestAComponentEndsWhatIsItsToEnd
//		the log is the layer's                    *27 New                     TestTheKindsAreTheLayers
//		                                                                      TestALayerDoesNotBelieveWhatAgentsPublishedBeforeIt
//		the state is the log's                    *28 Rebuild                 TestRebuildAnswersTheSame
//		                                                                      TestRebuildWantsAllOfTheLog
//		                                                                      TestRebuildWantsABusThatWasFed
//
//	  - *1 A summary of characters that cannot be seen is refused like none, and so
//	    is one with control characters, line breaks among them, or with characters
//	    that reorder the text.
//	  - *2 An input has no message class of its own: it follows from the class.
//	    The kinds are attention, confidence, conflict.notice, handoff and
//	    escalation.
//	  - *3 Those that are usual for the class may be left out: the coordinator at
//	    normal priority, selected for handoffs, high for escalations.
//	  - *4 Bands are half-open and leave no gap: 0, (0,0.4), [0.4,0.8), [0.8,1].
//	    conflict.resolved needs a grade like conflict.active.
//	  - *5 It must also be live; if it is critical, see *21.
//	  - *6 Nor if expired.
//	  - *7 As long as the same is live, whatever the window.
//	  - *8 What replaces a live signal is never suppressed, nor is what has a higher
//	    priority, or at the same one a higher salience, than all that is stored: a
//	    correction or an alarm would be lost. For the same reason a grade is
//	    suppressed only by the one in force: low, high and low again are three
//	    signals. Emit says whether it suppressed, and why; ids need not be compared.
//	  - *9 Active is in the log after the first observer returned, or when a
//	    recipient read it, whichever readers have no room and whatever context has
//	    ended. Emit returns the signal as it was stored: emitted.
//	  - *10 An error, for the caller believes something that is not so.
//	  - *11 Refused; at the present step it would never have been live.
//	  - *12 Until the thread is closed, or beyond a cap, those that ended first go.
//	    An inbox that is read later delivers them nevertheless, as forgotten.
//	  - *13 Emit returns the count, and observers are told of the signal that makes
//	    it a crowd. Nothing is refused.
//	  - *14 An error: no answers would mean that there is nothing.
//	  - *15 A resolver of the thread goes before the layer's. If it fails, nothing
//	    is stored and Emit fails. With no recipients a signal is for nobody on
//	    the bus, not for everyone.
//	  - *16 An audience, not a list: the log says how many there were. Who is
//	    registered when it is emitted gets it through an [Inbox], however late it
//	    reads, and may answer it, even after it left; who came later may not. Of
//	    what is in the log when a layer is rebuilt this is not known: whoever is
//	    registered then may. On the bus it is for everyone who subscribes to the
//	    kind. A critical one also reaches a coordinator who is not registered.
//	  - *17 Where nobody who may answer a critical signal would get it, it goes to
//	    all, and Emit says so: there is no coordinator, the audience is self, or the
//	    resolver fails or names nobody but the source. Emit also says so of one to
//	    all of whom nobody may answer.
//	  - *18 And before inboxes deliver. Agents that read the bus itself read the
//	    log, and may be earlier. An inbox keeps the order of the log, so a hook
//	    that hangs in one thread holds back what comes after in all threads that
//	    the inbox reads: a hook must return.
//	  - *19 And for every critical signal, whatever its class.
//	  - *20 It is in the log and stays with the thread, for its agents' next turns.
//	  - *21 Until it is answered: resolved, or replaced by another critical signal
//	    of its source or the coordinator, which takes the duty over. An update of
//	    its source also goes to those who may answer what it replaces, and they
//	    alone may answer it. It cannot expire. The coordinator may answer it, or somebody whom it is for, but not
//	    its source, unless that coordinates. Until then it is an obstacle, whatever
//	    its class.
//	  - *22 Emitted or active: an unseen conflict is one too.
//	  - *23 A source takes part while it has a grade that has not ended, and the
//	    newest counts. A resolved doubt is dealt with.
//	  - *24 Then nothing may be in the way, and yet nobody knows: not converged.
//	  - *25 It is an obstacle like other low grades, named and counted as blocked.
//	  - *26 A component ends what it emitted, what is for it and what it coordinates,
//	    and nothing else; of its own what is not critical. It acknowledges what is
//	    for it.
//	  - *27 An agent that publishes one of the kinds gets an error from the bus; one
//	    that did so before keeps a layer from being made.
//	  - *28 A log that lacks what is needed, or a bus that does not hold it, is an
//	    error. Of threads that were closed nothing is needed.
package connectivity
