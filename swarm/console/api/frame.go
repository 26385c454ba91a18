package api

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Types of frames.
const (
	FrameHello  = "hello"
	FrameSignal = "signal"
	FrameSaying = "saying"
	FrameRoom   = "room"
	FrameResync = "resync"
	FrameAlive  = "alive"
)

// A Frame is one message of the feed, by server-sent events as well as by WebSocket.
//
// The first one is hello. After that, each signal in the log of a run is one frame, in log
// order: signal for solves, room for events of rooms. Fragments of answers and passes are
// not in the log: their frames have no position. Nor has saying, which comes up to three times a
// second while the models of a solve are answering. Signals of all runs with the cursor's
// positions or lower have been sent, or were not asked for.
//
// A resync reports that frames were left out, because the client was slow, or asked for
// positions that are no longer kept: the client has to fetch its data again. The frames
// after it continue at its cursor. An alive comes every 5 seconds.
type Frame struct {
	Type string     `json:"type" enum:"hello,signal,saying,room,resync,alive"`
	Log  string     `json:"log,omitempty" doc:"Run"`
	Seq  uint64     `json:"seq,omitempty" doc:"Position in the log of the run"`
	Time *time.Time `json:"time,omitempty"`
	Kind string     `json:"kind,omitempty" doc:"Of the signal, or type of the room's event"`

	Solve   *Solve   `json:"solve,omitempty" doc:"The solve after the signal, or with what its agents are saying"`
	Said    *Said    `json:"said,omitempty" doc:"The signal in words, to append"`
	Vote    *Vote    `json:"vote,omitempty" doc:"To append"`
	Step    *Step    `json:"step,omitempty" doc:"To append"`
	Changes []string `json:"changes,omitempty" enum:"proposals,rounds,conflicts,debates,escalations,decision,terms" doc:"What else of the solve's detail changed: fetch it again, after the last position shown"`
	Item    *Item    `json:"item,omitempty" doc:"Of the inbox, which opened or was answered"`

	Room  string    `json:"room,omitempty"`
	Event RoomEvent `json:"event,omitempty"`

	Boot   string            `json:"boot,omitempty" doc:"In hello: changes when the server starts again"`
	Cursor map[string]uint64 `json:"cursor,omitempty" doc:"In hello, resync and alive: position by run, from which to continue"`
	Reason string            `json:"reason,omitempty" doc:"In resync"`
}

// A Subscription selects the frames of a client. The lists are ANDed, and an empty list
// selects every frame. By WebSocket a client sends it as one JSON message, which replaces
// the one before; by server-sent events it is in the query.
type Subscription struct {
	Solves []string `json:"solves,omitempty" query:"solve" maxItems:"256" doc:"Ids of solves; frames of rooms are not selected by them"`
	Rooms  []string `json:"rooms,omitempty" query:"room" maxItems:"256" doc:"Rooms; frames of solves are not selected by them"`
	Kinds  []string `json:"kinds,omitempty" query:"kind" maxItems:"256" doc:"Kinds of signals, or types of events"`
	Types  []string `json:"types,omitempty" query:"type" maxItems:"4" enum:"signal,saying,room" doc:"Types of frames; default: all"`
	// After is where to continue: RUN:SEQ, by the header Last-Event-ID too.
	After []string `json:"after,omitempty" query:"after" maxItems:"256" doc:"RUN:SEQ: continue after these positions, from what is kept; runs that are not named: from now on"`
}

// FrameSchema returns the JSON Schema of a [Frame], with the schemas that it refers to.
func FrameSchema() ([]byte, error) {
	registry := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer)
	registry.Schema(typeOf[Frame](), true, "Frame")
	registry.Schema(typeOf[Subscription](), true, "Subscription")
	return json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "A message of the feed of swarmbus serve",
		"$ref":    "#/$defs/Frame", "$defs": registry.Map(),
	}, "", "  ")
}
