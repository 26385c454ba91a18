package memory

import "github.com/swarmbus/swarmbus/signals"

// ClaimOf returns what the last signal of a log states, and whether it states anything:
// a discovery, or a fact that somebody else than the system shares. The log is that of
// one thread so far, in order; group is that of the signal's source.
//
// The statement is derived from the fact that its signal replies to. A source repeats what
// the thread had in an earlier round, what the solve began with, and what it recalled itself
// ([Pool.Tool]), so that its statement is derived from the fact itself, unless its evidence
// quotes what a tool of the swarm returned to it in the same turn
// ([signals.ToolResult.Witnessed]), in words that nobody had stated the fact with.
func ClaimOf(log []signals.Any, group string) (Claim, bool) { return new(thread).claim(log, group) }

// shows returns the facts that a signal shows to those who read it: the one that it states,
// or those that an agent recalled by the tool.
func shows(s signals.Any) (all []Claim, recalls bool) {
	if r, ok := signals.As[signals.ToolResult](s); ok && r.Payload.ToolName == toolName && !r.Payload.IsError {
		return given(r.Payload.Result), true
	}
	if c, ok := stated(s); ok {
		all = append(all, c)
	}
	return all, false
}

// stated returns the content of a signal that states a fact.
func stated(s signals.Any) (Claim, bool) {
	switch p := s.Body().(type) {
	case signals.Discovery:
		return Claim{p.Finding, string(signals.KindDiscovery), Statement{Importance: p.Relevance, Evidence: p.Evidence}}, true
	case signals.Memory:
		return Claim{p.Content, p.Category, Statement{Importance: p.Importance}}, true
	default:
		return Claim{}, false
	}
}

// Validate returns a [*signals.FieldError] for the first field that breaks a rule: those
// of the signals that state facts, and a limit of 64 on From.
func (c *Claim) Validate() error {
	s := signals.New(
		signals.Header{ID: c.Signal, Source: c.Source, Thread: c.Thread, Time: c.Time},
		signals.Memory{Content: c.Content, Category: c.Category, Importance: c.Importance},
	)
	if err := signals.Validate(s); err != nil {
		return err
	}
	l := signals.Limits{}
	if err := l.Name("source", c.Source); err != nil {
		return err
	}
	if c.Group != "" {
		if err := l.Name("group", c.Group); err != nil {
			return err
		}
	}
	if len(c.From) > mostFrom {
		return &signals.FieldError{Field: "from", Problem: "more than 64 facts"}
	}
	return l.Text("evidence", c.Evidence)
}

const mostFrom = 64 // facts that a statement is derived from
