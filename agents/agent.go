package agents

import (
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// An Agent is a reactor with a name, the kinds that it listens to and the kinds
// that it may emit. It is a plain value: set it up, then do not change it while
// it is in use. Its reactor is called from one goroutine per turn; an agent
// that takes part in several solves may have a turn in each at once.
type Agent struct {
	ID          string // its source; a name
	Role        string // its purpose, in words
	Personality Personality
	Listens     []signals.Kind // kinds it hears beside what a person says; nil: all
	CanEmit     []signals.Kind // kinds it may emit; nil: all that are not reserved, empty: none
	Weight      float64        // factor on the weight of its votes, in (0,1]; 0 means 1
	Rank        int            // for strategies in which the highest rank decides first
	Group       string         // of agents with correlated errors, such as those of one model: see consensus.Options.Groups; "": none
	TurnTimeout time.Duration  // of one turn; 0: none but that of the solve
	Reactor     Reactor
	Bench       bool // it takes part in a solve only once it joins: see the method Join of a swarm

	// Attention is the maximum number of new signals that it hears in one turn. The
	// most relevant come first and the rest waits: see [Agent.Attend]; 0: no limit.
	Attention int

	// Strategies chooses the agent's strategy for each turn ([Turn].Strategy) and
	// learns from the results; nil: the agent has no choice of strategies.
	Strategies Chooser

	// Router decides about signals before the agent gets them, by the routes of its
	// strategy, of the agent and of plugins: see [routing.Action]; nil: the agent
	// gets everything that it listens to. The router sees all signals addressed to
	// the agent, whatever the agent listens to, but of the agent's own signals only
	// results of tools. Solves share a router, but each has its own state.
	Router *routing.Router
	// Actions implement the router's custom actions, by name. They react to the
	// signal in the agent's next turn, in place of the Reactor.
	Actions map[string]Each
}

// Validate returns a [*signals.FieldError] for the first field that breaks a
// rule, or what the Reactor's own method Validate returns, if it has one.
func (a *Agent) Validate() error {
	if err := (signals.Limits{}).Name("agent.id", a.ID); err != nil {
		return err
	}
	if a.Reactor == nil {
		return &signals.FieldError{Field: "agent.reactor", Problem: "required: agents.Func, agents.On, or the Agent of a Thinker"}
	}
	if r, ok := a.Reactor.(interface{ Validate() error }); ok {
		if err := r.Validate(); err != nil {
			return fmt.Errorf("agents: %s: %w", a.ID, err)
		}
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
				return &signals.FieldError{Field: "agent.actions", Value: name, Problem: "no function for this action of the router"}
			}
		}
	}
	return a.Personality.Validate()
}

// VoteWeight returns Weight, or 1 if it is 0.
func (a *Agent) VoteWeight() float64 {
	if a.Weight == 0 {
		return 1
	}
	return a.Weight
}

// May reports whether CanEmit allows the agent to emit k.
func (a *Agent) May(k signals.Kind) bool {
	return a.CanEmit == nil || slices.Contains(a.CanEmit, k)
}

// Hears reports whether the agent gets signals of kind k: it listens to them, or a person says them.
func (a *Agent) Hears(k signals.Kind) bool {
	return a.Listens == nil || k == routing.KindUserMessage || slices.Contains(a.Listens, k)
}
