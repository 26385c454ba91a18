package terminal_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
	"github.com/swarmbus/swarmbus/swarm/rooms/terminal"
)

func TestHostileTextIsInertInATerminal(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\x1b]0;x\x07\r\u009b31m\u202eb\nReed!: forged"
	common := events.Common{Priority: schedule.Normal}
	result, took := hostile, int64(1)
	for _, body := range []events.Body{
		events.User{Common: common, Content: hostile},
		events.Dialogue{Common: common, Stream: "s", Done: true, Content: hostile},
		events.System{Common: common, What: events.Faulted, Content: hostile},
		events.Mailbox{Common: common, Ix: 1, Subject: hostile, Body: hostile},
		events.Tool{Common: common, Ix: 1, ToolName: hostile, Label: hostile, Status: events.Done, Result: &result, Stub: &result, DurationMS: &took},
	} {
		for _, text := range []string{terminal.Text(events.Event{From: "Veda", Body: body}), terminal.Whole(events.Event{From: "Veda", Body: body})} {
			for i, line := range strings.Split(text, "\n") {
				if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%T: %q", body, line)
				}
				if i > 0 && strings.HasPrefix(line, "Reed") {
					t.Errorf("%T: a text poses as an event of its own: %q", body, text)
				}
			}
		}
	}
}
