package terminal

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Text returns an event as a line, or as several if the event has line breaks; "" for one
// that is not shown. It contains no control sequences of a terminal.
func Text(e events.Event) string {
	switch b := e.Body.(type) {
	case events.Dialogue:
		if !b.Done {
			return ""
		}
		return message(e.From, mark(b.Common), b.Content)
	case events.User:
		return message("you", mark(b.Common), b.Content)
	case events.Tool:
		return tool(e.From, b)
	case events.Signal:
		if b.By != "system" {
			return fmt.Sprintf("  §%d · %s: %s", b.Ix, text.Printable(b.By), b.What)
		}
	case events.Mailbox:
		return fmt.Sprintf("  §%d ▸ mail from %s to %s: %s", b.Ix, e.From, b.To, text.Printable(b.Subject))
	case events.Pass:
		return fmt.Sprintf("  (%s passes)", e.From)
	case events.System:
		said := "  · " + text.Printable(b.Content)
		if strings.HasSuffix(said, "no such agent") {
			said += "; /who lists those in this room"
		}
		return said
	case events.Key:
	}
	return ""
}

func mark(c events.Common) string {
	switch c.Priority.String() {
	case "urgent":
		return "!"
	case "background":
		return "·"
	}
	return ""
}

func message(from, mark, content string) string {
	if content == "" {
		return ""
	}
	return from + mark + ": " + strings.TrimPrefix(indented(content), indent)
}

func tool(from string, b events.Tool) string {
	what := fmt.Sprintf("  §%d ▸ %s calls %s, %s: ", b.Ix, from, text.Printable(b.ToolName), text.Printable(b.Label))
	switch b.Status {
	case events.Pending:
		return what + "…"
	case events.Done:
		return what + text.Printable(*b.Stub)
	case events.Failed:
		return what + "error: " + text.Printable(*b.Stub)
	case events.Running:
	}
	return ""
}

// Whole returns an event with its whole content: the body of mail, the result of a
// tool.
func Whole(e events.Event) string {
	switch b := e.Body.(type) {
	case events.Mailbox:
		return Text(e) + "\n" + indented(b.Body)
	case events.Tool:
		if b.Result != nil {
			return Text(e) + "\n" + indented(*b.Result)
		}
	case events.Dialogue, events.Signal, events.User, events.Pass, events.System, events.Key:
	}
	return Text(e)
}

const indent = "    "

func indented(s string) string { return indent + strings.ReplaceAll(text.Lines(s), "\n", "\n"+indent) }

// list returns the rooms, one a line.
func list(all []rooms.Snapshot, current string) string {
	var b strings.Builder
	for _, s := range all {
		at := " "
		if s.Room == current {
			at = ">"
		}
		fmt.Fprintf(&b, "%s %-1s %-12s %3d unread\n", at, s.Mark, s.Room, s.Unread.Total())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// who returns the members of a room, one a line.
func who(s rooms.Snapshot) string {
	var b strings.Builder
	for _, m := range s.Members {
		w := m.Waiting
		fmt.Fprintf(&b, "  %-10s waiting: %d urgent, %d normal, %d background, %d mail; %d credits", m.Name, w.Urgent, w.Normal, w.Background, w.Mail, m.Credits)
		switch {
		case m.Asks:
			b.WriteString("; it asks you about a call")
		case m.Running:
			b.WriteString("; its turn is running")
		}
		if m.Next != "" {
			b.WriteString("\n             next: " + m.Next)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}
