// Package console serves the web console: its page, its API and its feed.
//
//	c := console.New(console.Options{Backend: h.Backend(), Hub: hub, Guard: g})
//	server := console.Server(c)
//	err := server.Serve(listener)
//
// What the routes do is package host's, who may call them package guard's, and what
// clients are told as it happens package feed's. This package joins them: one handler, and
// a server with time limits for everything that a client can delay.
package console
