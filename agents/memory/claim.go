package memory

import (
	"slices"

	"github.com/swarmbus/swarmbus/internal/plain"
	"github.com/swarmbus/swarmbus/signals"
)

// system is the source of the signals that a driver publishes itself.
const system = "system"

// ClaimOf returns what the last signal of a log states, and whether it states anything:
// a discovery, or a fact that somebody else than the system shares. The log is that of
// one thread so far, in order; group is that of the signal's source.
//
// The statement is derived from the fact that its signal replies to. A source repeats what
// the thread had in an earlier round, what the solve began with, and what it recalled itself
// ([Pool.Tool]), so that its statement is derived from the fact itself, unless it gives
// evidence that nobody had given.
func ClaimOf(log []signals.Any, group string) (Claim, bool) {
	if len(log) == 0 {
		return Claim{}, false
	}
	last := log[len(log)-1]
	c, ok := stated(last)
	if !ok || last.Head().Source == system {
		return Claim{}, false
	}
	h := last.Head()
	c.Signal, c.Source, c.Group, c.Thread, c.Time = h.ID, h.Source, group, h.Thread, h.Time
	own, heard, known := c.ID(), false, c.Evidence == ""
	for _, earlier := range log[:len(log)-1] {
		at := earlier.Head()
		if at.Thread != h.Thread {
			continue
		}
		shown, recalls := shows(earlier)
		for _, e := range shown {
			if at.ID == h.ReplyTo && e.ID() != own {
				c.From = append(c.From, e.ID())
			}
			if e.ID() == own {
				heard = heard || at.Round < h.Round || at.Source == system || recalls && at.Source == h.Source
				known = known || plain.Text(e.Evidence) == plain.Text(c.Evidence)
			}
		}
	}
	if heard && known {
		c.From = append(c.From, own)
	}
	slices.Sort(c.From)
	c.From = slices.Compact(c.From)
	return c, true
}

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
