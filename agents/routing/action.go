package routing

import (
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// A Verb is what an action does to a signal and to the agent. The zero value is
// that of [Unrouted]. Its wire form is text.
type Verb uint8

// The verbs.
const (
	VerbContinue Verb = 1 + iota
	VerbGracefulStop
	VerbForceStop
	VerbReject
	VerbTransition
	VerbCustom
)

var verbs = signals.NewEnum[Verb]("action", "continue", "graceful-stop", "force-stop", "reject", "transition", "custom")

// String returns the wire name, and "unrouted" for the zero value.
func (v Verb) String() string {
	if v == 0 {
		return "unrouted"
	}
	return verbs.String(v)
}

// An Action is what an agent does about a signal. Actions are compared with ==.
type Action struct {
	Verb Verb
	Name string // of the state of a transition, or of a custom action; else ""
}

// The actions without a name.
var (
	// Unrouted is the action of a [Decision] if no route matches: the agent
	// handles the signal, as with Continue. No route may have it.
	Unrouted = Action{}
	// Continue hands the signal to the agent.
	Continue = Action{Verb: VerbContinue}
	// GracefulStop lets the agent finish its current turn, if any. The agent
	// does not get the signal and takes no further turn.
	GracefulStop = Action{Verb: VerbGracefulStop}
	// ForceStop ends the agent's current turn at once and drops its result. The
	// agent takes no further turn.
	ForceStop = Action{Verb: VerbForceStop}
	// Reject keeps the signal from the agent.
	Reject = Action{Verb: VerbReject}
)

// Transition changes the state of the agent's strategy and then hands the signal
// to the agent.
func Transition(to State) Action { return Action{VerbTransition, string(to)} }

// Custom hands the signal to the function that the agent registered under that
// name, in place of its usual handling.
func Custom(name string) Action { return Action{VerbCustom, name} }

// String returns the verb, followed by a colon and the name if there is one.
func (a Action) String() string {
	if a.Name == "" {
		return a.Verb.String()
	}
	return a.Verb.String() + ":" + a.Name
}

// MarshalText returns the same text as String.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes; [New] refuses a name that the verb does not take.
func (a *Action) UnmarshalText(written []byte) error {
	verb, name, _ := strings.Cut(string(written), ":")
	var of Verb
	if err := verbs.Unmarshal([]byte(verb), &of); err != nil {
		return err
	}
	*a = Action{of, name}
	return nil
}

// A Tier is a level of authority over routing. A lower number has precedence
// over a higher one. Its wire form is text.
type Tier uint8

// The tiers, highest authority first.
const (
	TierStrategy Tier = 1 + iota
	TierAgent
	TierPlugin
)

var tiers = signals.NewEnum[Tier]("tier", "strategy", "agent", "plugin")

// String returns the wire name, and "unset" for the zero value.
func (t Tier) String() string { return tiers.String(t) }

// MarshalText returns the same text as String.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
