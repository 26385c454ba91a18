package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A draft is a signal on its way into the log, with what the log will say of
// it. The caller's signal is copied once, when everything is decided.
type draft struct {
	signal signals.Any
	head   *signals.Header // the caller's, read only
	kind   signals.Kind

	shelf          *shelf
	source, thread *name // nil: new
	sourceText     string
	seq            uint64
	id             signals.ID
	at, due        int64
	time           time.Time
	ttl            time.Duration
	bytes          int
	foreign        bool // the id is not the one that the sequence number gives
}

func (d *draft) receipt() Receipt { return Receipt{d.seq, d.id, d.time} }

// publish commits drafts whose payloads were validated.
func (b *Bus) publish(ctx context.Context, p *Publisher, ds []draft) error {
	b.mu.Lock()
	err := b.commitLocked(ctx, p, ds)
	if b.inline != b.log.next {
		b.driveLocked()
	}
	b.mu.Unlock()
	if b.watched.Load() > 0 {
		b.showEvents()
	}
	return err
}

func (b *Bus) commitLocked(ctx context.Context, p *Publisher, ds []draft) error {
	if err := b.roomLocked(ctx, p.agent, ds); err != nil {
		return err
	}
	now := b.clock.now()
	for i := range ds {
		d := &ds[i]
		d.seq, d.sourceText = b.last+1+uint64(i), p.agent
		d.source = b.sources.find(p.source, p.agent)
		if err := b.acceptLocked(p, d, ds[:i], now); err != nil {
			return err
		}
	}
	if b.limited {
		if err := b.allowRateLocked(p.agent, ds, now); err != nil {
			return err
		}
	}
	var opened []opening
	for i := range ds {
		for _, pair := range b.appendLocked(&ds[i], now) {
			opened = append(opened, opening{pair, ds[i]})
		}
		p.source, p.thread, p.shelf = ds[i].source, ds[i].thread, ds[i].shelf
	}
	for _, o := range opened {
		b.appendConflictLocked(o, now)
	}
	b.startSweeperLocked()
	return nil
}

// acceptLocked decides what the log will say of d, and refuses what cannot
// be committed after earlier, the ones before it in the same call.
func (b *Bus) acceptLocked(p *Publisher, d *draft, earlier []draft, now int64) error {
	d.shelf = b.shelfLocked(p.shelf, d.kind, d.signal)
	d.thread = b.threads.find(p.thread, d.head.Thread)
	if d.shelf == nil || d.thread == nil { // otherwise kind, type and thread are known to be valid
		if err := b.opts.Limits.Validate(d.signal); err != nil {
			return err
		}
	}
	b.stampLocked(d, now)
	if d.due < now {
		return fmt.Errorf("%w: %s %s ended at %v", ErrExpired, d.kind, d.id, d.time.Add(d.ttl))
	}
	if d.foreign || b.echoes {
		if err := b.uniqueLocked(d, earlier); err != nil {
			return err
		}
	}
	if d.shelf == nil || d.shelf.proposals {
		return b.ownsProposalLocked(d, earlier)
	}
	return nil
}

func (b *Bus) stampLocked(d *draft, now int64) {
	h := d.head
	d.at, d.ttl, d.id, d.time = now, h.TTL, h.ID, time.Unix(0, now).UTC()
	if d.foreign = !d.id.IsZero(); !d.foreign {
		d.id = b.opts.Mint.ID(d.seq, d.time) // by the bus's clock: a publisher's own time could use the mint up
	}
	if !h.Time.IsZero() {
		d.time = h.Time.Round(0).UTC()
		d.at = d.time.UnixNano()
	}
	if d.ttl == 0 {
		d.ttl = b.opts.TTL
	}
	d.due = deadline(d.at, d.ttl)
}

func (b *Bus) uniqueLocked(d *draft, earlier []draft) error {
	_, _, held := b.lookupLocked(d.id)
	for i := range earlier {
		held = held || earlier[i].id == d.id
	}
	if held {
		return fmt.Errorf("%w: %s", ErrDuplicate, d.id)
	}
	return nil
}

