package rooms

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// Say is the payload of a message of an agent: its reactor yields signals of it in its
// turn. A content that is only <PASS> is silence.
type Say struct {
	Content  string            `json:"content"`
	Priority schedule.Priority `json:"priority,omitzero"` // 0: by the rules of intake; urgent if the agent is blocked until it is answered
	// To are the agents to answer: members of the room, and others, which get the message
	// by mail. None: those that the text addresses, if any.
	To      []string `json:"to,omitempty"`
	Subject string   `json:"subject,omitzero"` // of the mail; "": the first line
}

// Kind implements [signals.Payload].
func (Say) Kind() signals.Kind { return "room.say" }

// Words returns a message of an agent, for its reactor to yield.
func Words(content string) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, Say{Content: content})
}

// A place is a queue of an agent, or with level 0 its mailbox.
type place struct {
	agent string
	level schedule.Priority
}

// A composer makes events of the messages of an agent in one turn.
type composer struct {
	ctx     context.Context // of the turn, for the trace of its messages
	r       *Router
	agent   *roomlog.Agent
	run     *roomlog.Running
	hops    int
	quota   int
	ix      map[string]int // numbers of sections given, by room
	mail    int
	said    int
	sent    map[place]int // what this turn queues so far: it is not in the state yet
	spent   int           // turns that this turn asks for so far, likewise
	stopped []string      // addressees for whom no turn is left
	out     []any
	sending []hooks.End // of the mail
}

func (r *Router) composerLocked(ctx context.Context, a *roomlog.Agent) *composer {
	c := &composer{ctx: ctx, r: r, agent: a, run: a.Running, quota: a.Quota(Quota, QuotaTurns), ix: map[string]int{}, sent: map[place]int{}}
	for _, e := range append([]events.Event{c.run.Message}, c.run.Mail...) {
		c.hops = max(c.hops, hops(e)+1)
	}
	return c
}

func hops(e events.Event) int {
	switch b := e.Body.(type) {
	case events.Dialogue:
		return b.Hops
	case events.Mailbox:
		return b.Hops
	case events.Tool, events.Signal, events.Pass, events.System, events.User, events.Key:
	}
	return -1 // the user's message has none, and an answer to it is the first
}

// add appends the events of a message, except those that are in the log already.
func (c *composer) add(s Say) {
	room := c.run.Room
	to := s.To
	if len(to) == 0 {
		to = roomlog.Addressed(s.Content, room.Members)
	}
	mailed, unknown := []string(nil), []string(nil)
	if len(s.To) == 0 {
		mailed, unknown = c.r.mentionedLocked(s.Content, room.Members)
	}
	to = others(slices.Concat(to, mailed), c.agent.Name)
	to = c.reachable(to)
	if !c.logged() {
		c.out = append(c.out, refused(room.Name, unknown, noAgent)...)
	}
	if !c.logged() && len(to) > 0 && c.left() == 0 {
		c.stopped, to = append(c.stopped, to...), nil
	}
	here, elsewhere := members(room.Members, to)
	if c.hops >= c.r.opts.Hops && len(to) > 0 {
		c.out = append(c.out, refused(room.Name, to, "%d messages of agents led to it", c.hops)...)
		here, elsewhere = nil, nil
	}
	said := len(here) > 0 || len(elsewhere) == 0 || len(s.To) == 0
	n := len(elsewhere)
	if said {
		n++
	}
	p, why := c.priority(s, n)
	if said {
		c.dialogue(s, here, p, why)
	}
	for _, name := range elsewhere {
		c.send(s, name, p, why)
	}
}

