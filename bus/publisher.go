package bus

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// System is the source of the bus's own signals, and of its owner's handle.
const System = "system"

// A Publisher is one agent's handle: everything published through it has the
// agent's id as its source. It may be used concurrently.
type Publisher struct {
	bus         *Bus
	agent       string
	role        publisherRole
	permissions Permissions

	// Where the last signal went; the next one almost always goes there, too. That
	// p may publish that kind was checked then.
	pages        atomic.Pointer[store.Pages]
	kind, thread *store.Topic // protected by bus.mu
}

type publisherRole uint8

const (
	agentRole publisherRole = iota
	layerRole
	systemRole
	ruleRole // of the system, for conflicts that rules found
)

// A Receipt holds what the log assigned to a signal.
type Receipt struct {
	Seq  uint64
	ID   signals.ID
	Time time.Time
}

// Agent returns a handle for the agent with that id. Reserved kinds
// ([signals.KindTask], [signals.KindConflict], [conflict.KindResolved],
// [signals.KindConsensus] and those of a [Layer]) cannot be published through it,
// and it is an error to list them. The id must be a valid name other than [System].
func (b *Bus) Agent(id string, p Permissions) (*Publisher, error) {
	if err := (signals.Limits{}).Name("agent", id); err != nil {
		return nil, err
	}
	if id == System {
		return nil, &PermissionError{Agent: id, Reason: "the id is the system's"}
	}
	for _, k := range p.CanEmit {
		if b.isReserved(k) {
			return nil, &PermissionError{Agent: id, Kind: k, Reason: "the kind is reserved"}
		}
	}
	p.CanEmit, p.Threads = slices.Clone(p.CanEmit), slices.Clone(p.Threads)
	return &Publisher{bus: b, agent: id, permissions: p}, nil
}

// System returns the handle of the bus's owner, which may publish everything.
// Agents do not get it.
func (b *Bus) System() *Publisher { return &Publisher{bus: b, agent: System, role: systemRole} }

// Agent returns the id that signals published through p have as their source.
func (p *Publisher) Agent() string { return p.agent }

// Publish appends a copy of s to the log and returns when it is in the history,
// with its sequence number. It never waits for readers, but may wait for handlers
// until ctx ends (see [Handle]).
//
// If it returns an error, nothing is published: a [*signals.FieldError], a
// [*PermissionError], a [*LimitError], [ErrExpired], [ErrDuplicate], [ErrBacklog],
// [ErrClosed], or an error of package conflict for a proposal or its resolution.
func (p *Publisher) Publish(ctx context.Context, s signals.Any) (r Receipt, err error) {
	var one [1]draft
	if err = p.draft(&one[0], s); err == nil {
		err = p.bus.publish(ctx, p, one[:])
	}
	if err == nil { // field by field: copying the struct would wait 5 ns for the stores
		r.Seq, r.ID, r.Time = one[0].Seq, one[0].ID, one[0].Time
	}
	return r, err
}

// PublishAll is Publish for several signals: it publishes all of them, with
// consecutive sequence numbers, or none. The conflicts that they open follow the
// last one.
func (p *Publisher) PublishAll(ctx context.Context, all ...signals.Any) ([]Receipt, error) {
	ds, err := p.drafts(all)
	if err == nil {
		err = p.bus.publish(ctx, p, ds)
	}
	if err != nil {
		return nil, err
	}
	return receiptsOf(ds), nil
}

// Subscribe is [Bus.Subscribe] for this agent.
func (p *Publisher) Subscribe(o SubscribeOptions) (*Subscription, error) {
	o.Agent = p.agent
	return p.bus.Subscribe(o)
}

func receiptsOf(ds []draft) []Receipt {
	receipts := make([]Receipt, len(ds))
	for i := range ds {
		receipts[i] = Receipt{ds[i].Seq, ds[i].ID, ds[i].Time}
	}
	return receipts
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

func (p *Publisher) inspect(d *draft, s signals.Any) (err error) {
	d.Signal = s
	if pages := p.pages.Load(); pages != nil {
		if d.head, d.KindText, err = pages.Form.Inspect(p.bus.opts.Limits, s); d.head != nil && d.KindText == pages.Kind {
			d.Pages = pages
			if err == nil && !p.owns(d.head) {
				err = p.allow(d.KindText, d.head)
			}
			return err
		}
	}
	if err := p.bus.opts.Limits.Validate(s); err != nil {
		return err
	}
	d.Pages = nil
	d.head, d.KindText = signals.HeadOf(s), s.Kind()
	return p.allow(d.KindText, d.head)
}

// owns reports whether only the kind can be a reason to refuse the signal.
func (p *Publisher) owns(h *signals.Header) bool {
	return (h.Source == "" || h.Source == p.agent) && p.permissions.Threads == nil
}

func (p *Publisher) allow(k signals.Kind, h *signals.Header) error {
	if why := p.refusal(k, h); why != "" {
		return &PermissionError{p.agent, k, h.Thread, why}
	}
	return nil
}
