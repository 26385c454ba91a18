package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A draft is a signal on its way into the log, with what the log will say of
// it. The caller's signal is copied once, when everything is decided.
type draft struct {
	signal signals.Any
	head   *signals.Header // the caller's, read only

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
	_, err := b.roomLocked(ctx, p.agent, ds)
	if err == nil {
		err = b.commitLocked(p, ds)
	}
	if b.inline != b.log.next {
		b.driveLocked()
	}
	b.mu.Unlock()
	if b.watched.Load() > 0 {
		b.showEvents()
	}
	return err
}

// commitLocked puts all drafts into the log, or none. From here on the time is
// b.clock.last.
func (b *Bus) commitLocked(p *Publisher, ds []draft) error {
	b.clock.now()
	for i := range ds {
		ds[i].seq = b.last + 1 + uint64(i)
		if err := b.acceptLocked(p, ds, i); err != nil {
			return err
		}
	}
	if b.limited {
		if err := b.allowRateLocked(p, ds); err != nil {
			return err
		}
	}
	for i := range ds {
		d := &ds[i]
		b.appendLocked(d)
		if p.source != d.source || p.thread != d.thread || p.shelf.Load() != d.shelf {
			p.rememberLocked(d)
		}
	}
	if len(b.opened) > 0 {
		b.appendConflictsLocked(ds)
	}
	if len(b.subscriptions) > 0 {
		b.shown.Store(b.log.next)
	}
	if !b.sweeping {
		b.startSweeperLocked()
	}
	return nil
}

func (p *Publisher) rememberLocked(d *draft) {
	p.source, p.thread = d.source, d.thread
	if p.agent != System && !p.layer {
		d.shelf.lane.byAgents = true
	}
	if !d.shelf.mixed {
		p.shelf.Store(d.shelf)
	}
}

// acceptLocked decides what the log will say of draft i, and refuses what
// cannot be committed after those before it in the same call.
func (b *Bus) acceptLocked(p *Publisher, ds []draft, i int) error {
	d := &ds[i]
	d.source, d.sourceText, d.thread = p.source, p.agent, p.thread
	if p.layer && d.head.Source != "" {
		d.sourceText = d.head.Source
		d.source = b.sources.byText[d.sourceText]
	}
	if d.shelf == nil || !d.thread.is(d.head.Thread) {
		if err := b.placeLocked(d); err != nil {
			return err
		}
	}
	b.stampLocked(d)
	if d.at > b.clock.last+int64(MaxAhead) {
		return &signals.FieldError{
			Kind: d.signal.Kind(), Field: "timestamp", Value: d.time.String(),
			Problem: fmt.Sprintf("more than %v ahead of the clock", MaxAhead),
		}
	}
	if d.due < b.clock.last {
		return fmt.Errorf("%w: %s %s ended at %v", ErrExpired, d.signal.Kind(), d.id, d.time.Add(d.ttl))
	}
	if d.foreign || b.echoes {
		if err := b.uniqueLocked(d, ds[:i]); err != nil {
			return err
		}
	}
	if d.shelf == nil || d.shelf.proposals {
		return b.ownsProposalLocked(d, ds[:i])
	}
	return nil
}

// placeLocked finds shelf and thread of d. A new thread is the one thing that
// was not looked at where the shelf is known.
func (b *Bus) placeLocked(d *draft) error {
	d.thread = b.threads.byText[d.head.Thread]
	if d.shelf == nil {
		d.shelf = b.shelfLocked(d.signal)
		return nil
	}
	if d.thread == nil {
		return b.opts.Limits.Validate(d.signal)
	}
	return nil
}

