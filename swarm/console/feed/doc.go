// Package feed tells clients what happens, as it happens: by server-sent events and by
// WebSocket, in the same frames (api.Frame).
//
//	hub := feed.New(feed.Options{})
//	hub.Publish(frame)                      // one goroutine for each log, in log order
//	mux.Handle("GET /api/feed", hub.Events())
//	mux.Handle("GET /api/feed/socket", hub.Socket())
//
// # Slow clients
//
// A frame is encoded once, and its bytes are queued for every client that subscribes to
// it. The queue of a client is bounded. One that does not keep up loses what is in its
// queue, and is told so by a resync frame, with the position at which its feed continues;
// Publish never waits for it. A write that takes longer than Options.Write ends the
// connection.
//
// # Continuing
//
// The newest frames of each log are kept, so that a client that was away gets what it has
// missed, each frame once. One that was away for longer gets a resync.
package feed
