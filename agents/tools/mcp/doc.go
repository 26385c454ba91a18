// Package mcp connects to servers of the Model Context Protocol, whose tools agents call
// through a [tools.Set].
//
//	files, err := mcp.Open(ctx, mcp.Spec{Name: "files", Command: "mcp-server-filesystem", Args: []string{"."}}, nil)
//	defer files.Close()
//	set := &tools.Set{From: []tools.Source{files}, May: []tools.Rule{{Tools: "files/*"}}}
//
// # Servers
//
// A server is a command that speaks over its standard input and output, or a URL
// (streamable HTTP). A command runs in a process group of its own, which is ended by
// [Server.Close]; its standard error is kept and shown. It gets the variables of the
// environment that Env names and the few that programs need (PATH, HOME, …), and no
// others, so that keys do not reach it by accident. For a URL, the values of headers are
// variables of the environment; a redirect to another host is refused.
//
// A server with a URL may want a login, which is that of OAuth 2.1: the server's and the
// authorization server's metadata are read, a client that has no id registers itself, and
// Options.Login shows a person the address to open in a browser, which comes back to a port of
// the loopback address with a code (PKCE; state and issuer are checked). A [Login] may name a
// client that is registered, and have it log in alone. Tokens are refreshed, and kept in files of
// Options.Logins for the next process.
//
// A server whose process or connection ended is started again by the next call.
//
// # Tools
//
// The list of tools is read when a server starts and when it says that the list has
// changed. Tools that break a rule of [tools.Spec] are left out, and [Server.LeftOut] says
// why. The hints of a tool are the server's own claims.
//
// # Results
//
// Structured results are JSON, and texts are texts. Links to resources become text; images,
// audio and other binary data are represented by their type and size. A result that does
// not conform to the tool's own schema is an error.
//
// # Hostile servers
//
// A message has a maximum size, a list has a maximum length, and handshakes and calls have
// timeouts. A server that sends anything else than the protocol is disconnected. Servers
// are offered no capability: they cannot ask a model, a person or the file system through
// us.
package mcp
