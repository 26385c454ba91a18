package bus

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// SubscribeOptions select the signals of a subscription. The zero value selects
// all that have no recipients, from now on.
type SubscribeOptions struct {
	Agent   string         // the agent that reads; "" gets only signals without recipients, [System] all
	Kinds   []signals.Kind // nil: all
	Threads []string       // nil: all

	// Where is a further condition; nil: none. The reader calls it, without holding
	// a lock. If it panics, the panic reaches the reader's caller, the signal is
	// dead-lettered as failed, and the others stay unread.
	Where func(signals.Any) bool

	// Backlog is the maximum number of unread signals, not counting those that were
	// in the history when the subscription began. 0 means 65536. Beyond it the
	// subscription ends: after its unread signals, reads return [ErrLagged]. Signals of a batch
	// that are given back may exceed it, if the backlog has filled up meanwhile.
	// Unread signals keep at most three times as many entries of the log alive, plus
	// 8192.
	Backlog int

	// Past starts with the first signal after the sequence number After and continues
	// with new signals, without gap or repetition; After may be beyond the end of a
	// log that is fed. Signals that have already expired are left out. If a signal
	// after After was evicted, Subscribe returns an [*EvictedError]. An After other
	// than 0 implies Past.
	Past  bool
	After uint64

	// Expired includes expired signals, for readers that have to record the whole
	// log. Those that expired before the subscription began are included as far as
	// the history still has them.
	Expired bool
}

// A Subscription is a reader that misses nothing: its unread signals are kept,
// whatever the history evicts. Its methods may be called concurrently; every
// signal goes to one caller.
type Subscription struct {
	bus     *Bus
	options SubscribeOptions
	site    site // where Subscribe was called
	kinds   []*store.Topic
	threads []*store.Topic

	mu      sync.Mutex // protects the fields below; taken after bus.mu
	cursor  store.Cursor
	ahead   store.Cursor  // not before the cursor: wanted entries are counted up to here
	counted uint64        // entries that the reader wants, up to there
	front   []signals.Any // unread signals before the cursor: given back, or kept when it lagged
	err     error         // why it ended; nil: it has not ended
	closed  atomic.Bool   // it or the bus was closed: deliver nothing more
	inHand  uint64        // number of signals taken but not yet settled
	account Account       // without pending signals
	born    uint64        // signals before that position that had expired at bornAt are not wanted
	bornAt  int64
	batch   int // number of signals that All takes at once
	paced   time.Time
	gone    []signals.Any // expired signals to report to observers

	// Protected by bus.mu.
	bound   uint64 // maximum number of unread signals
	slow    bool   // reported as slow since the backlog was last half empty
	due     uint64 // position at which it may reach a bound
	sleeper sleeper
}

// Subscribe starts a subscription with the next signal that is published, or in
// the past.
func (b *Bus) Subscribe(o SubscribeOptions) (*Subscription, error) {
	if o.Backlog < 0 {
		return nil, &OptionError{"Backlog", o.Backlog, "negative"}
	}
	for _, t := range o.Threads {
		if err := (signals.Limits{}).Name("thread", t); t != "" && err != nil {
			return nil, err
		}
	}
	o.Kinds, o.Threads = slices.Clone(o.Kinds), slices.Clone(o.Threads)
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
	b.log.AddReader()
	b.readable.Store(b.log.Next())
	b.subscriptions = append(b.subscriptions, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound = s.unreadLocked(b.log.Next()) + uint64(o.Backlog)
	s.reviewLocked(b.log.Next())
	b.checkAt = min(b.checkAt, s.due, b.log.Next()+review)
	return s, nil
}

// startLocked puts the cursor where the subscription begins.
func (b *Bus) startLocked(s *Subscription) error {
	o := &s.options
	s.cursor = b.log.End()
	if o.Past || o.After > 0 {
		if o.After < b.log.EvictedTo() {
			return &EvictedError{After: o.After, Oldest: b.oldestLocked()}
		}
		s.cursor = b.log.At(b.log.After(o.After))
		if s.born, s.bornAt = b.log.Next(), b.clock.now(); o.Expired {
			s.bornAt = math.MinInt64
		}
	}
	if o.Kinds != nil {
		s.kinds = []*store.Topic{}
	}
	if o.Threads != nil {
		s.threads = []*store.Topic{}
	}
	for _, k := range o.Kinds {
		s.kinds = append(s.kinds, pin(b.log.Kinds, string(k)))
	}
	for _, t := range o.Threads {
		s.threads = append(s.threads, pin(b.log.Threads, t))
	}
	s.sleeper.nodes = s.places()
	return nil
}

// places returns the queues in which the reader waits: those of its threads,
// or of its kinds, or that of everyone.
func (s *Subscription) places() (places []node) {
	topics := s.threads
	switch {
	case s.options.Threads != nil:
	case s.options.Kinds != nil:
		topics = s.kinds
	default:
		return []node{{queue: &s.bus.everyone}}
	}
	for _, t := range topics {
		places = append(places, node{queue: &channelOf(t).queue})
	}
	return places
}

// Next waits for the next signal, and checks at the call whether it has expired.
// Its errors are [ErrClosed], [ErrLagged] after the last unread signal, and the
// cause of ctx's end: once ctx has ended, Next returns no signal, even if one is
// unread ([Subscription.Poll] does).
func (s *Subscription) Next(ctx context.Context) (signals.Any, error) {
	var one [1]signals.Any
	if _, err := s.Read(ctx, one[:]); err != nil {
		return nil, err
	}
	return one[0], nil
}

// Read waits for at least one signal and reads as many as there are and fit into
// dst. It checks once whether they have expired, and is otherwise a faster
// [Subscription.Next].
func (s *Subscription) Read(ctx context.Context, dst []signals.Any) (int, error) {
	for len(dst) > 0 {
		n, err := s.claim(ctx, dst)
		if err != nil {
			return 0, err
		}
		if n = s.judge(dst[:n]); n > 0 {
			return n, nil
		}
	}
	return 0, nil
}

// Poll is [Subscription.Next] without waiting: if there is no signal to read, it
// returns nil and no error.
func (s *Subscription) Poll() (signals.Any, error) {
	var one [1]signals.Any
	for {
		n, _, err := s.look(one[:], false)
		s.report()
		if n == 0 || err != nil {
			return nil, err
		}
		if s.judge(one[:]) > 0 {
			return one[0], nil
		}
	}
}

// maxBatch is the maximum number of signals that All takes at once: with 64, the
// lock costs a reader less than a nanosecond per signal.
const maxBatch = 64

// All yields all signals from here on, until the loop ends or an error is yielded
// last: one of those of [Subscription.Next]. A fast loop gets signals in batches,
// and expiry is checked once per batch; a loop that takes longer than 1 ms for a
// signal gets them one by one. The account count a batch as pending until its last
// signal has been taken. However a loop ends, the signals of a batch that it has
// not taken remain unread.
func (s *Subscription) All(ctx context.Context) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		buffer := make([]signals.Any, maxBatch)
		for {
			n, err := s.claim(ctx, buffer[:s.pace()])
			if err != nil {
				yield(nil, err)
				return
			}
			if !s.yield(buffer[:n], ctx.Done(), yield) {
				return
			}
		}
	}
}

