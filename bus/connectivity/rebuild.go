package connectivity

import (
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Rebuild returns a layer on b with the state of the log: it answers every
// query as the layer that wrote the log does, and continues from there. o must
// name the same layer, and b must have been fed with the log. Other signals in
// the log are skipped, and no hook or observer is called.
//
// The layer follows what b is fed with later, too, so that processes that share a log have the
// same state and decide by it: each makes its layer by Rebuild, from the history of its
// bus. Hook and observers are called in the process that appended the entry.
//
// The log has to contain, in order, all entries of the layer from the beginning
// of the oldest open thread up to the end. Rebuild returns [ErrIncomplete] if it
// does not, as far as the entries themselves and the history of b show,
// [ErrNotFed] if b does not hold the log, and the errors of [New].
//
// Hook, observers and resolvers are not in the log and have to be set again. A log that was
// cut may lack transitions: see [Layer.Complete].
func Rebuild(b *bus.Bus, o *Options, log iter.Seq[signals.Any]) (*Layer, error) {
	l, err := New(b, o)
	if err != nil {
		return nil, err
	}
	r := &rebuilding{layer: l, early: []signals.Any{}}
	r.end = l.log.Follow(r.follow)
	for s := range log {
		if err := r.add(s); err != nil {
			return nil, r.join(err)
		}
	}
	if err := r.join(r.complete(b)); err != nil {
		return nil, err
	}
	return l, nil
}

// A rebuilding is the state of reading a log.
type rebuilding struct {
	layer *Layer
	end   uint64      // of what is read: the layer follows what is behind it
	last  signals.Any // newest entry of the layer so far
	gap   uint64      // position of the newest missing entry; 0: none

	// The layer's lock protects these.
	early  []signals.Any // entries that came meanwhile; nil: the log has been read
	failed bool
}

// follow takes the next signal behind the end.
func (r *rebuilding) follow(s signals.Any) (more bool) {
	r.layer.mu.Lock()
	defer r.layer.mu.Unlock()
	switch k := coordination.LinkOf(s); {
	case k == nil || k.Layer != r.layer.opts.Name:
	case r.early != nil:
		r.early = append(r.early, s)
	default:
		r.layer.fold.Apply(s, nil)
	}
	return !r.failed
}

// ours returns the link of an entry of the layer, or nil for other signals.
func (r *rebuilding) ours(s signals.Any) (*coordination.Link, error) {
	if raw, ok := signals.As[signals.Raw](s); ok && slices.Contains(kinds, raw.Payload.Type) {
		return nil, fmt.Errorf("connectivity: %s %s was decoded without coordination.Entries", s.Kind(), s.Head().ID)
	}
	if k := coordination.LinkOf(s); k != nil && k.Layer == r.layer.opts.Name {
		return k, nil
	}
	return nil, nil
}

func (r *rebuilding) add(s signals.Any) error {
	k, err := r.ours(s)
	if k == nil {
		return err
	}
	h := s.Head()
	switch before := r.layer.fold.Last(); {
	case h.Seq > r.end && r.layer.bus.Last() >= h.Seq:
		return nil // follow has it
	case h.Seq <= before:
		return fmt.Errorf("connectivity: the log is not in order: %d after %d", h.Seq, before)
	case k.After < before:
		return fmt.Errorf("connectivity: two layers called %q wrote the log: %d follows %d and not %d", r.layer.opts.Name, h.Seq, k.After, before)
	case r.layer.fold.Get(h.ID) != nil:
		return fmt.Errorf("connectivity: the log has two signals called %s", h.ID)
	case k.After > before:
		r.gap = k.After
	}
	r.last = s
	r.layer.fold.Apply(s, nil)
	return nil
}

// complete returns an error if entries are missing.
func (r *rebuilding) complete(b *bus.Bus) error {
	if r.last == nil {
		return r.atEnd(b)
	}
	h, k := r.last.Head(), coordination.LinkOf(r.last)
	if r.gap >= k.Since {
		return fmt.Errorf("%w: what %q wrote is needed from %d on, and %d is not there", ErrIncomplete, r.layer.opts.Name, k.Since, r.gap)
	}
	if b.Last() < h.Seq {
		return fmt.Errorf("%w: it ends at %d, the log at %d or later", ErrNotFed, b.Last(), h.Seq)
	}
	return r.atEnd(b)
}

// join folds what came meanwhile, and ends the reading; with an error the layer does not
// follow.
func (r *rebuilding) join(err error) error {
	r.layer.mu.Lock()
	defer r.layer.mu.Unlock()
	for _, s := range r.early {
		r.layer.fold.Apply(s, nil)
	}
	r.early, r.failed = nil, err != nil
	return err
}

// atEnd looks for entries of the layer after the end of the log. The signals
// that follow in the history show whether the bus holds the log at all.
func (r *rebuilding) atEnd(b *bus.Bus) error {
	for s := range b.History(bus.Filter{Kinds: kinds, After: max(r.layer.fold.Last(), 1) - 1}) {
		k, h := coordination.LinkOf(s), s.Head()
		if k == nil || k.Layer != r.layer.opts.Name {
			continue
		}
		if h.Seq > r.layer.fold.Last() && h.Seq <= r.end {
			return fmt.Errorf("%w: the log ends at %d, and %q wrote %d", ErrIncomplete, r.layer.fold.Last(), r.layer.opts.Name, h.Seq)
		}
		if h.Seq == r.layer.fold.Last() && h.ID != r.last.Head().ID {
			return fmt.Errorf("%w: at %d there is another signal", ErrNotFed, h.Seq)
		}
	}
	return nil
}

// Adopt takes over threads that the layer does not hold, such as one that continues in
// another process: it folds their entries in a log that the bus has been fed with. Entries
// of threads that it holds, and of layers with other names, are skipped.
func (l *Layer) Adopt(log iter.Seq[signals.Any]) error {
	return l.atEnd(func(uint64) { l.fold.Adopt(log) })
}
