// Package guard decides which requests may reach the console.
//
//	key, err := guard.Load("console.key")
//	g, err := guard.New(guard.Options{Key: key, Hosts: []string{"127.0.0.1:7333"}})
//	http.Server{Handler: g.Wrap(mux)}
//	fmt.Println(g.Link("http://127.0.0.1:7333"))
//
// A request has to name a host of the server, so that an attacker cannot reach the server
// by binding another name to its address; if a page sent it, that page has to be one of the
// server. Routes of the API need a session: a cookie, which POST /api/v1/session gives for the
// token, or the token itself in the header Authorization. A request that changes state and
// has only the cookie must state that it comes from a page of the server.
//
// Tokens are compared in constant time, and each address may send a few wrong ones a minute. The right one, of 256
// random bits, is never locked out: others at the address could keep its owner out otherwise.
package guard
