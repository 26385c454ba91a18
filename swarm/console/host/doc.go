// Package host runs the solves and the rooms of a server, and shows its journals: it is
// what the routes of the console's API call.
//
//	h, err := host.Open(ctx, host.Options{Dir: dir, Teams: teams, Hub: hub})
//	mux := http.NewServeMux()
//	api.Register(mux, version, h.Backend())
//	…
//	h.Close(ctx)
//
// # Journals
//
// A team has one journal, NAME.journal in the directory, with all its solves and what was
// learned of its agents; the office has one with its rooms. Nothing else is kept: what the
// console shows is a fold of them (package view). Journals of other programs in the
// directory are shown too, as they are when somebody asks.
//
// # Stopping
//
// Close ends the turns that run, and the journals say that the server was stopped. The
// next Open continues those solves, and those that were cut off by a crash; a solve that
// somebody cancelled waits until somebody resumes it.
package host
