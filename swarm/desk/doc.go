// Package desk has a team at work on one log.
//
//	store, err := journal.Open("review.journal", nil)
//	d, err := desk.Open(ctx, desk.Team{Name: "review", Open: opener}, desk.NewLocal(store, nil), desk.Options{})
//	defer d.Close(ctx)
//	thread, err := d.Start(ctx, desk.Task{Task: signals.Task{Task: "Which retry policy?"}})
//	for e, err := range d.Follow(ctx, thread) {
//		…
//	}
//
// A [Desk] holds what every way in to a team needs: its solves, which of them run, how one is
// begun, continued, cancelled and followed, and what people say to it. Commands, servers and
// protocols translate to its methods, and keep nothing of their own.
//
// # Places
//
// A [Place] has the log and drives solves on it. [Local] is a swarm of this process, whose log
// is a journal or nowhere. A [Shared] place has a log that other processes write, too; there
// every process sees the solves of all, one drives each of them, and one that nobody drives any
// more is continued by whichever desk finds it first.
//
// # Teams
//
// A [Team] is opened once, by Team.Open, into a [Crew]: the models, tools and memory that it
// names, within its budget. [Opener] opens the team of a file with [Openers], which bring the
// packages that speak to providers, servers and databases; so this package needs none of them. A
// crew builds the options of a swarm as often as its place has to, with what keeps the answers
// there.
//
// # The log
//
// A desk folds its log once, as it grows ([Log]). A [Watcher] sees each record right after it
// was folded, in the order of the log, and may read the [Fold] then and later. What a method of
// the desk has published is folded when the method returns.
//
// # Ending
//
// Close cancels the solves that run here with [ErrStopping]. The next Open with
// Options.Continue goes on with them, with those that a crash cut off, and with those whose
// questions were answered meanwhile.
package desk
