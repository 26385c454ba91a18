package events

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// MessageBytes is the limit for messages: contents, subjects and bodies. Only the
// limit of the log applies to the results of tools.
const MessageBytes = signals.DefaultTextBytes

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var message = signals.Limits{TextBytes: MessageBytes}

func (c Common) check(l signals.Limits) error {
	return first(
		l.Text("sig", c.Sig), l.Text("prev", c.Prev), c.Priority.Check(), signals.AtLeastZero("turn", float64(c.Turn)),
	)
}

// Check implements [signals.Checker].
func (d Dialogue) Check(l signals.Limits) error {
	if d.Done == (d.Chunk != "") {
		return &signals.FieldError{Field: "chunk", Value: d.Chunk, Problem: "an event is either a fragment or done"}
	}
	return first(
		d.check(l), l.Name("stream", d.Stream), signals.AtLeastZero("part", float64(d.Part)), message.Text("chunk", d.Chunk),
		message.Text("content", d.Content), l.Text("why", d.Why), names("to", d.To), signals.AtLeastZero("hops", float64(d.Hops)),
	)
}

// Check implements [signals.Checker].
func (t Tool) Check(l signals.Limits) error {
	if t.Ix < 1 {
		return &signals.FieldError{Field: "ix", Problem: "not positive"}
	}
	if over := t.Status.Over(); over != (t.Result != nil) || over != (t.Stub != nil) || over != (t.DurationMS != nil) {
		return &signals.FieldError{Field: "result", Problem: "result, stub and duration_ms are set if and only if the call is over"}
	}
	return first(
		t.check(l), l.Name("tool_name", t.ToolName), l.Name("label", t.Label), statuses.Check(t.Status),
		optional(l, "result", t.Result), optional(l, "stub", t.Stub), inArgs(l, t.Args),
	)
}

func optional(l signals.Limits, field string, text *string) error {
	if text == nil {
		return nil
	}
	return l.Text(field, *text)
}

// inArgs checks the texts in arguments.
func inArgs(l signals.Limits, v any) error {
	switch v := v.(type) {
	case string:
		return l.Text("args", v)
	case []any:
		for _, e := range v {
			if err := inArgs(l, e); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, e := range v {
			if err := first(l.Text("args", name), inArgs(l, e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check implements [signals.Checker].
func (s Signal) Check(l signals.Limits) error {
	if s.Ix < 1 {
		return &signals.FieldError{Field: "ix", Problem: "not positive"}
	}
	return first(s.check(l), l.Name("kind", string(s.What)), l.Name("by", s.By), l.Required("signal", s.JSON))
}

// Check implements [signals.Checker].
func (m Mailbox) Check(l signals.Limits) error {
	if m.Ix < 1 || m.MailboxID < 1 {
		return &signals.FieldError{Field: "ix", Problem: "ix or mailbox_id is not positive"}
	}
	return first(
		m.check(l), message.Required("subject", m.Subject), message.Text("body", m.Body), l.Text("why", m.Why),
		CheckAgent("to", m.To), signals.AtLeastZero("hops", float64(m.Hops)),
	)
}

// Check implements [signals.Checker].
func (p Pass) Check(l signals.Limits) error { return p.check(l) }

// Check implements [signals.Checker].
func (s System) Check(l signals.Limits) error {
	return first(s.check(l), message.Required("content", s.Content), whats.Check(s.What), l.Text("agent", s.Agent))
}

// Check implements [signals.Checker].
func (u User) Check(l signals.Limits) error {
	return first(u.check(l), message.Required("content", u.Content), l.Text("why", u.Why), names("to", u.To))
}

// Check implements [signals.Checker].
func (k Key) Check(l signals.Limits) error {
	_, err := public(k.Public)
	return first(k.check(l), l.Name("agent", k.Agent), err)
}

// CheckSource refuses an event with the wrong source or in the wrong place, with a
// [*signals.FieldError]: messages of the user are from the user, changes and keys from the
// router, and all other events from an agent. Keys are in no room, and all other events are
// in one.
func (e Event) CheckSource() error {
	from := func(who string) error {
		if e.From == who {
			return nil
		}
		return &signals.FieldError{Kind: e.Body.Kind(), Field: "from", Value: e.From, Problem: "not the " + who}
	}
	var source error
	switch e.Body.(type) {
	case User:
		source = from(FromUser)
	case System:
		source = from(FromRouter)
	case Key:
		if e.Room != "" {
			return &signals.FieldError{Kind: Key{}.Kind(), Field: "room", Value: e.Room, Problem: "a key is in no room"}
		}
		return from(FromRouter)
	case Mailbox:
		if e.From != FromUser {
			source = CheckAgent("from", e.From)
		}
	case Dialogue, Tool, Signal, Pass:
		source = CheckAgent("from", e.From)
	}
	return first(source, CheckName("room", e.Room))
}

func names(field string, all []string) error {
	if i := slices.IndexFunc(all, func(name string) bool { return CheckAgent(field, name) != nil }); i >= 0 {
		return CheckAgent(field, all[i])
	}
	return nil
}
