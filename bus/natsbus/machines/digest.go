package machines

import (
	"crypto/sha256"
	"fmt"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Digest returns a function for [natsbus.Options].Digest that derives the decisions of the
// solves in a log from the log alone, as replay does, and returns what each signal decided.
// A decision that cannot be derived, or is not the one in the log, differs from every other.
func Digest() func(signals.Any) []byte {
	var decided []byte
	r, err := replay.New(journal.Snapshot{})
	if err != nil {
		return func(signals.Any) []byte { return []byte(err.Error()) }
	}
	r.Decided = func(thread, terms string, d consensus.Decision) {
		text, err := runlog.TextOf(d)
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s %v", thread, terms, text, err))
		decided = sum[:]
	}
	return func(s signals.Any) []byte {
		decided = nil
		if err := r.Next(s); err != nil {
			return []byte(err.Error())
		}
		return decided
	}
}