// yield yields a batch, and gives back the signals that are not taken.
func (s *Subscription) yield(batch []signals.Any, ended <-chan struct{}, yield func(signals.Any, error) bool) bool {
	next, taken := 0, uint64(0)
	defer func() {
		s.settle(Delivered, taken)
		s.giveBack(batch[next:])
		s.tellWaiting()
	}()
	for next < len(batch) {
		if s.closed.Load() || isOver(ended) {
			return true // the next claim returns the reason
		}
		signal := batch[next]
		next++
		if s.options.Where != nil && !s.passes(signal) {
			continue
		}
		watched := s.bus.watched.Load() > 0
		if taken++; watched || next == len(batch) || s.bus.awaiting.Load() > 0 {
			s.settle(Delivered, taken)
			taken = 0
			if watched {
				s.tell(Delivered, signal)
			}
			s.tellWaiting()
		}
		if !yield(signal, nil) {
			return false
		}
	}
	return true
}

// pace returns how many signals All takes next: twice as many as before if the
// loop is fast, one if it took longer than a millisecond per signal.
func (s *Subscription) pace() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.paced) > time.Duration(s.batch)*time.Millisecond {
		s.batch = 1
	} else {
		s.batch = min(2*s.batch, maxBatch)
	}
	s.paced = now
	return s.batch
}

// Account returns the subscription's own account, also after the subscription has
// ended.
func (s *Subscription) Account() Account {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.accountLocked()
}

// accountLocked adds the pending signals: those that the cursor has not reached,
// unread ones before it, and those that readers have taken but not settled.
// Intended signals are counted separately by the bus.
func (s *Subscription) accountLocked() Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.account
	k.Pending = s.behindCursor() + uint64(len(s.front)) + s.inHand
	if s.err == nil {
		s.unreadLocked(s.bus.log.Next())
		k.Intended = s.counted
	}
	return k
}

// Close ends the subscription: its unread signals are dead-lettered, and reads
// return [ErrClosed]. Closing twice does nothing.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	s.mu.Lock()
	s.closeLocked()
	s.mu.Unlock()
	s.bus.mu.Unlock()
	s.bus.showEvents()
}

// closeLocked requires both locks. A subscription that lagged drops what it has
// kept.
func (s *Subscription) closeLocked() {
	if errors.Is(s.err, ErrClosed) {
		return
	}
	lagged := s.err != nil
	for _, left := range s.front {
		s.dropLocked(left, DeadClosed)
	}
	s.front = nil
	if !lagged {
		s.passLocked(s.bus.log.Next(), DeadClosed)
		s.endLocked()
	}
	s.err = ErrClosed
	s.closed.Store(true)
}

// endLocked removes the subscription from the bus, which keeps its account. It
// requires both locks.
func (s *Subscription) endLocked() {
	b := s.bus
	s.cursor.Clear()
	s.ahead.Clear()
	i := slices.Index(b.subscriptions, s)
	b.subscriptions = slices.Delete(b.subscriptions, i, i+1)
	b.log.RemoveReader()
	s.sleeper.rouse()
	s.sleeper.pay()
	for _, t := range s.kinds {
		b.log.Kinds.Unpin(t)
	}
	for _, t := range s.threads {
		b.log.Threads.Unpin(t)
	}
	k := s.account
	k.Pending = uint64(len(s.front)) + s.inHand
	b.past.add(k)
	b.kept += uint64(len(s.front))
	b.changed.Broadcast()
}
