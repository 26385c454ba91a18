package coordination

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// KindTransition is the kind of a [Transition].
const KindTransition signals.Kind = "connectivity:transition"

// Transition says that notes of one thread reached a state. Its source is the component
// that ended them, by replacing or resolving, or the system. A terminal transition has
// the recipients of the notes; one to Active is for the system only.
type Transition struct {
	Link
	State   State        `json:"state"`   // required; not Emitted
	Signals []signals.ID `json:"signals"` // required
}

// Resolution returns the draft with which an agent says that notes have been dealt with.
func Resolution(ids ...signals.ID) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, Transition{State: Resolved, Signals: ids})
}

// Kind returns KindTransition.
func (Transition) Kind() signals.Kind { return KindTransition }

// Check implements [signals.Checker].
func (t *Transition) Check(l signals.Limits) error {
	if err := first(t.Link.Check(l), t.State.Check()); err != nil {
		return err
	}
	if t.State == Emitted {
		return &signals.FieldError{Field: "state", Value: t.State.String(), Problem: "a signal cannot return to it"}
	}
	if len(t.Signals) == 0 {
		return &signals.FieldError{Field: "signals", Problem: "required"}
	}
	for _, id := range t.Signals {
		if err := l.Ref("signals", id); err != nil {
			return err
		}
	}
	return nil
}

// String describes the transition in a sentence, for people.
func (t Transition) String() string {
	ids := make([]string, len(t.Signals))
	for i, id := range t.Signals {
		ids[i] = id.String()
	}
	return fmt.Sprintf("%s: %s", t.State, strings.Join(ids, ", "))
}
