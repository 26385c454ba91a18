package rooms

import (
	"context"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// The reasons why a message is not queued for an addressee.
const (
	noAgent     = "no such agent"
	fullMailbox = "its mailbox is full"
)

// mentionedLocked returns the agents of other rooms that a text mentions, and the names
// that no agent has. Names that no agent may have, such as all, are neither.
func (r *Router) mentionedLocked(content string, members []string) (elsewhere, unknown []string) {
	for _, name := range roomlog.Mentions(content) {
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if slices.ContainsFunc(members, same) || events.CheckAgent("to", name) != nil {
			continue
		}
		if a := r.namedLocked(name); a != nil && len(a.Rooms) > 0 {
			elsewhere = append(elsewhere, a.Name)
		} else {
			unknown = append(unknown, name)
		}
	}
	return elsewhere, unknown
}

// namedLocked returns the agent with a name, whose case does not count; nil: there is none.
func (r *Router) namedLocked(name string) *roomlog.Agent {
	if a := r.state.Agent(name); a != nil {
		return a
	}
	for a := range r.state.Agents() {
		if strings.EqualFold(a.Name, name) {
			return a
		}
	}
	return nil
}

// mailLocked returns a message of the user as mail, its addressees, and the agents whose
// mailboxes are full.
func (r *Router) mailLocked(ctx context.Context, names []string, content string, p schedule.Priority, why string) (drafts []any, to, full []string) {
	ix := map[string]int{}
	for _, name := range names {
		a := r.state.Agent(name)
		if len(a.Mail) >= r.opts.Mail {
			full = append(full, name)
			continue
		}
		room := a.Rooms[0]
		ix[room]++
		to = append(to, name)
		drafts = append(drafts, events.Event{Room: room, From: events.FromUser, Trace: hooks.TraceOf(ctx), Body: events.Mailbox{
			Common: events.Common{Priority: p}, Ix: r.state.Room(room).Ix() + ix[room], MailboxID: r.state.Mails() + len(to),
			Subject: roomlog.FirstLine(content), Body: content, To: name, Why: why,
		}})
	}
	return drafts, to, full
}
