package rooms

import (
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// left returns how many more turns the messages of agents may ask for within the budget of
// the user's message to which the turn belongs.
func (c *composer) left() int {
	return max(0, c.r.opts.Budget-c.run.Cause.Caused-c.spent)
}

// afford returns as many addressees as turns are left. The others are stopped.
func (c *composer) afford(to []string) []string {
	n := min(len(to), c.left())
	c.stopped = append(c.stopped, to[n:]...)
	return to[:n]
}

// stop appends a system event that names the addressees that do not answer the turn's
// messages, and the turns that are still to come.
func (c *composer) stop() {
	if len(c.stopped) == 0 {
		return
	}
	slices.Sort(c.stopped)
	cause := c.run.Cause
	c.out = append(c.out, system(c.run.Room.Name, events.Stopped, c.agent.Name,
		"stopped: not queued for %s: %.60q has led to %d further turns, the most that one message may; still to come of them: %d. Write again to go on.",
		strings.Join(slices.Compact(c.stopped), ", "), roomlog.FirstLine(content(cause.Message)), c.r.opts.Budget, cause.Waiting+c.spent))
}

// content returns the text of the user's message, in a room or by mail.
func content(e events.Event) string {
	if mail, ok := e.Body.(events.Mailbox); ok {
		return mail.Body
	}
	said, _ := e.Body.(events.User)
	return said.Content
}
