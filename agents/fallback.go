package agents

import (
	"cmp"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// Fallback says that another model than the agent's own answered in a turn, before what the agent
// said there: see [Records]. A vote of the turn is one of the group of that model (see
// [Agent].Group), so that the votes of two agents that fell back to one model are one opinion.
type Fallback struct {
	Model  string `json:"model"`            // required; the one that answered, as provider:name
	For    string `json:"for"`              // required; the agent's own
	Reason string `json:"reason,omitempty"` // why that one did not
}

// Kind returns "turn:fallback".
func (Fallback) Kind() signals.Kind { return "turn:fallback" }

// Check implements [signals.Checker].
func (p Fallback) Check(l signals.Limits) error {
	return cmp.Or(l.Required("model", p.Model), l.Required("for", p.For), l.Text("reason", p.Reason))
}

// String describes p in words.
func (p Fallback) String() string {
	if p.Reason == "" {
		return fmt.Sprintf("%s answered in place of %s", p.Model, p.For)
	}
	return fmt.Sprintf("%s answered in place of %s: %s", p.Model, p.For, p.Reason)
}
