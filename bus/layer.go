package bus

import (
	"context"
	"maps"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Layer is the handle of a package that keeps state of its own on a bus, as
// a fold of the log: it alone may publish certain kinds, in the name of whom
// it acts for, and what it publishes may depend on everything that is in the
// log before it. Its methods may be called concurrently.
type Layer struct {
	p        *Publisher
	drafts   []draft   // room for what is being appended, protected by bus.mu
	receipts []Receipt // and for what is said of it
}

// Layer returns a handle with that name which may publish the given kinds.
// From then on they are reserved for such handles and the system's: agents are
// refused with a [*PermissionError]. It is an error if an agent has published
// one of them already, or 1024 other kinds: open layers before agents publish.
// Several layers may share kinds.
func (b *Bus) Layer(name string, kinds ...signals.Kind) (*Layer, error) {
	if err := (signals.Limits{}).Name("layer", name); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	reserved := map[signals.Kind]bool{}
	if all := b.reserved.Load(); all != nil {
		maps.Copy(reserved, *all)
	}
	for _, k := range kinds {
		if err := (signals.Limits{}).Name("kind", string(k)); err != nil {
			return nil, err
		}
		if reserved[k] {
			continue
		}
		if ofSystem(k) || b.openKinds.has(k) {
			return nil, &PermissionError{Agent: name, Kind: k, Reason: "other agents publish the kind already"}
		}
		reserved[k] = true
	}
	b.reserved.Store(&reserved)
	return &Layer{p: &Publisher{bus: b, agent: name, role: layerRole, permissions: Permissions{CanEmit: kinds}}}, nil
}

// A Moment is the end of the log while a [Layer] decides what comes next.
type Moment struct {
	Seq  uint64    // sequence number of the next signal
	Time time.Time // the bus's clock
	bus  *Bus
}

// ID returns the id of the signal that the bus will mint for the i-th one that
// the layer is about to return, from 0, if that states no time before the
// bus's clock.
func (m Moment) ID(i int) signals.ID {
	mint := *m.bus.opts.Mint // asking gives no ids away
	mint.ID(m.Seq, m.Time)
	return mint.ID(m.Seq+uint64(i), m.Time)
}

// Append publishes what decide returns, all of it with consecutive sequence
// numbers or nothing, and then calls committed, which may be nil. Nothing gets
// into the log between the moment that decide is given and what it returns:
// both functions run with the bus's lock held, must be quick and must not call
// the bus. decide is called again when there was no room at first and Append had
// to wait. A signal without a source gets the layer's name; its kind must be
// one of the layer's. The receipts are committed's only until it returns.
//
// Errors are decide's and those of [Publisher.Publish]. Deciding nothing is no
// error: committed is then called with no receipts.
func (l *Layer) Append(ctx context.Context, decide func(Moment) ([]signals.Any, error), committed func([]Receipt)) error {
	return l.write(ctx, true, decide, committed)
}

// Record is [Layer.Append] for what only says what became of signals that are
// in the log: there was room for these, so it never waits and is not refused
// with [ErrBacklog], even if a reader has more unread signals than its backlog
// then. It does not look whether ctx has ended.
func (l *Layer) Record(ctx context.Context, decide func(Moment) ([]signals.Any, error), committed func([]Receipt)) error {
	return l.write(ctx, false, decide, committed)
}

func (l *Layer) write(
	ctx context.Context, waits bool, decide func(Moment) ([]signals.Any, error), committed func([]Receipt),
) error {
	b, ended := l.p.bus, ctx.Done()
	b.mu.Lock()
	done := false
	defer b.unlockAfterPanic(&done)
	err := l.writeLocked(ctx, waits, decide, committed)
	done = true
	b.driveLocked(ended)
	b.mu.Unlock()
	b.showEvents()
	return err
}

func (l *Layer) writeLocked(
	ctx context.Context, waits bool, decide func(Moment) ([]signals.Any, error), committed func([]Receipt),
) error {
	b := l.p.bus
	for {
		ds, err := l.decideLocked(decide)
		if err != nil {
			return err
		}
		if waited, err := l.roomLocked(ctx, waits, ds); err != nil {
			return err
		} else if waited {
			continue
		}
		if err := b.commitLocked(l.p, ds, b.clock.last); err != nil { // at the moment of the decision
			return err
		}
		if committed != nil {
			committed(l.receiptsLocked(ds))
		}
		return nil
	}
}

func (l *Layer) roomLocked(ctx context.Context, waits bool, ds []draft) (waited bool, err error) {
	b := l.p.bus
	switch {
	case waits:
		return b.roomLocked(ctx, l.speaker(ds), ds)
	case b.state != open:
		return false, ErrClosed
	}
	return false, nil
}

// roomy is how many signals a layer keeps room for: most say one or two.
const roomy = 16

func (l *Layer) receiptsLocked(ds []draft) []Receipt {
	rs := l.receipts[:0]
	for i := range ds {
		rs = append(rs, Receipt{ds[i].Seq, ds[i].ID, ds[i].Time})
	}
	if cap(rs) <= roomy {
		l.receipts = rs
	}
	return rs
}

// speaker is for whom the layer publishes: nobody waits for himself.
func (l *Layer) speaker(ds []draft) string {
	if len(ds) > 0 && ds[0].head.Source != "" {
		return ds[0].head.Source
	}
	return l.p.agent
}

func (l *Layer) decideLocked(decide func(Moment) ([]signals.Any, error)) ([]draft, error) {
	b := l.p.bus
	now := b.clock.now()
	all, err := decide(Moment{Seq: b.log.Last() + 1, Time: time.Unix(0, now).UTC(), bus: b})
	if err != nil {
		return nil, err
	}
	ds := l.drafts[:0]
	for _, s := range all {
		ds = append(ds, draft{})
		if err := l.p.draft(&ds[len(ds)-1], s); err != nil {
			return nil, err
		}
	}
	if cap(ds) <= roomy {
		l.drafts = ds
	}
	return ds, nil
}

// openKinds are the kinds that agents have published, which no layer may take
// any more; of more than maxOpenKinds it takes none.
type openKinds map[signals.Kind]bool

const maxOpenKinds = 1024

func (o openKinds) add(k signals.Kind) {
	if len(o) <= maxOpenKinds {
		o[k] = true
	}
}

func (o openKinds) has(k signals.Kind) bool { return o[k] || len(o) > maxOpenKinds }
