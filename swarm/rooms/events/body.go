package events

import (
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// Common are the fields that all events have, besides those of [Event].
type Common struct {
	Sig      string            `json:"sig"`
	Prev     string            `json:"prev"`
	Priority schedule.Priority `json:"priority"`
	Turn     int               `json:"turn"` // within the agent's session, from 1; 0: not an agent's turn
}

// A Body is the content of an event: one of the types of this package. It is the payload
// of the event's signal.
//
//sumtype:decl
type Body interface {
	signals.Payload
	// Type returns the event's type.
	Type() string
	common() Common
	with(Common) Body
}

func (c Common) common() Common { return c }

// Dialogue is a message of an agent. While the agent writes it, events with Chunk and Part
// show the fragments; the last event has Done and the whole Content.
type Dialogue struct {
	Common
	Stream  string         `json:"stream"`
	Part    int            `json:"part,omitzero"`
	Chunk   string         `json:"chunk,omitzero"`
	Done    bool           `json:"done,omitzero"`
	Content string         `json:"content,omitzero"`
	Why     string         `json:"why,omitzero"`
	To      []string       `json:"to,omitempty"`   // members that have to answer; may be none
	Hops    int            `json:"hops,omitzero"`  // messages of agents since the user's
	Refs    map[int]string `json:"refs,omitempty"` // the ids of the events that §N refers to
}

// Tool is the call of a tool. Each event of a call has the same Ix.
type Tool struct {
	Common
	Ix         int            `json:"ix"`
	ToolName   string         `json:"tool_name"`
	Args       map[string]any `json:"args"`
	Result     *string        `json:"result"` // of a failed call: the error's text
	Label      string         `json:"label"`  // two to four words
	Stub       *string        `json:"stub"`   // one line, all that later prompts hold
	Status     Status         `json:"status"`
	DurationMS *int64         `json:"duration_ms"`
	Repeats    bool           `json:"repeats,omitzero"` // the call may be made twice
}

// Signal is a signal of a solve that is the call of a tool in the room: it belongs to that
// section and is collapsed there.
type Signal struct {
	Common
	Ix   int          `json:"ix"`   // of the solve's first call; a solve that continues has it still
	What signals.Kind `json:"kind"` // of the signal
	By   string       `json:"by"`   // its source
	JSON string       `json:"signal"`
}

// Mailbox is a message to an agent that is not in the sender's room, as it arrives in
// a room of that agent.
type Mailbox struct {
	Common
	Ix        int    `json:"ix"` // of the same sequence as those of tools
	Subject   string `json:"subject"`
	Body      string `json:"body"`
	MailboxID int    `json:"mailbox_id"` // of its entry in the ledger of all mail, from 1
	To        string `json:"to"`
	Why       string `json:"why"`
	Hops      int    `json:"hops,omitzero"`
}

// Pass reports that an agent chose to be silent.
type Pass struct{ Common }

// System reports a change of a room or of an agent.
type System struct {
	Common
	Content string `json:"content"`
	What    What   `json:"what"`
	Agent   string `json:"agent,omitzero"`
}

// User is a message of the user.
type User struct {
	Common
	Content string   `json:"content"`
	Why     string   `json:"why"`
	To      []string `json:"to,omitempty"` // members that have to answer; none: all members
}

// Key announces the key with which an agent signs from then on.
type Key struct {
	Common
	Agent  string `json:"agent"`
	Public string `json:"public"` // Ed25519, in base64
}

// Type implements [Body].
func (Dialogue) Type() string { return "dialogue" }

// Type implements [Body].
func (Tool) Type() string { return "tool" }

// Type implements [Body].
func (Signal) Type() string { return "signal" }

// Type implements [Body].
func (Mailbox) Type() string { return "mailbox" }

// Type implements [Body].
func (Pass) Type() string { return "pass" }

// Type implements [Body].
func (System) Type() string { return "system" }

// Type implements [Body].
func (User) Type() string { return "user" }

// Type implements [Body].
func (Key) Type() string { return "key" }

// Kind implements [signals.Payload].
func (Dialogue) Kind() signals.Kind { return "room.dialogue" }

// Kind implements [signals.Payload].
func (Tool) Kind() signals.Kind { return "room.tool" }

// Kind implements [signals.Payload].
func (Signal) Kind() signals.Kind { return "room.signal" }

// Kind implements [signals.Payload].
func (Mailbox) Kind() signals.Kind { return "room.mailbox" }

// Kind implements [signals.Payload].
func (Pass) Kind() signals.Kind { return "room.pass" }

// Kind implements [signals.Payload].
func (System) Kind() signals.Kind { return "room.system" }

// Kind implements [signals.Payload].
func (User) Kind() signals.Kind { return "room.user" }

// Kind implements [signals.Payload].
func (Key) Kind() signals.Kind { return "room.key" }

func (d Dialogue) with(c Common) Body { d.Common = c; return d }
func (t Tool) with(c Common) Body     { t.Common = c; return t }
func (s Signal) with(c Common) Body   { s.Common = c; return s }
func (m Mailbox) with(c Common) Body  { m.Common = c; return m }
func (p Pass) with(c Common) Body     { p.Common = c; return p }
func (s System) with(c Common) Body   { s.Common = c; return s }
func (u User) with(c Common) Body     { u.Common = c; return u }
func (k Key) with(c Common) Body      { k.Common = c; return k }