// others returns the addressees but the sender and the user, each once.
func others(to []string, sender string) (all []string) {
	for _, name := range to {
		if name != sender && name != events.FromUser && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// reachable returns the addressees that are members of a room. The others do not get the
// message.
func (c *composer) reachable(to []string) (all []string) {
	for _, name := range to {
		if a := c.r.state.Agent(name); a == nil || len(a.Rooms) == 0 {
			c.out = append(c.out, refused(c.run.Room.Name, []string{roomlog.FirstLine(name)}, noAgent)...)
			continue
		}
		all = append(all, name)
	}
	return all
}

// priority returns the priority of a message that is sent n times, in the room and as mail.
func (c *composer) priority(s Say, n int) (schedule.Priority, string) {
	p, why := classify(s.Priority, s.Content, c.run.Room.Members, normal, "agent")
	if p != urgent || c.logged() {
		return p, why
	}
	if c.quota -= n; c.quota < 0 {
		return normal, fmt.Sprintf("%s, but more than %d urgent messages in %d turns", why, Quota, QuotaTurns)
	}
	return p, why
}

func (c *composer) common(p schedule.Priority) events.Common {
	return events.Common{Priority: p, Turn: c.run.Session}
}

// logged reports whether the log has the next event from an earlier try of the turn.
func (c *composer) logged() bool { return c.said < c.run.Said }

// event appends an event from the agent, unless the log has it from an earlier try of
// the turn.
func (c *composer) event(room string, body events.Body) {
	logged := c.logged()
	if c.said++; logged {
		return
	}
	ctx := c.ctx
	if _, is := body.(events.Mailbox); is {
		inside, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpSend, Target: string(body.Kind()), Thread: room})
		ctx, c.sending = inside, append(c.sending, end)
	}
	c.out = append(c.out, events.Event{Room: room, From: c.agent.Name, ReplyTo: c.run.Message.ID, Body: body, Trace: hooks.TraceOf(ctx)})
}

func (c *composer) dialogue(s Say, to []string, p schedule.Priority, why string) {
	room := c.run.Room
	var queued, full []string
	if !c.logged() {
		queued, full = c.r.roomFor(c.afford(to), p, c.sent)
		c.spent += len(queued)
	}
	var refs map[int]string
	for n := range roomlog.Sections(s.Content) {
		if section, ok := room.Section(n); ok {
			if refs == nil {
				refs = map[int]string{}
			}
			refs[n] = section.ID
		}
	}
	c.event(room.Name, events.Dialogue{
		Common: c.common(p), Stream: stream(c.agent.Name, c.run.Turn, c.said+1), Done: true, Content: s.Content, Why: why, To: queued,
		Hops: c.hops, Refs: refs,
	})
	c.out = append(c.out, refused(room.Name, full, "its %v queue is full", p)...)
}

// stream names the n-th message of an agent's turn.
func stream(agent string, turn, n int) string {
	if n == 1 {
		return fmt.Sprintf("%s-%d", agent, turn)
	}
	return fmt.Sprintf("%s-%d.%d", agent, turn, n)
}

// send appends a message to an agent that is not in the room.
func (c *composer) send(s Say, name string, p schedule.Priority, why string) {
	to, box := c.r.state.Agent(name), place{agent: name}
	if !c.logged() && len(to.Mail)+c.sent[box] >= c.r.opts.Mail {
		c.out = append(c.out, refused(c.run.Room.Name, []string{name}, fullMailbox)...)
		return
	}
	if !c.logged() {
		if len(c.afford([]string{name})) == 0 {
			return
		}
		c.spent++
	}
	room := to.Rooms[0]
	if _, began := c.ix[room]; !began {
		c.ix[room] = c.r.state.Room(room).Ix()
	}
	subject := cmp.Or(roomlog.FirstLine(s.Subject), roomlog.FirstLine(s.Content))
	if !c.logged() {
		c.ix[room]++
		c.mail++
		c.sent[box]++
	}
	c.event(room, events.Mailbox{
		Common: c.common(p), Ix: c.ix[room], Subject: subject, Body: s.Content, MailboxID: c.r.state.Mails() + c.mail,
		To: name, Why: why, Hops: c.hops,
	})
}
