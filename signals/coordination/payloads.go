package coordination

import "github.com/swarmbus/swarmbus/signals"

// Payloads returns the registrations of the package's kinds, for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Attention](), signals.For[Confidence](), signals.For[ConflictNotice](),
		signals.For[Handoff](), signals.For[Escalation](), signals.For[Transition](),
	}
}
