package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// Reserved returns the kinds that only a swarm publishes.
func Reserved() []signals.Kind {
	return append(coordination.Kinds(), KindBegan, KindPlanned, KindLate, KindFailed, KindRefused, KindSame, KindMember, KindAnswered, asking.KindAsked, asking.KindAnswered, settle.KindUnpaid, KindTerms, KindDecided, KindOutcome, claims.KindWritten)
}

// Kinds returns the registrations that a [signals.Codec] needs to read the log
// of a solve.
func Kinds() []signals.Registration {
	return append(slices.Concat(routing.Kinds(), coordination.Entries(), asking.Payloads()),
		signals.For[Began](), signals.For[Planned](), signals.For[Late](), signals.For[Failed](), signals.For[Refused](), signals.For[Same](), signals.For[Member](), signals.For[Answered](), signals.For[settle.Unpaid](),
		signals.For[agents.Passed](), signals.For[agents.Fallback](), signals.For[signals.Retraction](),
		signals.For[conflict.Resolution](),
		signals.For[claims.Written](), signals.For[Opened](), signals.For[Decided](), signals.For[Outcome](),
	)
}

// NewCodec returns a codec for the signals of a journal of solves, with the kinds of a
// program. It does not limit the length of texts: a bus has validated them.
func NewCodec(own ...signals.Registration) (*signals.Codec, error) {
	codec, err := signals.NewCodec(append(Kinds(), own...)...)
	if err == nil {
		codec.Limits.TextBytes = -1
	}
	return codec, err
}
