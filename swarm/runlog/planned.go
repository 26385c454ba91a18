package runlog

import (
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// KindPlanned is the kind of [Planned].
const KindPlanned signals.Kind = "mode:planned"

// Planned says how a solve works, and why. A thread without it deliberates.
type Planned struct {
	Plan Text `json:"plan"` // a [mode.Plan] as JSON
}

// Kind returns KindPlanned.
func (Planned) Kind() signals.Kind { return KindPlanned }

// Check implements [signals.Checker].
func (p Planned) Check(signals.Limits) error {
	plan, err := p.Of()
	if err != nil || len(plan.Members) == 0 {
		return &signals.FieldError{Kind: KindPlanned, Field: "plan", Value: string(p.Plan), Problem: fmt.Sprintf("want a plan with members: %v", err)}
	}
	return plan.Mode.Valid()
}

// Of returns the plan.
func (p Planned) Of() (*mode.Plan, error) {
	plan := new(mode.Plan)
	err := json.Unmarshal([]byte(p.Plan), plan)
	return plan, err
}

// String describes p in words.
func (p Planned) String() string {
	plan, err := p.Of()
	if err != nil {
		return "plan: " + err.Error()
	}
	return plan.String()
}
