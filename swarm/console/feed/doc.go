// Package feed sends events to clients as they happen: by server-sent events and by
// WebSocket, in the same frames (api.Frame).
//
//	hub := feed.New(feed.Options{})
//	hub.Publish(frame)                      // one goroutine for each log, in log order
//	mux.Handle("GET /api/v1/feed", hub.Events())
//	mux.Handle("GET /api/v1/feed/socket", hub.Socket())
//
// # Slow clients
//
// A frame is encoded once, and its bytes are queued for every client that subscribes to
// it. The queue of a client is bounded. A client that does not keep up loses its queue, and
// gets a resync frame with the position at which its feed continues; Publish never waits
// for it. A write that takes longer than Options.Write ends the connection.
//
// # Continuing
//
// The newest frames of each log are kept, so that a client that reconnects gets each frame
// that it has missed once. If it was away for too long, it gets a resync.
package feed
