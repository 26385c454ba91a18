package bus

import (
	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// System is the source of the bus's own signals, and of its owner's handle.
const System = "system"

// A Bus is one ordered, bounded log of signals with its readers. All methods
// may be called concurrently and inside handlers, except those that say
// otherwise. Make one with [New].
type Bus struct {
	stream
	admission
}

// New returns an empty bus. It starts goroutines only when they are needed. Its
// error is [ErrOption] and names the invalid field.
func New(o *Options) (*Bus, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	b, q := new(Bus), &quota{opts.Rate, float64(opts.Burst), opts.Bytes, map[string]*bucket{}, map[string]int{}}
	mint := opts.Mint
	if opts.Sequencer != nil {
		mint = signals.NewMint() // no id follows from the sequence number, which the bus does not give
	}
	b.core.init(store.New(opts.History, mint), store.NewClock(opts.Clock), opts.OnError)
	b.stream.init(opts.Conflicts, opts.Slow, opts.Sweep, q)
	b.admission.init(&b.conflicts, &b.inline, b.log, q)
	b.limits, b.room, b.ttl, b.mint, b.sequencer, b.shared = opts.Limits, opts.Undrained, opts.TTL, opts.Mint, opts.Sequencer, opts.Sequencer != nil
	return b, nil
}
