package bus

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// SubscribeOptions say what a subscription wants. The zero value wants
// everything that is for everyone, from now on.
type SubscribeOptions struct {
	Agent   string                 // who reads; "" gets only signals without recipients, [System] all
	Kinds   []signals.Kind         // nil: all
	Threads []string               // nil: all
	Where   func(signals.Any) bool // nil: all; runs in the reader

	Backlog  int  // signals kept for the reader; 0 means 65536
	WhenFull Full // what happens beyond it

	// Past starts with the first signal after the sequence number After, and
	// goes on with what is published, without gap or repetition. What expired
	// before is left out. If a signal after After was evicted, Subscribe
	// returns an [*EvictedError]. After other than 0 means Past.
	Past  bool
	After uint64
}

// Full is what happens to a subscription whose backlog is full.
type Full uint8

const (
	// End ends the subscription with [ErrLagged], after what is kept was read.
	End Full = iota
	// Wait makes publishers wait, as long as their context allows. A publisher
	// never waits for its own agent's subscription: it gets [ErrBacklog].
	Wait
	// Sample drops the oldest signal and counts it as [DeadLagged].
	Sample
)

// A Subscription is a reader that misses nothing: what it has not read is
// kept for it, whatever the history evicts. Its methods may be called
// concurrently; every signal goes to one caller.
type Subscription struct {
	bus     *Bus
	options SubscribeOptions
	site    string // where Subscribe was called

	mu      sync.Mutex // protects the fields below; taken before bus.mu
	cursor  cursor
	glances int // since the reader last had the bus's lock
	batch   int // how many All takes at once
	paced   time.Time
	expired []signals.Any // not told yet

	// Written under mu. A claimed signal has left the backlog, and settles.
	claimed atomic.Uint64
	fates   [DeadClosed + 1]atomic.Uint64
	ended   atomic.Bool   // closed: deliver nothing more
	end     atomic.Uint64 // bounds.end, for who reads without the bus's lock

	_      apart
	bounds bounds // protected by bus.mu
}

// Subscribe starts a subscription with the next signal that is published, or
// in the past.
func (b *Bus) Subscribe(o SubscribeOptions) (*Subscription, error) {
	o.Kinds, o.Threads = slices.Clone(o.Kinds), slices.Clone(o.Threads)
	switch {
	case o.Backlog < 0:
		return nil, &OptionError{"Backlog", o.Backlog, "negative"}
	case o.WhenFull > Sample:
		return nil, &OptionError{"WhenFull", o.WhenFull, "unknown"}
	}
	o.Backlog = orDefault(o.Backlog, 1<<16)
	s := &Subscription{bus: b, options: o, site: callSite(), batch: 1}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != open {
		return nil, ErrClosed
	}
	if err := b.startLocked(s); err != nil {
		return nil, err
	}
	b.borrowers++
	b.subscriptions = append(b.subscriptions, s)
	b.checkAt = min(b.checkAt, s.bounds.due(o.Backlog, s.claimed.Load()))
	return s, nil
}

// startLocked puts the cursor where the subscription begins.
func (b *Bus) startLocked(s *Subscription) error {
	c := cursor{chunk: b.log.here(), pos: b.log.next, born: b.log.next, options: &s.options}
	if s.options.Past || s.options.After > 0 {
		if s.options.After < b.evictedTo {
			return &EvictedError{After: s.options.After, Oldest: b.oldestLocked()}
		}
		if pos := b.log.after(s.options.After); pos < b.log.next {
			c.chunk, c.pos = b.log.chunk(pos), pos
		}
		c.bornAt = b.clock.now()
	}
	s.cursor = c
	s.bounds = bounds{ahead: c, end: ^uint64(0)}
	s.end.Store(^uint64(0))
	s.bounds.ahead.options = &s.options
	s.bounds.sleeper.nodes = b.placesLocked(&s.options)
	return nil
}

// placesLocked returns the queues in which a reader waits: those of its
// threads, or of its kinds, or that of everyone.
func (b *Bus) placesLocked(o *SubscribeOptions) (places []node) {
	switch {
	case o.Threads != nil:
		for _, t := range o.Threads {
			places = append(places, node{queue: &b.threads.pin(t).queue})
		}
	case o.Kinds != nil:
		for _, k := range o.Kinds {
			places = append(places, node{queue: &b.laneLocked(k).queue})
		}
	default:
		places = []node{{queue: &b.everyone}}
	}
	return places
}

