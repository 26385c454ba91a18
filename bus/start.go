package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/watch"
)

// Subscribe starts a subscription with the next signal that is published, or in
// the past.
func (b *Bus) Subscribe(o SubscribeOptions) (*Subscription, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Kinds, o.Threads = slices.Clone(o.Kinds), slices.Clone(o.Threads)
	return b.join(o, watch.Here())
}

// Subscribe is [Bus.Subscribe] for this agent.
func (p *Publisher) Subscribe(o SubscribeOptions) (*Subscription, error) {
	o.Agent = p.agent
	return p.bus.Subscribe(o)
}
