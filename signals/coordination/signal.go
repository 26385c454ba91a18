package coordination

import (
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Signal is a snapshot of an emitted note, for those to whom it is addressed.
// It is a copy: modifying it changes nothing.
type Signal struct {
	Seq           uint64 // its position in the log
	ID            signals.ID
	Thread        string
	Source        string
	Class         Class
	Audience      Audience
	Priority      Priority
	Confidence    Grade
	Summary       string
	Details       string
	Replaces      signals.ID
	Step          int // of the thread, when it was emitted
	ExpiresAtStep int // 0: never
	EmittedAt     time.Time
	State         State
	Recipients    []string // sorted; nil: no one in particular, or all
	Components    int      // the number registered, if it went to all of them
}

// String describes the signal in a sentence, for people.
func (s Signal) String() string {
	return s.Source + ": " + sentence(s.Class, s.Priority, s.Confidence, s.Summary, s.Details)
}

// sentence describes a note: its class, what is unusual about it, and its text.
func sentence(c Class, p Priority, g Grade, summary, details string) string {
	what := c.String()
	if p != Normal {
		what = p.String() + " " + what
	}
	if x, given := g.Get(); given {
		what += fmt.Sprintf(" %.2f", x)
	}
	if details != "" {
		summary += " — " + details
	}
	return what + ": " + summary
}
