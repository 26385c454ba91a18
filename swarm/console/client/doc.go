// Package client is a client of the console's HTTP API.
//
//	c, err := client.New("http://127.0.0.1:7333/#token=…", "")
//	…
//	one, err := c.Start(ctx, api.NewSolve{Team: "review", Task: "Is it safe to retry?"})
//	for e, err := range solves.Watch(ctx, c.Log(ctx, one.Run), one.Thread) { … }
//
// A [Log] is the log of a run as a read-only journal, so that readers of journals can read
// those of a server, too. It has only the signals: the server sends no results of models or
// tools.
//
// A server that answered and is away, as when it starts anew, is waited for, for up to a minute: a log
// goes on where it was, and what changes something is sent again only if the server was not there.
//
// Errors of the server are of type [*api.Error]. The methods may be called concurrently.
package client
