package bus

import (
	"sync/atomic"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// A Publisher is one agent's handle: everything published through it has the
// agent's id as its source. It may be used concurrently.
type Publisher struct {
	bus         *Bus
	agent       string
	role        role
	permissions Permissions

	// Where the last signal went; the next one almost always goes there, too. That
	// p may publish that kind was checked then.
	pages        atomic.Pointer[store.Pages]
	kind, thread *store.Topic // protected by the bus's lock
}

type role uint8

const (
	agentRole role = iota
	layerRole
	systemRole
)

// Agent returns the id that signals published through p have as their source.
func (p *Publisher) Agent() string { return p.agent }

// allow refuses a signal that a handle may not publish.
func (p *Publisher) allow(k signals.Kind, h *signals.Header) error {
	if why := p.refusal(k, h); why != "" {
		return &PermissionError{Agent: p.agent, Kind: k, Thread: h.Thread, Reason: why}
	}
	return nil
}

// rememberLocked records where a signal went.
func (p *Publisher) rememberLocked(d *draft) {
	p.kind, p.thread = d.Kind, d.Thread
	if p.role == agentRole {
		p.bus.spoken = true
	}
	if d.Pages.Kind != "" {
		p.pages.Store(d.Pages)
	}
}

func (p *Publisher) drafts(all []signals.Any) ([]draft, error) {
	ds := make([]draft, len(all))
	for i, s := range all {
		if err := p.draft(&ds[i], s); err != nil {
			return nil, err
		}
	}
	return ds, nil
}

// draft checks what needs no lock.
func (p *Publisher) draft(d *draft, s signals.Any) error {
	if err := p.inspect(d, s); err != nil {
		return err
	}
	return p.bus.meets(s)
}

// inspect validates a signal. One with the payload type of the one before takes a
// third of the time.
func (p *Publisher) inspect(d *draft, s signals.Any) (err error) {
	d.Signal = s
	if pages := p.pages.Load(); pages != nil {
		if d.head, d.KindText, err = pages.Form.Inspect(p.bus.limits, s); d.head != nil && d.KindText == pages.Kind {
			d.Pages = pages
			if h := d.head; err == nil && (p.permissions.Threads != nil || h.Source != "" && h.Source != p.agent) {
				err = p.allow(d.KindText, h) // only the kind is known to be allowed
			}
			return err
		}
	}
	d.Pages = nil
	if err := p.bus.examine(d, s); err != nil {
		return err
	}
	return p.allow(d.KindText, d.head)
}
