package coordination

import "github.com/swarmbus/swarmbus/signals"

// The kinds of notes: one for each message class.
const (
	KindAttention  signals.Kind = "attention"
	KindConfidence signals.Kind = "confidence"
	KindConflict   signals.Kind = "conflict.notice"
	KindHandoff    signals.Kind = "handoff"
	KindEscalation signals.Kind = "escalation"
)

// Class is the specific meaning of a note. The zero value is refused.
type Class uint8

// The classes.
const (
	AttentionRaise        Class = 1 + iota // someone should look at this
	ConfidenceHigh                         // the output is stable: grade in [0.8,1]
	ConfidenceMedium                       // reasonable, with caveats: [0.4,0.8)
	ConfidenceLow                          // speculative: (0,0.4)
	ConfidenceBlocker                      // no useful output without more input: 0
	ConflictActive                         // two views disagree in a relevant way
	ConflictResolved                       // they no longer disagree
	HandoffReady                           // the output can be used downstream
	HandoffPartial                         // part of it can, more will follow
	EscalationInterrupt                    // stop the plan
	EscalationUncertainty                  // too uncertain: asks for a stronger mode
)

var classNames = signals.NewEnum[Class]("class",
	"attention.raise",
	"confidence.high", "confidence.medium", "confidence.low", "confidence.blocker",
	"conflict.active", "conflict.resolved",
	"handoff.ready", "handoff.partial",
	"escalation.interrupt", "escalation.uncertainty",
)

// Check returns a [*signals.FieldError] for a class without a name.
func (c Class) Check() error { return classNames.Check(c) }

// String returns the wire name, or the number of an unknown class.
func (c Class) String() string { return classNames.String(c) }

// MarshalText returns the wire name; an unknown class is an error.
func (c Class) MarshalText() ([]byte, error) { return classNames.Marshal(c) }

// UnmarshalText accepts the eleven wire names and nothing else.
func (c *Class) UnmarshalText(text []byte) error { return classNames.Unmarshal(text, c) }

// Message returns the message class that the class belongs to, or 0 for an
// unknown class. It is derived from the class, so the two cannot disagree.
func (c Class) Message() Message {
	switch c {
	case AttentionRaise:
		return AboutAttention
	case ConfidenceHigh, ConfidenceMedium, ConfidenceLow, ConfidenceBlocker:
		return AboutConfidence
	case ConflictActive, ConflictResolved:
		return AboutConflict
	case HandoffReady, HandoffPartial:
		return AboutHandoff
	case EscalationInterrupt, EscalationUncertainty:
		return AboutEscalation
	}
	return 0
}

// Message is the message class of a note: its broad intent.
type Message uint8

// The message classes.
const (
	AboutAttention  Message = 1 + iota // to consider, not urgent
	AboutConfidence                    // how stable the source's output is
	AboutConflict                      // views that cannot both stand
	AboutHandoff                       // someone downstream can continue
	AboutEscalation                    // the path must change
)

var messageNames = signals.NewEnum[Message]("message", "attention", "confidence", "conflict", "handoff", "escalation")

// Check returns a [*signals.FieldError] for a message class without a name.
func (m Message) Check() error { return messageNames.Check(m) }

// String returns the name, or the number of an unknown message class.
func (m Message) String() string { return messageNames.String(m) }

// Kind returns the kind that notes of this message class have, or "" for an unknown
// one.
func (m Message) Kind() signals.Kind {
	switch m {
	case AboutAttention:
		return KindAttention
	case AboutConfidence:
		return KindConfidence
	case AboutConflict:
		return KindConflict
	case AboutHandoff:
		return KindHandoff
	case AboutEscalation:
		return KindEscalation
	}
	return ""
}
