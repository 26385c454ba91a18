package connectivity

import (
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Rebuild returns a layer on b that knows what the log says, in log order and
// from its beginning: it answers every query as the layer that wrote the log
// does, and goes on from there. o must name the same layer. Other signals in
// the log are passed over, and nobody is called or told.
//
// Hook, observers, coordinators, components and resolvers are not in the log
// and have to be set again.
func Rebuild(b *bus.Bus, o *Options, log iter.Seq[signals.Any]) (*Layer, error) {
	l := New(b, o)
	var changes []change
	for s := range log {
		l.passIDs(signals.HeadOf(s).ID)
		var err error
		if changes, err = l.fold.apply(s, signals.HeadOf(s).Seq, changes[:0]); err != nil {
			return nil, err
		}
		l.fold.sweep()
	}
	if l.fold.last > 0 {
		l.now = time.Unix(0, l.fold.last)
	}
	return l, nil
}

// passIDs makes sure that a mint with a seed does not start over.
func (l *Layer) passIDs(id signals.ID) {
	const counter = 1<<24 - 1 // what an id holds of its number
	if n, ok := l.opts.Mint.Seq(id, max(l.fold.byID.last, counter)); ok {
		l.fold.byID.raise(n)
	}
}
