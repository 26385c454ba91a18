// Package console serves the web console: its page, its API and its feed.
//
//	c := console.New(console.Options{Backend: h.Backend(), Hub: hub, Guard: g})
//	server := console.Server(c)
//	err := server.Serve(listener)
//
// Package host implements the routes, package guard decides which requests may call them,
// and package feed sends events to clients as they happen. This package joins them into one
// handler, and a server with time limits for every operation that a client can delay.
package console
