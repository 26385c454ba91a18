package coordination

import "github.com/swarmbus/swarmbus/signals"

// system is the source of entries that no component wrote: the bus's own name.
const system = "system"

// noRecipients stands for no recipients, because an empty list means everyone on the
// bus. Only the system has this id, and it reads everything.
var noRecipients = signals.To(system)

// To returns the recipients of an entry for components. For none it is the system, because
// an empty list means everyone on the bus.
func To(components ...string) signals.Recipients {
	if len(components) == 0 {
		return noRecipients
	}
	return signals.To(components...)
}

// names returns the components among recipients.
func names(to signals.Recipients) []string {
	if to.Equal(noRecipients) {
		return nil
	}
	return to.Names()
}
