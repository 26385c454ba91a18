package rooms

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/hooks"
	texts "github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A Message is a message of the user in a room.
type Message struct {
	Content  string            `json:"content"`
	Priority schedule.Priority `json:"priority,omitzero"` // 0: by the rules of intake
	To       []string          `json:"to,omitempty"`      // members to answer; none: those that the text addresses, or all members
}

// A Receipt reports how a message of the user was queued.
type Receipt struct {
	Seq      uint64            `json:"seq"`
	ID       string            `json:"id"`
	Priority schedule.Priority `json:"priority"`
	Why      string            `json:"why"`
	Queued   []string          `json:"queued"`         // agents that will answer: members, and those that it mentions
	Full     []string          `json:"full,omitempty"` // agents that will not, because their queues or mailboxes are full
}

// Say puts a message of the user into a room. When it returns, the message is in the
// journal. Its errors are a [*signals.FieldError] for an invalid message, one that wraps
// [ErrNone] for an unknown room or member (for a member both), and [ErrFull].
func (r *Router) Say(ctx context.Context, room string, m Message) (Receipt, error) {
	ctx, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpSend, Target: string(events.User{}.Kind()), Thread: room})
	var got Receipt
	err := r.changed(ctx, func() (err error) {
		got, err = r.sayLocked(ctx, room, m)
		return err
	})
	end(nil, err)
	return got, err
}

func (r *Router) sayLocked(ctx context.Context, name string, m Message) (Receipt, error) {
	room := r.state.Room(name)
	if room == nil {
		return Receipt{}, noRoom(r.state, name)
	}
	if err := checkMessage(m); err != nil {
		return Receipt{}, err
	}
	if _, others := members(room.Members, m.To); len(others) > 0 {
		return Receipt{}, fmt.Errorf("%w: %w", ErrNone, &signals.FieldError{
			Field: "to", Value: others[0], Problem: fmt.Sprintf("not a member of room %s%s", name, texts.Suggest(others[0], room.Members)),
		})
	}
	priority, why := classify(m.Priority, m.Content, room.Members, urgent, "user")
	to := m.To
	if len(to) == 0 {
		to = roomlog.Addressed(m.Content, room.Members)
	}
	elsewhere, unknown := []string(nil), []string(nil)
	if len(m.To) == 0 {
		elsewhere, unknown = r.mentionedLocked(m.Content, room.Members)
	}
	if len(to) == 0 && len(elsewhere) == 0 {
		to = room.Members
	}
	answers := r.answersLocked(room, m.Content)
	if answers != "" {
		to, elsewhere, unknown = nil, nil, nil
	}
	queued, full := r.roomFor(to, priority, map[place]int{})
	if len(queued) == 0 && len(full) > 0 {
		return Receipt{}, fmt.Errorf("%w: %s", ErrFull, strings.Join(full, ", "))
	}
	drafts := []any{events.Event{Room: name, From: events.FromUser, Trace: hooks.TraceOf(ctx), ReplyTo: answers, Body: events.User{
		Common: events.Common{Priority: priority}, Content: m.Content, Why: why, To: queued,
	}}}
	drafts = append(drafts, refused(name, full, "its %v queue is full", priority)...)
	drafts = append(drafts, refused(name, unknown, noAgent)...)
	mail, mailed, crowded := r.mailLocked(ctx, elsewhere, m.Content, priority, why)
	drafts = append(append(drafts, refused(name, crowded, fullMailbox)...), mail...)
	seq, err := r.commitLocked(ctx, drafts...)
	if err != nil {
		return Receipt{}, err
	}
	at := seq - uint64(len(drafts)) + 1
	return Receipt{at, recentID(room, at), priority, why, append(queued, mailed...), append(full, crowded...)}, nil
}

func checkMessage(m Message) error {
	l := signals.Limits{TextBytes: events.MessageBytes}
	if err := l.Required("content", m.Content); err != nil {
		return err
	}
	if strings.TrimSpace(m.Content) == "" {
		return &signals.FieldError{Field: "content", Value: m.Content, Problem: "blank"}
	}
	if m.Priority != 0 {
		return m.Priority.Check()
	}
	return nil
}

func recentID(room *roomlog.Room, seq uint64) string {
	for _, e := range slices.Backward(room.Recent) {
		if e.Seq == seq {
			return e.ID
		}
	}
	return ""
}

// classify returns the priority of a message and the reason for it.
func classify(stated schedule.Priority, content string, members []string, otherwise schedule.Priority, who string) (schedule.Priority, string) {
	if stated != 0 {
		return stated, "explicit"
	}
	if p, why := roomlog.Infer(content, members); p != 0 {
		return p, why
	}
	return otherwise, "default: " + who
}

// roomFor splits agents into those whose queues have room for one more message besides the
// pending ones, to which it adds the message, and the others.
func (r *Router) roomFor(to []string, p schedule.Priority, already map[place]int) (queued, full []string) {
	for _, name := range to {
		switch a := r.state.Agent(name); {
		case slices.Contains(queued, name) || slices.Contains(full, name):
		case a.Queues.Len(p)+already[place{name, p}] >= r.opts.Queue:
			full = append(full, name)
		default:
			queued = append(queued, name)
			already[place{name, p}]++
		}
	}
	return queued, full
}

// refused returns system events that a message is not queued for agents.
func refused(room string, names []string, format string, args ...any) (all []any) {
	for _, name := range names {
		why := fmt.Sprintf(format, args...)
		all = append(all, system(room, events.Refused, name, "not queued for %s: %s", name, why))
	}
	return all
}

func readRecord(room string, through uint64) signals.Any {
	return signals.New(signals.Header{Source: events.FromUser, Thread: room}, roomlog.Read{Through: through})
}
