package schedule

import (
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// A Reason is the reason why a message is next.
type Reason uint8

// The reasons of picks.
const (
	UrgentFirst   Reason = 1 + iota // an urgent message is always first
	CreditLeft                      // a normal message, while credits are left
	BackgroundDue                   // no credits are left: a background message is due
	NoNormal                        // a background message, since no normal one waits
	NoBackground                    // no credits are left, but no background message waits
)

var reasons = signals.NewEnum[Reason]("reason", "urgent first", "credit left", "background due", "no normal", "no background")

// String returns the reason in words.
func (r Reason) String() string { return reasons.String(r) }

// MarshalText writes the reason in words.
func (r Reason) MarshalText() ([]byte, error) { return reasons.Marshal(r) }

// UnmarshalText reads the words.
func (r *Reason) UnmarshalText(text []byte) error { return reasons.Unmarshal(text, r) }

// A Pick is the message that is next, and why.
type Pick struct {
	Message Message
	Level   Priority // of the queue it is in by now: more urgent than stated if it was promoted
	Why     Reason
	Credits int    // before the pick
	Waited  uint64 // finished turns since it entered the queue

	at path
}

// String explains the pick in one line.
func (p Pick) String() string {
	text := fmt.Sprintf("%v: message %d of the %v queue after %d turns, with %d credits", p.Why, p.Message.ID, p.Level, p.Waited, p.Credits)
	if p.Level != p.Message.Priority {
		text += fmt.Sprintf("; stated %v, promoted for waiting", p.Message.Priority)
	}
	return text
}
