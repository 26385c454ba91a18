package bus

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrOption is returned for an invalid field of [Options], [SubscribeOptions] or
// [HandleOptions], or for an invalid handler; the error names it.
var ErrOption = errors.New("bus: invalid option")

func optionError(field string, value any, problem string) error {
	return fmt.Errorf("%w: %s is %v: %s", ErrOption, field, value, problem)
}

// Options of a [Bus]. The zero value and nil mean the defaults.
type Options struct {
	History   int           // signals kept; 0 means 1000
	TTL       time.Duration // of signals without one; 0 means 1m, <0 never expire
	Sweep     time.Duration // between sweeps; 0 means 10s, <0 only by [Bus.Sweep]
	Undrained int           // entries waiting for inline handlers at which Publish returns ErrBacklog; 0 means 65536
	Slow      time.Duration // a handler that takes longer is reported ([Slow]); 0 means 100ms

	// OnError is called for each signal for which an inline handler failed, as an
	// observer is ([Bus.Observe]). Nil: none.
	OnError func(Settled)

	Conflicts *conflict.Options // between proposals, and the number of those; nil means the defaults

	// Limits of each agent, whether it publishes itself or through a [Layer].
	Rate  float64 // signals per second that one agent may publish; 0: no limit
	Burst int     // signals that it may publish at once; 0 means one second's worth
	Bytes int     // maximum length of all texts and bytes of one agent in the history, in payloads (but not behind pointers) and recipients; 0: no limit

	// Sequencer orders the signals of this bus and of others in one log. Published
	// signals then pass through it, and it feeds the bus with every signal of every bus. Each
	// bus judges these signals by the log alone, so that all buses agree: proposals are owned
	// and expire by the log's times, and the signals of conflicts follow their causes
	// without being fed. The buses need the same Limits and Conflicts. Nil: the bus orders
	// its signals itself.
	Sequencer Sequencer

	Limits signals.Limits   // of texts
	Clock  func() time.Time // called under the bus's lock; nil means the machine's
	Mint   *signals.Mint    // makes the ids, with a Sequencer those of this bus alone; only the bus may use it from then on; nil means signals.NewMint(), with a Sequencer a new one for each id, so that none follows from another
}

// maxHistory is the limit of [Options].History: positions are ints.
const maxHistory = 1 << 32

func (o *Options) withDefaults() (Options, error) {
	r := *cmp.Or(o, new(Options))
	if err := r.check(); err != nil {
		return r, err
	}
	r.History = cmp.Or(r.History, 1000)
	r.Undrained = cmp.Or(r.Undrained, 1<<16)
	r.TTL = cmp.Or(r.TTL, time.Minute)
	r.Sweep = cmp.Or(r.Sweep, 10*time.Second)
	r.Slow = cmp.Or(r.Slow, 100*time.Millisecond)
	if r.Mint == nil && r.Sequencer == nil {
		r.Mint = signals.NewMint()
	}
	r.Burst = cmp.Or(r.Burst, max(1, int(r.Rate)))
	return r, nil
}

func (o *Options) check() error {
	switch {
	case o.History < 0 || int64(o.History) > maxHistory:
		return optionError("History", o.History, "not from 0 to 2^32")
	case o.Undrained < 0:
		return optionError("Undrained", o.Undrained, "negative")
	case o.Slow < 0:
		return optionError("Slow", o.Slow, "negative")
	case !(o.Rate >= 0 && o.Rate <= 1e15):
		return optionError("Rate", o.Rate, "not from 0 to 1e15")
	case o.Burst < 0:
		return optionError("Burst", o.Burst, "negative")
	case o.Bytes < 0:
		return optionError("Bytes", o.Bytes, "negative")
	case o.Conflicts != nil && o.Conflicts.MaxOpen < 0:
		return optionError("Conflicts.MaxOpen", o.Conflicts.MaxOpen, "negative")
	case o.Conflicts != nil && o.Conflicts.MaxLive < 0:
		return optionError("Conflicts.MaxLive", o.Conflicts.MaxLive, "negative")
	}
	return nil
}