// lookupLocked finds a signal in the history by its id. Ids that the bus
// minted lead back to their sequence number; only the others take a map.
func (b *Bus) lookupLocked(id signals.ID) (c *chunk, i int, ok bool) {
	if seq, minted := b.opts.Mint.Seq(id, b.last); minted {
		if c, i, ok = b.log.find(seq); ok && c.head(i).ID == id {
			return c, i, true
		}
	}
	pos, ok := b.foreign[id]
	if !ok {
		return nil, 0, false
	}
	return b.log.chunk(pos), int(pos % slots), true
}

// appendLocked makes d part of the log and of every index, and wakes who
// waits for it. It returns the conflicts that it opens.
func (b *Bus) appendLocked(d *draft, now int64) (opened []conflict.Pair) {
	if d.shelf == nil {
		if d.shelf = b.shelfLocked(nil, d.kind, d.signal); d.shelf == nil {
			d.shelf = b.addShelfLocked(d.kind, d.signal)
		}
	}
	if d.source == nil || d.source.gone {
		d.source = b.sources.findOrAdd(nil, d.sourceText)
	}
	if d.thread == nil || d.thread.gone {
		d.thread = b.threads.findOrAdd(nil, d.head.Thread)
	}
	c, i := b.enterLocked(d)
	b.last = d.seq
	b.counts.published++
	if b.observed() {
		b.emitLocked(Published{c.signal(i)})
	}
	if d.shelf.folds || d.shelf.proposals {
		opened = b.foldLocked(c, i)
	}
	if b.crowdedLocked() {
		b.evictLocked(now)
	}
	b.deliverLocked(c, i, d)
	return opened
}

// enterLocked writes the entry.
func (b *Bus) enterLocked(d *draft) (*chunk, int) {
	pos := b.log.next
	c, i := b.log.push()
	seg, slot := d.shelf.slot(d.signal)
	h := seg.Put(int(slot), d.signal)
	h.Seq, h.ID, h.Source, h.Thread, h.Time, h.TTL = d.seq, d.id, d.source.text, d.thread.text, d.time, d.ttl
	seg.last = pos

	c.seq[i], c.due[i], c.segment[i], c.slot[i] = d.seq, d.due, seg, slot
	c.lane[i], c.confidence[i] = d.shelf.lane.id, quantize(h.Confidence)
	c.source[i], c.thread[i] = d.source.id, d.thread.id
	c.bySource[i], c.byThread[i] = d.source.chain(pos), d.thread.chain(pos)
	c.newest, c.oldest = max(c.newest, d.at), min(c.oldest, d.at)
	b.log.expect(c, d.due)
	c.byReply[i], c.flags[i] = 0, 0
	b.flagLocked(c, i, d, h)
	return c, i
}

// flagLocked indexes what few signals have.
func (b *Bus) flagLocked(c *chunk, i int, d *draft, h *signals.Header) {
	pos := c.start + uint64(i)
	if d.foreign {
		c.flags[i] |= foreign
		b.foreign[d.id] = pos
		_, minted := b.opts.Mint.Seq(d.id, d.seq)
		b.echoes = b.echoes || minted
	}
	if !h.ReplyTo.IsZero() {
		c.flags[i] |= reply
		c.byReply[i] = distance(b.replies[h.ReplyTo], pos)
		b.replies[h.ReplyTo] = pos + 1
	}
	if !h.Recipients.Everyone() {
		c.flags[i] |= private
	}
	d.source.bytes += d.bytes
}

// deliverLocked shows the newest entry to its readers. What it costs does
// not depend on how many there are: subscriptions come for it.
func (b *Bus) deliverLocked(c *chunk, i int, d *draft) {
	pos := c.start + uint64(i)
	b.awaitLocked(c, i, d.shelf.lane)
	if pos >= b.checkAt {
		b.checkLocked(pos)
	}
	b.everyone.wake(pos)
	d.shelf.lane.queue.wake(pos)
	d.thread.queue.wake(pos)
	if pos%(1<<blockBits) == 0 {
		b.rescueLocked()
	}
}
