package thinker

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// Validate returns a [*signals.FieldError] for the first field that breaks a rule. A
// swarm calls it for its agents.
func (t *Thinker) Validate() error {
	if t.Model == nil {
		return &signals.FieldError{Field: "thinker.model", Problem: "required: the model that the agent asks"}
	}
	for _, x := range []struct {
		field string
		value int
	}{{"tokens", t.Tokens}, {"prompt", t.Prompt}, {"text", t.Text}} {
		if err := signals.AtLeastZero("thinker."+x.field, float64(x.value)); err != nil {
			return err
		}
	}
	if t.Temperature != nil {
		if err := signals.AtLeastZero("thinker.temperature", *t.Temperature); err != nil {
			return err
		}
	}
	for _, k := range t.CanEmit {
		if all := append(Says(), Coordinates()...); !slices.Contains(append(all, signals.KindMemory, signals.KindRetraction, reports.Turn{}.Kind()), k) {
			return &signals.FieldError{Field: "thinker.canEmit", Value: string(k), Problem: "not a kind that a thinker can say"}
		}
	}
	return t.Tools.Validate()
}
