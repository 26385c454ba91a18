// Package mcpserver offers swarms to clients of the Model Context Protocol, such as editors
// and assistants, which ask a team for a second opinion.
//
//	s := mcpserver.New(mcpserver.Options{Backend: h.Backend(), Version: version})
//	err := s.Stdio(ctx, os.Stdin, os.Stdout)             // one client
//	mux.Handle("/api/mcp", s.Handler())                  // many, by streamable HTTP
//
// # Tools
//
//   - decide counts proposals and votes, and says why, who dissents and whose vote matters;
//   - solve gives a team a task, reports progress, and asks the client's user what the team
//     asks a person, if the client can (elicitation);
//   - runs lists journals and solves, show tells what was said, and why says who decided what
//     and what would change it.
//
// Resources are the runs and their logs, and prompts the teams. What they do is the [api.Backend]'s.
//
// # Trust
//
// What agents say is data: texts are JSON strings, or printable characters where a person
// reads them, and clients are told not to follow them. A person answers questions: a client
// that cannot ask its user leaves them open for the console. A call of solve that is
// cancelled cancels its solve.
//
// # Limits
//
// Messages, lists and texts have maximum sizes. A client has so many requests unanswered and
// so many in a second at most: over a pipe it is not read until it has its answers, and the
// rest is refused, with an error that says so. [Options.Refused] is told its name. All clients
// together have so many solves at most.
package mcpserver
