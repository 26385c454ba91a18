package bus

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// SubscribeOptions say what a subscription wants. The zero value wants
// everything that is for everyone.
type SubscribeOptions struct {
	Agent   string                 // who reads; "" gets only signals without recipients, [System] all
	Kinds   []signals.Kind         // nil: all
	Threads []string               // nil: all
	Where   func(signals.Any) bool // nil: all; runs in the reader

	Backlog  int  // signals kept for the reader; 0 means 65536
	WhenFull Full // what happens beyond it
}

// Full is what happens to a subscription whose backlog is full.
type Full uint8

const (
	// End ends the subscription with [ErrLagged], after what is kept was read.
	End Full = iota
	// Wait makes publishers wait, as long as their context allows. A publisher
	// never waits for its own agent's subscription: it gets [ErrBacklog].
	Wait
)

// A Subscription is a reader that misses nothing: what it has not read is
// kept for it, whatever the history evicts. Its methods may be called
// concurrently; every signal goes to one caller.
type Subscription struct {
	bus     *Bus
	options SubscribeOptions
	site    string // where Subscribe was called

	// Protected by bus.mu.
	backlog []signals.Any
	err     error // why it ended
	slow    bool  // named since it was last half empty
	books   Books
}

// Subscribe starts a subscription with the next signal that is published.
func (b *Bus) Subscribe(o SubscribeOptions) (*Subscription, error) {
	o.Kinds, o.Threads = slices.Clone(o.Kinds), slices.Clone(o.Threads)
	if o.Backlog <= 0 {
		o.Backlog = 1 << 16
	}
	s := &Subscription{bus: b, options: o, site: callSite()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != open {
		return nil, ErrClosed
	}
	b.subscriptions = append(b.subscriptions, s)
	return s, nil
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

// Next waits for the next signal. Its errors are [ErrClosed], [ErrLagged]
// after the last signal that was kept, and why ctx ended.
func (s *Subscription) Next(ctx context.Context) (signals.Any, error) {
	for {
		next, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		if s.read(next) {
			return next, nil
		}
	}
}

// All yields every signal from here on, until the loop ends or with a last
// error: those of [Subscription.Next].
func (s *Subscription) All(ctx context.Context) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		for {
			next, err := s.Next(ctx)
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
}

// Close ends the subscription: what it has not read is dead-lettered, and its
// reads return [ErrClosed]. Closing twice does nothing.
func (s *Subscription) Close() {
	b := s.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.subscriptions, s); i >= 0 {
		b.subscriptions = slices.Delete(b.subscriptions, i, i+1)
		s.endLocked(ErrClosed)
	}
}

// take waits for a signal that has not expired.
func (s *Subscription) take(ctx context.Context) (signals.Any, error) {
	b := s.bus
	b.mu.Lock()
	defer b.takeSteps()
	defer b.mu.Unlock()
	for {
		err := b.waitLocked(ctx, func() bool { return len(s.backlog) > 0 || s.err != nil })
		if err != nil {
			return nil, err
		}
		if next, ok := s.popLocked(); ok {
			return next, nil
		}
		if s.err != nil {
			return nil, s.err
		}
	}
}

// popLocked takes the first signal that has not expired off the backlog.
func (s *Subscription) popLocked() (signals.Any, bool) {
	now := s.bus.opts.Clock()
	for len(s.backlog) > 0 {
		next := s.backlog[0]
		s.backlog = s.backlog[1:]
		s.slow = s.slow && len(s.backlog) > s.options.Backlog/2
		s.bus.changed.Broadcast()
		if h := next.Head(); !h.Expired(now) {
			return next, true
		}
		s.settleLocked(next, DeadExpired)
	}
	return nil, false
}

// read applies the predicate, in the reader and outside the lock, and enters
// what came of it in the books, also when the predicate panics.
func (s *Subscription) read(next signals.Any) (wanted bool) {
	fate := DeadFailed
	defer func() {
		s.bus.mu.Lock()
		s.settleLocked(next, fate)
		s.bus.mu.Unlock()
		s.bus.takeSteps()
	}()
	wanted = s.options.Where == nil || s.options.Where(next)
	fate = Filtered
	if wanted {
		fate = Delivered
	}
	return wanted
}

func (s *Subscription) routes(next signals.Any) bool {
	h := next.Head()
	return (h.Recipients.Include(s.options.Agent) || s.options.Agent == System) &&
		(s.options.Kinds == nil || slices.Contains(s.options.Kinds, next.Kind())) &&
		(s.options.Threads == nil || slices.Contains(s.options.Threads, h.Thread))
}

// offerLocked puts a signal of the log before the reader.
func (s *Subscription) offerLocked(next signals.Any) {
	if s.err != nil || !s.routes(next) {
		return
	}
	s.bus.intendLocked(&s.books)
	if s.options.WhenFull == End && len(s.backlog) >= s.options.Backlog {
		s.err = ErrLagged
		s.settleLocked(next, DeadLagged)
		return
	}
	s.backlog = append(s.backlog, next)
	if !s.slow && len(s.backlog) > s.options.Backlog/2 {
		s.slow = true
		s.bus.emitLocked(Slow{Reader: s.options.Agent, Site: s.site, Pending: len(s.backlog)})
	}
}

// endLocked dead-letters what was not read.
func (s *Subscription) endLocked(err error) {
	for _, unread := range s.backlog {
		s.settleLocked(unread, DeadClosed)
	}
	s.backlog, s.err = nil, err
	s.bus.changed.Broadcast()
}

func (s *Subscription) settleLocked(sig signals.Any, f Fate) {
	s.bus.settleLocked(&s.books, f, 1)
	s.bus.emitLocked(Settled{Signal: sig, Reader: s.options.Agent, Fate: f})
}

// waitForRoomLocked waits until every subscription that makes publishers wait
// has room for what it would get.
func (b *Bus) waitForRoomLocked(ctx context.Context, agent string, all []signals.Any) error {
	var problem error
	err := b.waitLocked(ctx, func() bool {
		problem = nil
		if b.state != open {
			problem = ErrClosed
			return true
		}
		if b.undrained+len(all) > b.opts.Undrained {
			problem = fmt.Errorf("%w: %d signals wait for handlers", ErrBacklog, b.undrained)
			return true
		}
		full := b.fullLocked(all)
		if full == nil {
			return true
		}
		if full.options.Agent == agent && agent != "" || len(all) > full.options.Backlog {
			problem = fmt.Errorf("%w: subscription of %q at %s", ErrBacklog, full.options.Agent, full.site)
			return true
		}
		return false
	})
	if err != nil {
		return err
	}
	return problem
}

func (b *Bus) fullLocked(all []signals.Any) *Subscription {
	for _, s := range b.subscriptions {
		if s.options.WhenFull != Wait || s.err != nil {
			continue
		}
		coming := 0
		for _, next := range all {
			if s.routes(next) {
				coming++
			}
		}
		if coming > 0 && len(s.backlog)+coming > s.options.Backlog {
			return s
		}
	}
	return nil
}
