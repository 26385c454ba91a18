package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// A draft is a signal that is being published. The caller's signal is copied once,
// when everything has been decided.
type draft struct {
	store.Entry
	head   *signals.Header // the caller's; read only
	bytes  int             // length of texts, if that is limited
	fed    bool            // by Feed
	record bool            // by Layer.Record
}

// publish commits drafts whose payloads have been validated.
func (b *Bus) publish(ctx context.Context, p *Publisher, ds []draft) (err error) {
	ended := ctx.Done() // here, because a caller's context may panic
	b.mu.Lock()
	done := false
	defer b.unlockAfterPanic(&done)
	if err = b.roomLocked(ds); err == nil {
		err = b.commitLocked(p, ds, b.clock.now())
	}
	done = true
	if b.inline.at.Pos != b.log.Next() {
		b.driveLocked(ended)
	}
	b.mu.Unlock()
	if b.watched.Load() > 0 {
		b.showFor(ctx)
	}
	return err
}

// unlockAfterPanic is deferred: if a caller's code or context makes a commit
// panic, other callers can continue, and what is in the log is handled.
func (b *Bus) unlockAfterPanic(done *bool) {
	if *done {
		return
	}
	if in := &b.inline; !in.driving && in.at.Pos != b.log.Next() && b.state != closed {
		in.driving = true
		b.goLocked(b.driveOn)
	}
	b.mu.Unlock()
	b.showLater()
}

// commitLocked appends all drafts to the log, or none. From here on the time is
// b.clock.last.
func (b *Bus) commitLocked(p *Publisher, ds []draft, now int64) error {
	if err := b.admitLocked(p, ds, now); err != nil {
		return err
	}
	for i := range ds {
		d := &ds[i]
		b.appendLocked(d)
		if p.kind != d.Kind || p.thread != d.Thread || p.pages.Load() != d.Pages {
			p.rememberLocked(d)
		}
	}
	b.committedLocked(ds)
	return nil
}

// committedLocked does what has to be done after every commit.
func (b *Bus) committedLocked(ds []draft) {
	if len(b.opened) > 0 {
		b.appendConflictsLocked(ds)
	}
	if b.log.Readers() > 0 {
		b.readable.Store(b.log.Next())
	}
	if !b.sweeping {
		b.startSweeperLocked()
	}
}

func (p *Publisher) rememberLocked(d *draft) {
	p.kind, p.thread = d.Kind, d.Thread
	p.bus.spoken = p.bus.spoken || p.role == agentRole
	if d.Pages.Kind != "" {
		p.pages.Store(d.Pages)
	}
}

// admitLocked fills in the log's data about the drafts, and returns an error if
// they may not enter the log.
func (b *Bus) admitLocked(p *Publisher, ds []draft, now int64) error {
	before := newBatch(len(ds))
	at := time.Unix(0, now).UTC()
	for i := range ds {
		d := &ds[i]
		d.Seq = b.log.Last() + 1 + uint64(i)
		if err := b.identifyLocked(p, d); err != nil {
			return err
		}
		b.stampLocked(d, now, at)
		if d.Foreign {
			if err := b.checkID(p, d); err != nil {
				return err
			}
		} else {
			d.ID = b.opts.Mint.ID(d.Seq, at) // by the bus's clock: a publisher's own time could use the mint up
		}
		if d.At > now || d.Due < now {
			if err := checkTime(d, now); err != nil {
				return err
			}
		}
		if err := b.uniqueLocked(d, &before); err != nil {
			return err
		}
		if d.Pages.Role == isFolded {
			if !before.folded {
				before.folded = true
				b.conflictsEndedLocked(b.fold.Expire(now), false)
				b.fold.Begin(len(ds))
			}
			if d.Foreign && b.fold.Live(d.ID) {
				return fmt.Errorf("%w: %s", ErrDuplicate, d.ID)
			}
			if err := b.fold.Admit(d.Signal, d.Source); err != nil {
				return err
			}
		}
	}
	if b.rules.limited() {
		return b.rules.admit(p, ds, now)
	}
	return nil
}

// identifyLocked determines the draft's pages, thread and source. If the pages are
// known, only a new thread still has to be checked.
func (b *Bus) identifyLocked(p *Publisher, d *draft) error {
	d.Kind, d.Thread, d.Source = p.kind, p.thread, p.agent
	if p.role == layerRole && d.head.Source != "" {
		d.Source = d.head.Source
	}
	d.ThreadText = d.head.Thread
	if d.Pages == nil {
		d.Pages = b.pagesLocked(d.Signal)
		return p.allow(d.KindText, d.head) // a layer may have been opened meanwhile
	}
	if p.role == layerRole && d.head.Source != "" {
		if err := d.checkName("source", d.Source); err != nil {
			return err
		}
	}
	if !d.Thread.Is(d.ThreadText) && d.ThreadText != "" && b.log.Threads[d.ThreadText] == nil {
		return d.checkName("thread", d.ThreadText)
	}
	return nil
}

