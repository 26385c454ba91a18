// Package host runs the solves and the rooms of a server, and shows its journals: it
// implements the routes of the console's API.
//
//	h, err := host.Open(ctx, host.Options{Dir: dir, Teams: teams, Hub: hub})
//	mux := http.NewServeMux()
//	api.Register(mux, version, h.Backend())
//	…
//	h.Close(ctx)
//
// # Journals
//
// A team has one journal, NAME.journal in the directory, with all its solves and the
// records learned about its agents; the office has one with its rooms. Nothing else is
// kept: the console shows a fold of them (package view). Journals of other programs in the
// directory are shown too, in their state at each request.
//
// # Stopping
//
// Close ends the turns that run, and records in the journals that the server was stopped.
// The next Open continues those solves, and those that were cut off by a crash; a cancelled
// solve waits until a user resumes it.
package host
