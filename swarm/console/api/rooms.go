package api

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// A Room is a room with its members.
type Room struct {
	Room    string   `json:"room"`
	Log     string   `json:"log" doc:"The run that has its events"`
	Seq     uint64   `json:"seq" doc:"Position of its newest event"`
	Head    string   `json:"head"`
	Ix      int      `json:"ix" doc:"Number of its newest section"`
	Members []Member `json:"members"`
	Unread  Unread   `json:"unread"`
	Mark    string   `json:"mark" doc:"!: something urgent is pending, for an agent or the user; ·: only background"`
	ReadTo  uint64   `json:"readTo" doc:"Position up to which the user has read it"`
	Last    string   `json:"last,omitempty" doc:"Beginning of its newest message"`
	Mail    []Mail   `json:"mail,omitempty" doc:"The mailbox ledger of the room, which mailbox_id refers to; not in lists"`
}

// Mail is an entry of the ledger of mailbox messages.
type Mail struct {
	ID   int    `json:"mailbox_id"`
	From string `json:"from"`
	To   string `json:"to"`
	Room string `json:"room" doc:"In which it arrived"`
	Ix   int    `json:"ix" doc:"Its section there"`
	Turn int    `json:"turn" doc:"Of all turns of the receiver, in which it heard the mail; 0: it waits"`
}

// Unread counts what the user has not read.
type Unread struct {
	Urgent     int `json:"urgent"`
	Normal     int `json:"normal"`
	Background int `json:"background"`
}

// A Member is an agent in a room.
type Member struct {
	Name       string     `json:"name"`
	Running    bool       `json:"running"`
	Urgent     int        `json:"urgent" doc:"Waiting messages"`
	Normal     int        `json:"normal"`
	Background int        `json:"background"`
	Mail       int        `json:"mail"`
	Credits    int        `json:"credits"`
	Next       string     `json:"next,omitempty" doc:"Why which message is next"`
	Paused     *time.Time `json:"paused,omitempty" doc:"Until when, after a failure"`
}

// A RoomEvent is an event of a room, with the fields that package events documents.
type RoomEvent = json.RawMessage

// RoomEvents are a page of events.
type RoomEvents struct {
	Room   string      `json:"room"`
	Events []RoomEvent `json:"events" doc:"In log order; the members are those of the rooms' event format"`
	More   bool        `json:"more" doc:"There are earlier ones"`
	Seq    uint64      `json:"seq" doc:"Position up to which they are complete: follow the feed after it"`
}

// A NewRoom makes a room.
type NewRoom struct {
	Room string `json:"room" minLength:"1" maxLength:"64"`
}

// A NewMessage is a message of the user in a room.
type NewMessage struct {
	Content  string   `json:"content" minLength:"1" maxLength:"65536"`
	Priority Priority `json:"priority,omitempty" doc:"Default: by the rules of intake"`
	To       []string `json:"to,omitempty" maxItems:"256" doc:"Members that have to answer"`
}

// A Priority is urgent, normal or background, or as a number 1, 2 or 3.
type Priority string

// UnmarshalJSON reads a word or a number.
func (p *Priority) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) != nil {
		word = string(data)
	}
	*p = Priority(word)
	return nil
}

// Schema implements [huma.SchemaProvider].
func (Priority) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, Enum: []any{"urgent", "normal", "background"}},
		{Type: huma.TypeInteger, Enum: []any{1.0, 2.0, 3.0}}, // as encoding/json reads numbers
	}}
}

// A Receipt reports how a message was queued.
type Receipt struct {
	Seq      uint64   `json:"seq"`
	ID       string   `json:"id"`
	Priority string   `json:"priority"`
	Why      string   `json:"why"`
	Queued   []string `json:"queued"`
	Full     []string `json:"full" doc:"Members whose queues are full"`
}

// A ReadTo is the position up to which the user has read.
type ReadTo struct {
	Through uint64 `json:"through"`
}
