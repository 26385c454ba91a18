package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// conflicts derives the conflicts of a log: a bus detects them.
type conflicts struct {
	bus    *bus.Bus
	from   uint64          // the last dropped record
	opened []conflict.Pair // and not in the log yet
}

func newConflicts(from uint64) (*conflicts, error) {
	b, err := bus.New(&bus.Options{TTL: -1, Sweep: -1, History: 1 << 16, Limits: signals.Limits{TextBytes: -1}})
	if err != nil {
		return nil, err
	}
	c := &conflicts{bus: b, from: from}
	b.Observe(func(e bus.Event) {
		if e, ok := e.(bus.ConflictOpened); ok {
			c.opened = append(c.opened, e.Pair)
		}
	})
	return c, nil
}

// feed takes the next signal of the log.
func (c *conflicts) feed(s signals.Any) error { return c.bus.Feed(context.Background(), s) }

// next compares a signal with the conflicts that the signals before it opened: derived
// is whether it is the next of them. It is a difference if a conflict is only derived or
// only in the log, and its thread has terms in the log: in other threads conflicts depend
// on who closed them, which the log does not say. A conflict follows the signals that its
// proposal's source published in the same batch.
func (c *conflicts) next(s signals.Any, of *threads) (derived bool, different *Difference) {
	h := s.Head()
	for len(c.opened) > 0 {
		pair := c.opened[0]
		if h.Source == pair.B.Source && h.Thread == pair.Thread {
			return false, nil
		}
		c.opened = c.opened[1:]
		if says(s, pair) {
			return true, nil
		}
		if of.check(pair.Thread) && different == nil {
			different = &Difference{
				Seq: h.Seq, Thread: pair.Thread, What: "conflict", Log: fmt.Sprintf("%s %s", s.Kind(), h.ID),
				Derived: fmt.Sprintf("%s against %s", pair.A.ProposalID, pair.B.ProposalID),
			}
		}
	}
	if different == nil && s.Kind() == signals.KindConflict && of.check(h.Thread) && !c.before(s, of) {
		different = &Difference{h.Seq, h.Thread, "conflict", h.ID.String(), "none"}
	}
	return false, different
}

// says reports whether a signal is that of a conflict.
func says(s signals.Any, p conflict.Pair) bool {
	c, ok := signals.As[signals.Conflict](s)
	return ok && c.ID == p.ID() && c.Payload.SignalA == p.A.Signal && c.Payload.SignalB == p.B.Signal
}

// before reports whether a conflict is with a proposal that was dropped from
// the log.
func (c *conflicts) before(s signals.Any, of *threads) bool {
	said, ok := signals.As[signals.Conflict](s)
	return c.from > 0 && ok && !slices.ContainsFunc(of.named(said.Thread).Log, func(s signals.Any) bool {
		return s.Head().ID == said.Payload.SignalA
	})
}

// owed returns the signals of conflicts that the log was cut off before, as the bus
// put them there.
func (c *conflicts) owed(of *threads) (all []signals.Any) {
	for _, pair := range c.opened {
		if !of.check(pair.Thread) {
			continue
		}
		log := of.named(pair.Thread).Log
		i := slices.IndexFunc(log, func(s signals.Any) bool { return s.Head().Seq == pair.B.Seq })
		h := log[i].Head()
		all = append(all, signals.New(signals.Header{
			Seq: c.bus.Last() + uint64(len(all)) + 1, ID: pair.ID(), Source: bus.System, Thread: pair.Thread, ReplyTo: pair.B.Signal,
			Confidence: 1, Round: h.Round, Time: h.Time, TTL: h.TTL,
		}, pair.Payload()))
	}
	return all
}
