package runlog

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// KindRefused is the kind of [Refused].
const KindRefused signals.Kind = "turn:refused"

// Refused says that a signal which an agent yielded in a turn was not published.
type Refused struct {
	Agent  string       `json:"agent"`            // required
	Round  int          `json:"round"`            // of the turn, from 1
	Signal signals.Kind `json:"signal"`           // at most 1 KiB of it
	Reason string       `json:"reason,omitempty"` // the error's text, at most 1 KiB of it
}

// RefusedBy returns the record of a signal that was refused with err.
func RefusedBy(agent string, round int, k signals.Kind, err error) Refused {
	return Refused{agent, round, signals.Kind(clip(string(k))), clip(err.Error())}
}

// Err returns an error of the same text.
func (p Refused) Err() error { return errors.New(p.Reason) }

// Kind returns KindRefused.
func (Refused) Kind() signals.Kind { return KindRefused }

// String describes p in words.
func (p Refused) String() string {
	return fmt.Sprintf("%s of %s was refused in round %d: %s", p.Signal, p.Agent, p.Round, p.Reason)
}

// Check implements [signals.Checker].
func (p Refused) Check(l signals.Limits) error {
	return cmp.Or(
		l.Name("agent", p.Agent), signals.AtLeastZero("round", float64(p.Round)),
		l.Text("signal", string(p.Signal)), l.Text("reason", p.Reason),
	)
}
