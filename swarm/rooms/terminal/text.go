package terminal

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/transcript"
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
			return fmt.Sprintf("  §%d · %s: %s", b.Ix, transcript.Printable(b.By), b.What)
		}
	case events.Mailbox:
		return fmt.Sprintf("  §%d ▸ mail from %s to %s: %s", b.Ix, e.From, b.To, transcript.Printable(b.Subject))
	case events.Pass:
		return fmt.Sprintf("  (%s passes)", e.From)
	case events.System:
		return "  · " + transcript.Printable(b.Content)
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
	var b strings.Builder
	for line := range strings.Lines(content) {
		line = transcript.Printable(strings.TrimRight(line, "\r\n"))
		if b.Len() == 0 {
			fmt.Fprintf(&b, "%s%s: %s", from, mark, line)
		} else {
			fmt.Fprintf(&b, "\n    %s", line)
		}
	}
	return b.String()
}

func tool(from string, b events.Tool) string {
	what := fmt.Sprintf("  §%d ▸ %s calls %s, %s: ", b.Ix, from, transcript.Printable(b.ToolName), transcript.Printable(b.Label))
	switch b.Status {
	case events.Pending:
		return what + "…"
	case events.Done:
		return what + transcript.Printable(*b.Stub)
	case events.Failed:
		return what + "error: " + transcript.Printable(*b.Stub)
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

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "    %s\n", transcript.Printable(strings.TrimRight(line, "\r\n")))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

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