func (d *draft) checkName(field, name string) error {
	err := (signals.Limits{}).Name(field, name)
	var invalid *signals.FieldError
	if errors.As(err, &invalid) {
		invalid.Kind = d.KindText
	}
	return err
}

// pagesLocked returns the pages of a signal's type.
func (b *Bus) pagesLocked(s signals.Any) *store.Pages {
	pages := b.log.PagesFor(s)
	if pages.Role == isUnknown {
		pages.Role = b.roleOf(s)
	}
	return pages
}

// stampLocked fills in the log's data about a draft, except its id.
func (b *Bus) stampLocked(d *draft, now int64, at time.Time) {
	h := d.head
	d.ID, d.Foreign = h.ID, !h.ID.IsZero()
	d.At, d.Time = now, at
	if !h.Time.IsZero() {
		d.Time = h.Time.Round(0).UTC()
		d.At = d.Time.UnixNano()
	}
	if d.TTL = h.TTL; d.TTL == 0 {
		d.TTL = b.opts.TTL
	}
	d.Due = deadline(d.At, d.TTL)
	d.ReplyTo, d.HasRecipients = h.ReplyTo, !h.Recipients.Everyone()
}

// A batch is what the earlier drafts of the same call take.
type batch struct {
	ids    map[signals.ID]bool // nil if there is only one draft
	folded bool                // a draft was passed to the fold
}

func newBatch(n int) (b batch) {
	if n > 1 {
		b.ids = map[signals.ID]bool{}
	}
	return b
}

// uniqueLocked refuses an id that is in the history or in an earlier draft of the
// call, at a constant cost for each draft.
func (b *Bus) uniqueLocked(d *draft, before *batch) error {
	if !d.Foreign {
		return nil
	}
	if _, _, held := b.log.Find(d.ID); held || before.ids[d.ID] {
		return fmt.Errorf("%w: %s", ErrDuplicate, d.ID)
	}
	if before.ids != nil {
		before.ids[d.ID] = true
	}
	return nil
}

// appendLocked adds d to the log and to everything that is folded from it, and
// wakes readers that wait for it.
func (b *Bus) appendLocked(d *draft) {
	s, i := b.log.Append(&d.Entry)
	pos := s.Start + uint64(i)
	if b.observed() {
		b.emitLocked(Published{s.Signal[i], d.fed})
	}
	if b.rules.capacity > 0 {
		b.rules.held(d)
	}
	if d.Pages.Role != isNothing {
		b.foldLocked(d, s.Signal[i])
	}
	kind, thread := channelOf(d.Kind), channelOf(d.Thread)
	b.inline.awaitLocked(b.log, s, i, kind)
	if b.log.Crowded() {
		b.log.Evict(b.clock.last, b.inline.at.Pos, b.lostLocked())
	}
	if b.everyone.first != nil || kind != nil || thread != nil {
		b.wakeLocked(kind, thread)
	}
	if pos >= b.checkAt { // after waking: readers that still sleep have nothing to read
		b.checkLocked(pos)
	}
}

// wakeLocked wakes readers that wait for the newest entry. Its cost does not
// depend on their number: each woken reader wakes the next.
func (b *Bus) wakeLocked(kind, thread *channel) {
	end := b.log.Next()
	b.everyone.wake(end)
	if kind != nil {
		kind.queue.wake(end)
	}
	if thread != nil {
		thread.queue.wake(end)
	}
}

// A channel holds the readers that wait for signals of a kind or a thread, and the
// handlers of a kind. It is a topic's Data.
type channel struct {
	queue    queue
	handlers []*Handler // never changed in place
	intended uint64     // number of entries appended while there were handlers
	done     uint64     // number of entries that the handlers are done with
}

func channelOf(t *store.Topic) *channel {
	if t.Data == nil {
		return nil
	}
	return t.Data.(*channel)
}

// pin returns the topic with that text, gives it a channel, and keeps it from
// being dropped.
func pin(ts store.Topics, text string) *store.Topic {
	t := ts.Pin(text)
	if t.Data == nil {
		t.Data = new(channel)
	}
	return t
}
