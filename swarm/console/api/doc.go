// Package api defines the HTTP API of the console: its values, its routes and their
// OpenAPI description.
//
//	mux := http.NewServeMux()
//	api.Register(mux, "1.0", &api.Backend{Solves: host, Rooms: host, …})
//
// The package decides nothing. Each route passes what it was asked to one method of a
// [Backend], and writes what that returns as JSON, or its error as a problem (RFC 9457).
// A member that a body does not have is refused, so nobody can say who it is from.
//
// openapi.json beside this file is the description of the API; [Describe] makes it.
//
// # Names
//
// A run is a journal in the directory of the server; its name has letters, digits, "-" and
// "_". A solve has the id RUN.THREAD. Positions ("seq") are those of signals in the log of
// a run.
package api