// callSite names the first caller outside this package.
func callSite() string {
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, "github.com/swarmbus/swarmbus/bus.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}

// Next waits for the next signal, and judges at the call whether it expired.
// Its errors are [ErrClosed], [ErrLagged] after the last signal that was kept,
// and why ctx ended.
func (s *Subscription) Next(ctx context.Context) (signals.Any, error) {
	var one [1]signals.Any
	if _, err := s.Read(ctx, one[:]); err != nil {
		return nil, err
	}
	return one[0], nil
}

// Read waits for at least one signal and takes as many as are there and fit
// into dst. Whether they expired is judged once. It is [Subscription.Next] for
// readers in a hurry.
func (s *Subscription) Read(ctx context.Context, dst []signals.Any) (int, error) {
	for len(dst) > 0 {
		n, err := s.claim(ctx, dst)
		if err != nil {
			return 0, err
		}
		if n = s.keep(dst[:n]); n > 0 {
			return n, nil
		}
	}
	return 0, nil
}

// keep moves what the reader wants to the front.
func (s *Subscription) keep(claimed []signals.Any) (n int) {
	defer s.nudge()
	for i, next := range claimed {
		if s.wants(next, claimed[i+1:]) {
			claimed[n] = next
			n++
		}
	}
	return n
}

// All yields every signal from here on, until the loop ends or with a last
// error: those of [Subscription.Next]. A loop that is quick gets its signals in
// batches, and whether they expired is judged once for each; a loop that takes
// longer than 1 ms for a signal gets them one by one. The books count a batch as
// pending until its last signal is taken.
func (s *Subscription) All(ctx context.Context) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		buffer := make([]signals.Any, maxBatch)
		for {
			n, err := s.claim(ctx, buffer[:s.pace()])
			if err != nil {
				yield(nil, err)
				return
			}
			if !s.yield(buffer[:n], yield) {
				return
			}
		}
	}
}

// yield gives back what the loop did not take. What it took is entered in the
// books with the last one, unless somebody looks: an entry for each costs 5 ns.
func (s *Subscription) yield(all []signals.Any, yield func(signals.Any, error) bool) bool {
	defer s.nudge()
	taken := uint64(0)
	defer func() { s.fates[Delivered].Add(taken) }()
	for i, next := range all {
		if s.ended.Load() {
			s.dropClaimed(all[i:])
			return true
		}
		switch {
		case s.options.Where != nil:
			if !s.wants(next, all[i+1:]) {
				continue
			}
		case i == len(all)-1 || s.bus.awaiting.Load() > 0 || s.bus.watched.Load() > 0:
			s.fates[Delivered].Add(taken)
			taken = 0
			s.settle(next, Delivered)
		default:
			taken++
		}
		if !yield(next, nil) {
			s.giveBack(all[i+1:])
			return false
		}
	}
	return true
}

// wants applies the predicate, in the reader and outside every lock, and
// settles the signal, also when the predicate panics; then what was claimed
// with it goes back.
func (s *Subscription) wants(next signals.Any, rest []signals.Any) bool {
	if s.options.Where == nil {
		s.settle(next, Delivered)
		return true
	}
	fate := DeadFailed
	defer func() {
		s.settle(next, fate)
		if fate == DeadFailed {
			s.giveBack(rest)
		}
	}()
	if s.options.Where(next) {
		fate = Delivered
		return true
	}
	fate = Filtered
	return false
}

// settle enters the fate of a claimed signal. Only who watches makes it take
// the bus's lock.
func (s *Subscription) settle(sig signals.Any, f Fate) {
	s.fates[f].Add(1)
	if s.bus.watched.Load() > 0 {
		s.tell(f, sig)
	}
}

// nudge wakes who waits until something was read.
func (s *Subscription) nudge() {
	if s.bus.awaiting.Load() > 0 {
		s.bus.mu.Lock()
		s.bus.changed.Broadcast()
		s.bus.mu.Unlock()
	}
}

func (s *Subscription) tell(f Fate, settled ...signals.Any) {
	s.bus.mu.Lock()
	for _, sig := range settled {
		s.bus.emitLocked(Settled{Signal: sig, Reader: s.options.Agent, Fate: f})
	}
	s.bus.mu.Unlock()
	s.bus.showEvents()
}

// Close ends the subscription: what it has not read is dead-lettered, and its
// reads return [ErrClosed]. Closing twice does nothing.
func (s *Subscription) Close() {
	s.bus.endSubscription(s)
	s.bus.showEvents()
}

func (b *Bus) endSubscription(s *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.subscriptions, s); i >= 0 {
		b.subscriptions = slices.Delete(b.subscriptions, i, i+1)
		s.closeLocked()
	}
}

// closeLocked needs both locks.
func (s *Subscription) closeLocked() {
	b := s.bus
	s.bounds.countLocked(b.log.next)
	s.ended.Store(true)
	s.bounds.err = ErrClosed
	if unread := s.bounds.matched - s.claimed.Load(); unread > 0 {
		if b.observed() {
			s.emitUnreadLocked()
		}
		s.claimed.Add(unread)
		s.fates[DeadClosed].Add(unread)
	}
	s.bounds.end = 0 // nothing more is before the reader
	s.end.Store(0)
	s.cursor.clear()
	s.bounds.ahead.clear()
	b.borrowers--
	b.fading = append(b.fading, s) // what is claimed settles later
	s.bounds.sleeper.rouse()
	b.unpinLocked(s)
	b.changed.Broadcast()
}

// unpinLocked gives up the places of startLocked.
func (b *Bus) unpinLocked(s *Subscription) {
	for _, t := range s.options.Threads {
		b.threads.unpin(t)
	}
}

func (s *Subscription) emitUnreadLocked() {
	emit := func(sig signals.Any) {
		s.bus.emitLocked(Settled{Signal: sig, Reader: s.options.Agent, Fate: DeadClosed})
	}
	for _, sig := range s.cursor.own {
		emit(sig)
	}
	for c := s.cursor; ; {
		chunk, i, ok := c.match(min(s.bus.log.next, s.bounds.end))
		if !ok {
			return
		}
		emit(chunk.signal(i))
	}
}
