package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Reserved returns the kinds that only a swarm publishes.
func Reserved() []signals.Kind {
	return append(connectivity.Kinds(), KindBegan, KindLate, KindFailed, KindSame, KindAnswered, KindTerms, KindDecided, KindOutcome)
}

// Kinds returns the registrations that a [signals.Codec] needs to read the log
// of a solve.
func Kinds() []signals.Registration {
	return append(slices.Concat(routing.Kinds(), connectivity.Payloads()),
		signals.For[Began](), signals.For[Late](), signals.For[Failed](), signals.For[Same](), signals.For[Answered](),
		signals.For[agents.Passed](),
		signals.For[conflict.Resolution](),
		signals.For[Opened](), signals.For[Decided](), signals.For[Outcome](),
	)
}
