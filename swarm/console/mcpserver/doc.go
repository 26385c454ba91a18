// Package mcpserver offers swarms to clients of the Model Context Protocol, such as editors
// and assistants, which ask a team for a second opinion.
//
//	s := mcpserver.New(mcpserver.Options{Backend: h.Backend(), Version: version})
//	err := s.Stdio(ctx, os.Stdin, os.Stdout)             // one client
//	mux.Handle("/api/mcp", s.Handler())                  // many, by streamable HTTP
//
// # Tools
//
//   - decide counts votes on proposals, and returns the reason, the dissenters and the voters
//     on whom the decision rests;
//   - solve gives a team a task, reports progress, and passes the team's questions to the
//     client's user, if the client can ask them (elicitation);
//   - runs lists journals and solves, show returns their signals, and why explains a decision
//     and what would change it.
//
// Resources are the runs and their logs; prompts are the teams. The [api.Backend] does the work.
//
// # Trust
//
// Texts of agents are data: they are JSON strings, or printable characters where a person
// reads them, and the server's instructions tell clients not to follow them. Only a person
// answers questions: if a client cannot ask its user, they stay open for the console.
// Cancelling a call of solve cancels its solve.
//
// # Limits
//
// Messages, lists and texts have maximum sizes. [Limits] bound the unanswered requests of a
// client and its requests per second: over a pipe the server stops reading until answers are
// sent, and other requests beyond a bound get an error that states it. [Options.Refused] gets
// the client's name. The solves of all clients together are bounded too.
package mcpserver
