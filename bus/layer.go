package bus

import (
	"context"
	"maps"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Layer is the handle of a package that keeps state of its own on a bus, as a
// fold of the log. Certain kinds are reserved for it; it publishes them in the
// name of those it acts for, and what it publishes may depend on everything that
// is in the log before. Its methods may be called concurrently.
type Layer struct{ p *Publisher }

// Layer returns a handle with that name which may publish the given kinds. From
// then on they are reserved for layers and the system: agents get a
// [*PermissionError]. Once an agent has published, it is an error if one of these
// kinds is not in [Options].Reserved. Several layers may share kinds.
func (b *Bus) Layer(name string, kinds ...signals.Kind) (*Layer, error) {
	if err := (signals.Limits{}).Name("layer", name); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	reserved := maps.Clone(*b.reserved.Load())
	for _, k := range kinds {
		if err := (signals.Limits{}).Name("kind", string(k)); err != nil {
			return nil, err
		}
		if ofSystem(k) || b.spoken && !reserved[k] {
			return nil, &PermissionError{Agent: name, Kind: k, Reason: "agents have published, and the kind is not in Options.Reserved"}
		}
		reserved[k] = true
	}
	b.reserved.Store(&reserved)
	return &Layer{p: &Publisher{bus: b, agent: name, role: layerRole, permissions: Permissions{CanEmit: kinds}}}, nil
}

// A Moment is the end of the log while a [Layer] decides what to append.
type Moment struct {
	Seq  uint64    // sequence number of the next signal
	Time time.Time // the bus's clock
	bus  *Bus
}

// ID returns the id that the bus will mint for the i-th signal that the layer is
// about to return, counted from 0, provided that the signal's own time is not
// before the bus's clock.
func (m Moment) ID(i int) signals.ID {
	mint := *m.bus.opts.Mint // a copy, so that no id is used up
	mint.ID(m.Seq, m.Time)
	return mint.ID(m.Seq+uint64(i), m.Time)
}

// Append publishes the signals that decide returns, either all of them with
// consecutive sequence numbers or none, and then calls committed, which may be
// nil. No other signal enters the log between the moment passed to decide and
// these signals: both functions run with the bus's lock held, must be quick and
// must not call the bus. A signal without a source gets the layer's name; its kind must be one of the
// layer's. For [Options].Rate, the signals of one source in a call count as one
// signal.
//
// Its errors are those of decide and of [Publisher.Publish]. It is not an error
// if decide returns no signals: committed is then called with no receipts.
func (l *Layer) Append(ctx context.Context, decide func(Moment) ([]signals.Any, error), committed func([]Receipt)) error {
	return l.write(ctx, false, decide, committed)
}

// Record is [Layer.Append] for signals that only record what became of signals
// in the log, and are not refused with [ErrBacklog] or a [*LimitError].
func (l *Layer) Record(ctx context.Context, decide func(Moment) ([]signals.Any, error), committed func([]Receipt)) error {
	return l.write(ctx, true, decide, committed)
}

func (l *Layer) write(
	ctx context.Context, records bool, decide func(Moment) ([]signals.Any, error), committed func([]Receipt),
) error {
	b, ended := l.p.bus, ctx.Done()
	b.mu.Lock()
	done := false
	defer b.unlockAfterPanic(&done)
	err := l.writeLocked(records, decide, committed)
	done = true
	b.driveLocked(ended)
	b.mu.Unlock()
	b.showEvents()
	return err
}

func (l *Layer) writeLocked(
	records bool, decide func(Moment) ([]signals.Any, error), committed func([]Receipt),
) error {
	b := l.p.bus
	ds, err := l.decideLocked(records, decide)
	switch {
	case err != nil:
		return err
	case !records:
		err = b.roomLocked(ds)
	case b.state != open:
		err = ErrClosed
	}
	if err != nil {
		return err
	}
	if err := b.commitLocked(l.p, ds, b.clock.last); err != nil { // at the moment of the decision
		return err
	}
	if committed != nil {
		committed(receiptsOf(ds))
	}
	return nil
}

func (l *Layer) decideLocked(records bool, decide func(Moment) ([]signals.Any, error)) ([]draft, error) {
	b := l.p.bus
	now := b.clock.now()
	all, err := decide(Moment{Seq: b.log.Last() + 1, Time: time.Unix(0, now).UTC(), bus: b})
	if err != nil {
		return nil, err
	}
	ds := make([]draft, len(all))
	for i, s := range all {
		ds[i].record = records
		if err := l.p.draft(&ds[i], s); err != nil {
			return nil, err
		}
	}
	return ds, nil
}
