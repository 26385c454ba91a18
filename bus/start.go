package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/bus/internal/site"
	"github.com/swarmbus/swarmbus/signals"
)

// Subscribe starts a subscription with the next signal that is published, or in
// the past.
func (b *Bus) Subscribe(o SubscribeOptions) (*Subscription, error) { return b.subscribe(o) }

// Subscribe is [Bus.Subscribe] for this agent.
func (p *Publisher) Subscribe(o SubscribeOptions) (*Subscription, error) {
	o.Agent = p.agent
	return p.bus.subscribe(o)
}

func (r *readers) subscribe(o SubscribeOptions) (*Subscription, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Kinds, o.Threads = slices.Clone(o.Kinds), slices.Clone(o.Threads)
	s := &Subscription{core: r.core, readers: r, options: o, site: site.Here(), batch: 1}
	want := backlog.Selector{Addressed: func(to signals.Recipients) bool { return o.Agent == System || to.Include(o.Agent) }}
	if err := r.join(s, want); err != nil {
		return nil, err
	}
	return s, nil
}
