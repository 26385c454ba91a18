package agents

import (
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// An Agent is a reactor with a name, ears and a mouth. It is a plain value:
// set it up, then do not change it while it is in use. Its reactor is called
// from one goroutine per turn; an agent that takes part in several solves may
// have a turn in each at once.
type Agent struct {
	ID          string // its source; a name
	Role        string // what it is there for, in words
	Personality Personality
	Listens     []signals.Kind // what it hears; nil: everything
	CanEmit     []signals.Kind // what it may say; nil: everything that is not reserved, empty: nothing
	Weight      float64        // factor on the weight of its votes, in (0,1]; 0 means 1
	Rank        int            // for strategies that ask the highest rank first
	Group       string         // of those that err alike, as by one model, for strategies that read it; "": none
	TurnTimeout time.Duration  // of one turn; 0: as long as the solve lasts
	Reactor     Reactor

	// Attention is how many signals it hears for the first time in one turn. The
	// rest waits, and what matters most comes first, see [Agent.Attend]; 0: it hears
	// all at once.
	Attention int

	// Strategies chooses how the agent goes about each turn ([Turn].Strategy), and
	// learns from what came of it; nil: the agent has one way.
	Strategies Chooser

	// Router decides about signals before the agent gets them, by routes of its
	// strategy, its own and its plugins', see [routing.Action]; nil: the agent gets
	// all it listens to. It sees everything addressed to the agent, whatever the
	// agent listens to, and of its own the results of tools. Solves share a router
	// and have states of their own.
	Router *routing.Router
	// Actions are what custom actions of the router do, by name. Each reacts to the
	// signal in the agent's next turn, in place of the Reactor.
	Actions map[string]Each
}

// Validate returns the first field that breaks a rule, as a
// [*signals.FieldError].
func (a *Agent) Validate() error {
	if err := (signals.Limits{}).Name("agent.id", a.ID); err != nil {
		return err
	}
	if a.Reactor == nil {
		return &signals.FieldError{Field: "agent.reactor", Value: a.ID, Problem: "missing"}
	}
	if err := signals.Unit("agent.weight", a.Weight); err != nil {
		return err
	}
	if a.TurnTimeout < 0 {
		return &signals.FieldError{Field: "agent.turnTimeout", Value: a.TurnTimeout.String(), Problem: "negative"}
	}
	if err := signals.AtLeastZero("agent.attention", float64(a.Attention)); err != nil {
		return err
	}
	if a.Router != nil {
		for _, name := range a.Router.Customs() {
			if a.Actions[name] == nil {
				return &signals.FieldError{Field: "agent.actions", Value: name, Problem: "its router asks for it"}
			}
		}
	}
	return a.Personality.Validate()
}

// VoteWeight returns Weight, with 1 for 0.
func (a *Agent) VoteWeight() float64 {
	if a.Weight == 0 {
		return 1
	}
	return a.Weight
}

// May reports whether the agent may say k, as far as its CanEmit tells.
func (a *Agent) May(k signals.Kind) bool {
	return a.CanEmit == nil || slices.Contains(a.CanEmit, k)
}

// A PanicError is what an agent's panic becomes.
type PanicError struct {
	Agent string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("agents: %s panicked: %v", e.Agent, e.Value) }
