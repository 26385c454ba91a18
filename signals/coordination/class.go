package coordination

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of notes: one for each message class.
const (
	KindAttention  signals.Kind = "attention"
	KindConfidence signals.Kind = "confidence"
	KindConflict   signals.Kind = "conflict.notice"
	KindHandoff    signals.Kind = "handoff"
	KindEscalation signals.Kind = "escalation"
)

// Class is the specific meaning of a note: one of the eleven, or one that the program registered
// ([Register]). The zero value is refused.
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

// eleven are the wire names of the classes.
var eleven = []string{
	"attention.raise",
	"confidence.high", "confidence.medium", "confidence.low", "confidence.blocker",
	"conflict.active", "conflict.resolved",
	"handoff.ready", "handoff.partial",
	"escalation.interrupt", "escalation.uncertainty",
}

// Check returns a [*signals.FieldError] for a class without a name.
func (c Class) Check() error { return known.Load().names.Check(c) }

// String returns the wire name, or the number of an unknown class.
func (c Class) String() string { return known.Load().names.String(c) }

// MarshalText returns the wire name; an unknown class is an error.
func (c Class) MarshalText() ([]byte, error) { return known.Load().names.Marshal(c) }

// UnmarshalText accepts the eleven wire names, those that were registered, and nothing else.
func (c *Class) UnmarshalText(text []byte) error { return known.Load().names.Unmarshal(text, c) }

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
	var of Message
	if r, registered := c.rule(); registered {
		name, _, _ := strings.Cut(r.Name, ".")
		_ = of.unmarshal(name) // it was checked
	}
	return of
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

func (m *Message) unmarshal(name string) error { return messageNames.Unmarshal([]byte(name), m) }

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

// A Rule says what a class of a program means, beside the eleven.
type Rule struct {
	// Name begins with the message class, as those of the eleven do: "attention.acme.example/flaky".
	Name     string
	Audience Audience // of a note that states none; 0: that of the message class
	Priority Priority // of a note that states none; 0: that of the message class
	// Least and Most bound the grade of a note, inclusively, which then has to have one. Both 0: the
	// grade is as the message class has it.
	Least, Most float64
}

// classes are the names of all classes, and the rules of those that were registered.
type classes struct {
	names signals.Enum[Class]
	all   []string
	rules []Rule // of the classes after the eleven
}

var (
	registering sync.Mutex // held to replace known
	known       = closed()
)

// closed returns the eleven.
func closed() *atomic.Pointer[classes] {
	p := new(atomic.Pointer[classes])
	p.Store(&classes{names: signals.NewEnum[Class]("class", eleven...), all: eleven})
	return p
}

// Register adds a class for this process, and returns it. A program registers its classes before it
// opens logs that have them: the text of a class that is not registered is refused. A second
// registration of the same rule returns the same class. The error is a [*signals.FieldError].
func Register(r Rule) (Class, error) {
	registering.Lock()
	defer registering.Unlock()
	now := known.Load()
	if i := slices.Index(now.all, r.Name); i >= len(eleven) && now.rules[i-len(eleven)] == r {
		return Class(i + 1), nil
	}
	message, rest, _ := strings.Cut(r.Name, ".")
	var of Message
	wrong := func(field, value, problem string) error {
		return &signals.FieldError{Field: "class." + field, Value: value, Problem: problem}
	}
	switch {
	case slices.Contains(now.all, r.Name):
		return 0, wrong("name", r.Name, "is registered with another rule, or one of the eleven")
	case of.unmarshal(message) != nil || rest == "":
		return 0, wrong("name", r.Name, "does not begin with a message class and a dot: attention, confidence, conflict, handoff or escalation")
	case (signals.Limits{}).Name("name", r.Name) != nil:
		return 0, (signals.Limits{}).Name("class.name", r.Name)
	case r.Audience != 0 && audienceNames.Check(r.Audience) != nil:
		return 0, wrong("audience", r.Audience.String(), "has no name")
	case r.Priority != 0 && r.Priority.Check() != nil:
		return 0, wrong("priority", r.Priority.String(), "has no name")
	case !(r.Least >= 0 && r.Least <= r.Most && r.Most <= 1):
		return 0, wrong("least", fmt.Sprint(r.Least), fmt.Sprintf("is not from 0 to most, which is %v, and that at most 1", r.Most))
	case len(now.all) == math.MaxUint8:
		return 0, wrong("name", r.Name, "is one class too many")
	}
	all := append(slices.Clone(now.all), r.Name)
	known.Store(&classes{names: signals.NewEnum[Class]("class", all...), all: all, rules: append(slices.Clone(now.rules), r)})
	return Class(len(all)), nil
}

// rule returns the rule of a class that was registered.
func (c Class) rule() (r Rule, registered bool) {
	now := known.Load()
	if i := int(c) - 1 - len(eleven); i >= 0 && i < len(now.rules) {
		return now.rules[i], true
	}
	return r, false
}
