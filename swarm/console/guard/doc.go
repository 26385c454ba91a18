// Package guard decides who may talk to the console.
//
//	key, err := guard.Load("console.key")
//	g, err := guard.New(guard.Options{Key: key, Hosts: []string{"127.0.0.1:7333"}})
//	http.Server{Handler: g.Wrap(mux)}
//	fmt.Println(g.Link("http://127.0.0.1:7333"))
//
// A request has to name a host of the server, so that a name that somebody else has bound to
// its address does not reach it; if a page sent it, that page has to be one of the server.
// Routes of the API need a session: a cookie, which POST /api/session gives for the token,
// or the token itself in the header Authorization. A request that changes something and has
// only the cookie must say that it comes from a page of the server.
//
// Tokens are compared in constant time, and each address has a few wrong ones a minute.
package guard
