package bus

import (
	"context"
	"fmt"
	"slices"
)

// bounds is what the bus knows of a subscription's backlog. It need not look
// at every subscription for every signal: one with room for n more signals
// is looked at again after n entries of the log. Under the bus's lock.
type bounds struct {
	ahead   cursor // counts what is wanted; never behind the reader's when it looks
	matched uint64 // everything wanted so far, also what lagged
	end     uint64 // position behind the last entry it gets; huge: no end
	err     error  // why it ended
	slow    bool   // named since it was last half empty
	skip    uint64 // sampled: to be dropped by the reader
	sleeper sleeper
}

// countLocked counts what is wanted before limit.
func (k *bounds) countLocked(limit uint64) {
	for limit = min(limit, k.end); k.err == nil; {
		if _, _, ok := k.ahead.match(limit); !ok {
			break
		}
		k.matched++
	}
}

// due is the first position whose entry may reach a bound.
func (k *bounds) due(backlog int, claimed uint64) uint64 {
	if k.err != nil {
		return ^uint64(0)
	}
	bound := uint64(backlog)
	if !k.slow {
		bound /= 2
	}
	pending := k.matched - claimed
	if pending >= bound {
		return k.ahead.pos
	}
	return k.ahead.pos + bound - pending
}

// checkLocked looks at the subscriptions that the entry at pos may have
// brought to a bound.
func (b *Bus) checkLocked(pos uint64) {
	b.checkAt = ^uint64(0)
	for _, s := range b.subscriptions {
		if s.bounds.due(s.options.Backlog, s.claimed.Load()) <= pos {
			s.checkLocked(pos)
		}
		b.checkAt = min(b.checkAt, s.bounds.due(s.options.Backlog, s.claimed.Load()))
	}
}

func (s *Subscription) checkLocked(pos uint64) {
	k := &s.bounds
	k.countLocked(pos + 1)
	pending, bound := k.matched-s.claimed.Load(), uint64(s.options.Backlog)
	k.slow = k.slow && pending > bound/2
	if pending > bound/2 && !k.slow {
		k.slow = true
		s.bus.emitLocked(Slow{Reader: s.options.Agent, Site: s.site, Pending: int(min(pending, bound))})
	}
	if pending <= bound {
		return
	}
	switch s.options.WhenFull {
	case Sample:
		s.sampleLocked()
	case End:
		s.lagLocked(pos)
	case Wait: // conflicts that follow what there was room for
	}
}

// lagLocked ends the subscription before the entry at pos.
func (s *Subscription) lagLocked(pos uint64) {
	k := &s.bounds
	k.end, k.err = pos, ErrLagged
	s.end.Store(pos)
	s.claimed.Add(1)
	s.fates[DeadLagged].Add(1)
	if s.bus.observed() {
		s.bus.emitLocked(Settled{Signal: s.bus.log.chunk(pos).signal(int(pos % slots)), Reader: s.options.Agent, Fate: DeadLagged})
	}
	k.sleeper.rouse()
}

// sampleLocked counts what does not fit; the reader drops it.
func (s *Subscription) sampleLocked() {
	k := &s.bounds
	if over := int64(k.matched-s.claimed.Load()) - int64(s.options.Backlog); over > 0 {
		k.skip += uint64(over)
		s.claimed.Add(uint64(over))
		s.fates[DeadLagged].Add(uint64(over))
	}
}

// roomyLocked reports whether nobody can be near a bound.
func (b *Bus) roomyLocked(n int) bool {
	return b.log.next+uint64(n) <= b.checkAt && b.undrained+n <= b.opts.Undrained && b.state == open &&
		len(b.events) < b.opts.Undrained
}

// roomLocked waits until every reader has room for the drafts, and reports
// whether it had to.
func (b *Bus) roomLocked(ctx context.Context, agent string, ds []draft) (waited bool, err error) {
	if b.roomyLocked(len(ds)) {
		return false, nil
	}
	if ready, problem := b.readyLocked(agent, ds, 0); ready {
		return false, problem
	}
	return true, b.waitForRoomLocked(ctx, agent, slices.Clone(ds)) // a clone, so that drafts stay on the stack
}

func (b *Bus) waitForRoomLocked(ctx context.Context, agent string, ds []draft) (problem error) {
	err := b.waitLocked(ctx, func() (ready bool) {
		// Who has to wait waits for an eighth of a backlog, not to be back here
		// after every signal.
		ready, problem = b.readyLocked(agent, ds, 8)
		return ready
	})
	if err != nil {
		return err
	}
	return problem
}

func (b *Bus) readyLocked(agent string, ds []draft, share int) (bool, error) {
	switch {
	case b.state != open:
		return true, ErrClosed
	case b.undrained+len(ds) > b.opts.Undrained:
		return true, fmt.Errorf("%w: %d signals wait for handlers", ErrBacklog, b.undrained)
	case len(b.events) >= b.opts.Undrained:
		return true, fmt.Errorf("%w: %d events wait for observers", ErrBacklog, len(b.events))
	}
	full := b.fullLocked(ds, share)
	if full == nil {
		return true, nil
	}
	if full.options.Agent == agent && agent != "" || len(ds) > full.options.Backlog {
		return true, fmt.Errorf("%w: subscription of %q at %s", ErrBacklog, full.options.Agent, full.site)
	}
	return false, nil
}

// fullLocked returns a subscription that makes publishers wait for room: for
// the drafts, and for that share of its backlog if it is not 0.
func (b *Bus) fullLocked(ds []draft, share int) *Subscription {
	for _, s := range b.subscriptions {
		if s.options.WhenFull != Wait || s.bounds.err != nil {
			continue
		}
		coming := 0
		for i := range ds {
			if s.options.routes(&ds[i]) {
				coming++
			}
		}
		s.bounds.countLocked(b.log.next)
		if coming > 0 && share > 0 {
			coming = max(coming, s.options.Backlog/share)
		}
		if coming > 0 && s.bounds.matched-s.claimed.Load()+uint64(coming) > uint64(s.options.Backlog) {
			return s
		}
	}
	return nil
}

func (o *SubscribeOptions) routes(d *draft) bool {
	return (o.Kinds == nil || slices.Contains(o.Kinds, d.signal.Kind())) && o.wants(d.head.Thread, d.head.Recipients)
}