func (b *Bus) stampLocked(d *draft) {
	h, now := d.head, b.clock.last
	d.at, d.ttl, d.id, d.time = now, h.TTL, h.ID, time.Unix(0, now).UTC()
	if d.foreign = !d.id.IsZero() && !b.ownID(d.id, d.seq); !d.foreign && d.id.IsZero() {
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

// ownID reports whether id is the one that the mint gave the signal.
func (b *Bus) ownID(id signals.ID, seq uint64) bool {
	minted, ok := b.opts.Mint.Seq(id, seq)
	return ok && minted == seq
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
// waits for it.
func (b *Bus) appendLocked(d *draft) {
	if d.shelf == nil || d.source == nil || d.source.gone || d.thread == nil || d.thread.gone {
		b.settleLocked(d)
	}
	c, i := b.enterLocked(d)
	if b.observed() {
		b.emitLocked(Published{c.signal(i)})
	}
	if d.shelf.folds || d.shelf.proposals {
		b.foldLocked(c, i)
	}
	if b.crowdedLocked() {
		b.evictLocked()
	}
	b.awaitLocked(c, i, d.shelf.lane)
	if pos := c.start + uint64(i); pos >= b.checkAt || pos%(1<<blockBits) == 0 {
		b.boundLocked(pos)
	}
	if b.everyone.first != nil || d.shelf.lane.queue.first != nil || d.thread.queue.first != nil {
		b.wakeLocked(d)
	}
}

// settleLocked makes places for what is new.
func (b *Bus) settleLocked(d *draft) {
	if d.shelf == nil {
		d.shelf = b.shelfLocked(d.signal)
	}
	if d.shelf == nil {
		d.shelf = b.addShelfLocked(d.signal)
	}
	d.source = b.sources.findOrAdd(d.source, d.sourceText)
	d.thread = b.threads.findOrAdd(d.thread, d.head.Thread)
}

// enterLocked writes the entry.
func (b *Bus) enterLocked(d *draft) (*chunk, int) {
	pos, c := b.log.next, b.log.tail
	if c == nil || c.start+slots == pos {
		c = b.log.grow()
	}
	i := pos % slots
	b.log.next, b.log.held = pos+1, b.log.held+1
	sh := d.shelf
	if sh.used == signals.PageSlots {
		sh.turn()
	}
	seg, slot := sh.filling, uint8(sh.used)
	sh.used++
	h := seg.Put(int(slot), d.signal)
	h.Seq, h.ID, h.Source, h.Thread, h.Time, h.TTL = d.seq, d.id, d.source.text, d.thread.text, d.time, d.ttl
	seg.live, seg.last, b.last = seg.live+1, pos, d.seq

	c.seq[i], c.due[i], c.segment[i], c.slot[i] = d.seq, d.due, seg, slot
	c.lane[i], c.confidence[i] = sh.lane.id, hundredths(h.Confidence)
	c.source[i], c.thread[i] = d.source.id, d.thread.id
	c.bySource[i], c.byThread[i] = d.source.chain(pos), d.thread.chain(pos)
	c.newest, c.oldest = max(c.newest, d.at), min(c.oldest, d.at)
	if d.due < c.firstDue {
		b.log.expect(c, d.due)
	}
	c.byReply[i], c.flags[i] = 0, 0
	if d.foreign || !h.ReplyTo.IsZero() || !h.Recipients.Everyone() || d.bytes > 0 || sh.proposals {
		b.flagLocked(c, int(i), d, h)
	}
	return c, int(i)
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
	if d.shelf.proposals {
		c.flags[i] |= claim
	}
	d.source.bytes += d.bytes
}

// boundLocked sees to readers whose backlog may have grown too long.
func (b *Bus) boundLocked(pos uint64) {
	if pos >= b.checkAt {
		b.checkLocked(pos)
	}
	if pos%(1<<blockBits) == 0 {
		b.rescueLocked()
	}
}

// wakeLocked wakes who waits for d, the newest entry. What that costs does not
// depend on how many they are: who is woken wakes the next.
func (b *Bus) wakeLocked(d *draft) {
	b.everyone.wake(b.log.next)
	d.shelf.lane.queue.wake(b.log.next)
	d.thread.queue.wake(b.log.next)
}
