// Package client asks a running server of the console, by its HTTP API.
//
//	c, err := client.New("http://127.0.0.1:7333/#token=…", "")
//	…
//	one, err := c.Start(ctx, api.NewSolve{Team: "review", Task: "Is it safe to retry?"})
//	for e, err := range solves.Watch(ctx, c.Log(ctx, one.Run), one.Thread) { … }
//
// A [Log] is the log of a run as a journal that is only read, so that what reads journals
// reads those of a server, too. It has the signals and nothing else: no result of a model or
// a tool is sent.
//
// Errors of the server are of type [*api.Error]. The methods may be called concurrently.
package client
