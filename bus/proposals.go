package bus

import (
	"container/heap"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// The role of a signal in the fold of proposals, by its payload type.
const (
	isUnknown uint8 = iota // not determined yet
	isNothing
	isProposal
	endsConflicts
	endsThreads // an Ender: some of its signals do
)

// An Ender is a payload that may end its thread: with a signal of the system for
// which EndsThread returns true, the bus closes the thread, as [Bus.CloseThread]
// does. It does so when the signal enters the log, published or fed, so that
// after feeding a log the same proposals are live as on the bus that wrote it.
type Ender interface{ EndsThread() bool }

func roleOf(s signals.Any) uint8 {
	switch s.(type) {
	case *signals.Signal[signals.Proposal]:
		return isProposal
	case *signals.Signal[conflict.Resolution], *signals.Signal[signals.Consensus]:
		return endsConflicts
	}
	if _, ok := s.Body().(Ender); ok {
		return endsThreads
	}
	return isNothing
}

// proposals holds the owners of proposal ids, and the live proposals with their
// rivals. It is a fold of the log by the log's time, and does not depend on the
// history. A proposal is live until it expires or its thread is closed, and ids
// are owned until no proposal of their thread is live.
type proposals struct {
	capacity int
	detector *conflict.Detector // nil: conflicts are not looked for
	threads  map[string]*debate
	live     map[signals.ID]*proposal
	dues     dues
	opened   []opening // by the signals being published; their conflict signals follow
	conflict uint64    // number of conflicts opened so far
}

// A debate holds the proposals of one thread.
type debate struct {
	thread string
	owners map[string]owner
	all    []*proposal // in log order; some may have ended
	live   int         // number of live ones
}

type proposal struct {
	debate *debate // nil: it has ended
	id     signals.ID
	seq    uint64
	due    int64
}

type owner struct{ source, content string }

// An opening is a conflict with the sequence number of the proposal that
// opened it.
type opening struct {
	pair  conflict.Pair
	cause uint64
}

func newProposals(o *Options) proposals {
	p := proposals{capacity: o.Proposals, threads: map[string]*debate{}, live: map[signals.ID]*proposal{}}
	if !o.NoConflicts {
		p.detector = conflict.NewDetector(o.Conflicts)
	}
	return p
}

// A claim is a proposal id that a draft of the same call takes.
type claim struct{ thread, id string }

// admit refuses a proposal whose id belongs to another, or for which there is no
// room, and a resolution that names no open conflict. before is what the earlier
// drafts of the same call take.
func (f *proposals) admit(d *draft, before *batch) error {
	p, ok := signals.As[signals.Proposal](d.Signal)
	if !ok {
		return f.admitResolution(d, before)
	}
	if len(f.live)+before.proposals >= f.capacity {
		return fmt.Errorf("%w: %d are live", ErrProposals, len(f.live))
	}
	if f.sameID(d) != nil {
		return fmt.Errorf("%w: %s", ErrDuplicate, d.ID)
	}
	key, me := claim{p.Thread, p.Payload.ProposalID}, owner{d.Source, p.Payload.Content}
	first, owned := before.claims[key]
	if t := f.threads[p.Thread]; t != nil && !owned {
		first, owned = t.owners[key.id]
	}
	if owned && first != me {
		return &ProposalError{p.Thread, key.id, first.source}
	}
	if before.proposals++; before.claims != nil {
		before.claims[key] = me
	}
	return nil
}

func (f *proposals) admitResolution(d *draft, before *batch) error {
	r, ok := signals.As[conflict.Resolution](d.Signal)
	switch {
	case f.detector == nil:
		return nil
	case !ok:
		if _, decides := signals.As[signals.Consensus](d.Signal); decides && before.decided != nil {
			before.decided[d.head.Thread] = true
		}
		return nil
	case before.decided[r.Thread]:
		return fmt.Errorf("%w: its thread was decided earlier in the same call", conflict.ErrNotOpen)
	}
	pair, back := [2]signals.ID{r.Payload.SignalA, r.Payload.SignalB}, [2]signals.ID{r.Payload.SignalB, r.Payload.SignalA}
	if before.resolved[pair] || before.resolved[back] {
		return fmt.Errorf("%w: resolved earlier in the same call", conflict.ErrNotOpen)
	}
	if err := f.detector.Resolvable(r.Thread, r.Payload); err != nil {
		return err
	}
	if before.resolved != nil {
		before.resolved[pair] = true
	}
	return nil
}

// foldLocked adds an entry that has just entered the log to the fold.
func (b *Bus) foldLocked(d *draft, s *store.Segment, i int) {
	f := &b.fold
	if p, ok := signals.As[signals.Proposal](s.Signal[i]); ok {
		if same := f.sameID(d); same != nil { // fed, and no longer in the history
			f.end(same)
			b.removeLocked(same.id)
		}
		f.claim(p, d.Due)
	}
	if d.Pages.Role == endsThreads {
		b.endLocked(s.Signal[i])
		return
	}
	if f.detector == nil {
		return
	}
	change := f.detector.Fold(s.Signal[i])
	b.conflictsEndedLocked(change, true)
	for _, pair := range change.Opened {
		f.conflict++
		b.emitLocked(ConflictOpened{pair})
		f.opened = append(f.opened, opening{pair, d.Seq})
	}
}

func (f *proposals) claim(s *signals.Signal[signals.Proposal], due int64) {
	t := f.threads[s.Thread]
	if t == nil {
		t = &debate{thread: s.Thread, owners: map[string]owner{}}
		f.threads[s.Thread] = t
	}
	if _, owned := t.owners[s.Payload.ProposalID]; !owned {
		t.owners[s.Payload.ProposalID] = owner{s.Source, s.Payload.Content}
	}
	p := &proposal{t, s.ID, s.Seq, due}
	t.all, t.live, f.live[s.ID] = append(t.all, p), t.live+1, p
	if due != forever {
		heap.Push(&f.dues, p)
	}
}

// sameID returns the live proposal with the draft's id. The mint gives no id
// twice.
func (f *proposals) sameID(d *draft) *proposal {
	if !d.Foreign {
		return nil
	}
	return f.live[d.ID]
}

// end ends a live proposal, and the thread if it was the last one.
func (f *proposals) end(p *proposal) {
	t := p.debate
	p.debate = nil
	delete(f.live, p.id)
	if t.live--; t.live == 0 {
		delete(f.threads, t.thread)
	}
	if len(t.all) > 2*t.live+16 {
		t.all = slices.DeleteFunc(t.all, (*proposal).over)
	}
}

func (p *proposal) over() bool { return p.debate == nil }

// expireProposalsLocked ends the proposals that have expired at now.
func (b *Bus) expireProposalsLocked(now int64) {
	f := &b.fold
	for len(f.dues) > 0 && f.dues[0].due < now {
		if p := heap.Pop(&f.dues).(*proposal); !p.over() {
			f.end(p)
			b.removeLocked(p.id)
		}
	}
}

func (b *Bus) removeLocked(id signals.ID) {
	if b.fold.detector != nil {
		b.conflictsEndedLocked(b.fold.detector.Remove(id), false)
	}
}

func (b *Bus) conflictsEndedLocked(c conflict.Change, resolved bool) {
	for _, pair := range c.Ended {
		b.emitLocked(ConflictEnded{pair, resolved})
	}
}

// CloseThread ends a thread: its proposals are no longer live, its open conflicts
// end, and its proposal ids become free. Its signals stay in the history. A
// program that keeps opening threads should close them, because each live
// proposal counts towards [Options].Proposals.
func (b *Bus) CloseThread(thread string) {
	b.mu.Lock()
	b.closeThreadLocked(thread)
	b.mu.Unlock()
	b.showEvents()
}

// endLocked closes the thread of a signal that ends it.
func (b *Bus) endLocked(s signals.Any) {
	h := signals.HeadOf(s)
	if over, ok := s.Body().(Ender); ok && h.Source == System && over.EndsThread() {
		b.closeThreadLocked(h.Thread)
	}
}

func (b *Bus) closeThreadLocked(thread string) {
	t := b.fold.threads[thread]
	if t == nil {
		return
	}
	for _, p := range slices.Clone(t.all) {
		if !p.over() {
			b.fold.end(p)
			b.removeLocked(p.id)
		}
	}
	b.fold.forgetClosed()
}

// FindsConflicts reports whether the bus looks for conflicts; see
// [Options].NoConflicts.
func (b *Bus) FindsConflicts() bool { return b.fold.detector != nil }

// forgetClosed removes proposals of closed threads from those that wait to
// expire, once they are the majority.
func (f *proposals) forgetClosed() {
	if len(f.dues) > 2*len(f.live) {
		f.dues = slices.DeleteFunc(f.dues, (*proposal).over)
		heap.Init(&f.dues)
	}
}

// appendConflictsLocked appends the signals of the conflicts that ds opened.
func (b *Bus) appendConflictsLocked(ds []draft) {
	for _, o := range b.fold.opened {
		b.appendConflictLocked(o.pair, &ds[o.cause-ds[0].Seq])
	}
	clear(b.fold.opened)
	b.fold.opened = b.fold.opened[:0]
}

func (b *Bus) appendConflictLocked(pair conflict.Pair, cause *draft) {
	if _, _, held := b.log.Find(pair.ID()); held {
		return // the history has the same conflict of two other signals with these ids
	}
	s := signals.New(signals.Header{
		Thread: pair.Thread, ReplyTo: pair.B.Signal, Confidence: 1, Round: cause.head.Round,
	}, pair.Payload())
	d := draft{head: &s.Header}
	d.Entry = store.Entry{
		Signal: s, Pages: b.pagesLocked(s), KindText: signals.KindConflict, Thread: cause.Thread, ThreadText: pair.Thread,
		Seq: b.log.Last() + 1, ID: pair.ID(), Foreign: true, Source: System, ReplyTo: s.ReplyTo,
		Time: cause.Time, TTL: cause.TTL, At: cause.At, Due: cause.Due,
	}
	if b.rules.capacity > 0 {
		d.bytes = size(s)
	}
	b.appendLocked(&d)
}

// Conflicts yields the open conflicts of a thread, oldest first, as of the start
// of the iteration.
func (b *Bus) Conflicts(thread string) iter.Seq[conflict.Pair] {
	return b.pairs(func(d *conflict.Detector) iter.Seq[conflict.Pair] { return d.Unresolved(thread) })
}

func (b *Bus) pairs(of func(*conflict.Detector) iter.Seq[conflict.Pair]) iter.Seq[conflict.Pair] {
	return func(yield func(conflict.Pair) bool) {
		for _, p := range b.pairsNow(of) {
			if !yield(p) {
				return
			}
		}
	}
}

func (b *Bus) pairsNow(of func(*conflict.Detector) iter.Seq[conflict.Pair]) []conflict.Pair {
	defer b.showEvents()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fold.detector == nil {
		return nil
	}
	b.expireProposalsLocked(b.clock.now())
	return slices.Collect(of(b.fold.detector))
}

// Resolve ends the open conflict between two signals of a thread, named in
// either order, by publishing a [conflict.Resolution] as the system. It returns
// [conflict.ErrNotOpen] if there is none.
func (b *Bus) Resolve(ctx context.Context, thread string, x, y signals.ID, reason string) (Receipt, error) {
	return b.System().Publish(ctx, signals.New(
		signals.Header{Thread: thread, Confidence: 1},
		conflict.Resolution{SignalA: x, SignalB: y, Reason: reason},
	))
}

// dues is a heap of the proposals that expire, the first to expire on top.
type dues []*proposal

func (d dues) Len() int { return len(d) }
func (d dues) Less(i, j int) bool {
	return d[i].due < d[j].due || d[i].due == d[j].due && d[i].seq < d[j].seq
}
func (d dues) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)   { *d = append(*d, x.(*proposal)) }
func (d *dues) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return x
}
