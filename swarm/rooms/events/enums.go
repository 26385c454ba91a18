package events

import "github.com/swarmbus/swarmbus/signals"

// Status is how far the call of a tool is.
type Status uint8

// The statuses of a call.
const (
	Pending Status = 1 + iota
	Running
	Done
	Failed // "error"
)

var statuses = signals.NewEnum[Status]("status", "pending", "running", "done", "error")

// String returns the status in one word.
func (s Status) String() string { return statuses.String(s) }

// MarshalText writes the word.
func (s Status) MarshalText() ([]byte, error) { return statuses.Marshal(s) }

// UnmarshalText reads the word.
func (s *Status) UnmarshalText(text []byte) error { return statuses.Unmarshal(text, s) }

// Over reports whether the call has ended.
func (s Status) Over() bool { return s == Done || s == Failed }

// What is the change that a system event reports.
type What uint8

// The changes.
const (
	Created   What = 1 + iota // the room was created
	Joined                    // the agent joined the room
	Left                      // the agent left the room
	Restarted                 // the agent began a new session: its turns count from 1
	Faulted                   // "failed": the agent's turn failed
	Refused                   // the agent's queue is full, or a message has come too far
	SetAside                  // "set aside": the agent failed too often in turns for a message
	Asked                     // the agent asks the user about a call that may have been made
	Stopped                   // the agent's messages cause no more turns: the user's message has caused too many
)

var whats = signals.NewEnum[What]("what", "created", "joined", "left", "restarted", "failed", "refused", "set aside", "asked", "stopped")

// String returns the change in one word.
func (w What) String() string { return whats.String(w) }

// MarshalText writes the word.
func (w What) MarshalText() ([]byte, error) { return whats.Marshal(w) }

// UnmarshalText reads the word.
func (w *What) UnmarshalText(text []byte) error { return whats.Unmarshal(text, w) }
