// Package api defines the HTTP API of the console: its values, its routes and their
// OpenAPI description.
//
//	mux := http.NewServeMux()
//	api.Register(mux, "1.0", &api.Backend{Solves: host, Rooms: host, …})
//
// The package decides nothing. Each route passes its request to one method of a [Backend],
// and writes the result as JSON, or the error as a problem (RFC 9457). Unknown members of
// a body are refused, so a client cannot state the sender of a request.
//
// openapi.json beside this file is the description of the API; [Describe] makes it.
//
// # Names
//
// A run is a journal in the directory of the server; its name has letters, digits, "-" and
// "_". A solve has the id RUN.THREAD. Positions ("seq") are those of signals in the log of
// a run.
package api
