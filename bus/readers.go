package bus

import (
	"fmt"
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

// An EvictedError is returned to a reader that wants to start before the
// history: signals after After have been evicted.
type EvictedError struct {
	After  uint64
	Oldest uint64 // sequence number of the oldest signal in the history
}

func (e *EvictedError) Error() string {
	return fmt.Sprintf("bus: signals after %d were evicted, the oldest kept is %d", e.After, e.Oldest)
}

// readers are the subscriptions of a bus. The bus's lock protects them.
type readers struct {
	*core
	everyone backlog.Queue // readers that wait for any signal
	checkAt  uint64        // position at which some subscription may reach a bound
}

func (r *readers) init(c *core) { r.core, r.checkAt = c, ^uint64(0) }

// join adds a subscription, which starts with the signals that it wants.
func (r *readers) join(o SubscribeOptions, at *watch.Site) (*Subscription, error) {
	s := &Subscription{core: r.core, readers: r, options: o, site: at, batch: 1}
	want := backlog.Selector{Addressed: func(to signals.Recipients) bool { return o.Agent == System || to.Include(o.Agent) }}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != open {
		return nil, ErrClosed
	}
	from, err := r.startLocked(&o, &want)
	if err != nil {
		return nil, err
	}
	r.queueLocked(s)
	want.Kinds, want.Threads = s.kinds, s.threads
	end := r.log.Next()
	r.log.AddReader()
	r.readable.Store(end)
	r.attached = append(r.attached, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog = backlog.New(want, from)
	_, unread := s.backlog.Count(end)
	s.bound = unread + uint64(o.Backlog)
	s.reviewLocked(end)
	r.checkAt = min(r.checkAt, s.due, end+backlog.Slack)
	return s, nil
}

// startLocked returns where a subscription begins, and fills in the selection, except kinds
// and threads.
func (r *readers) startLocked(o *SubscribeOptions, want *backlog.Selector) (from store.Cursor, err error) {
	if want.After = o.After; !o.Past && o.After == 0 {
		return r.log.End(), nil
	}
	if o.After < r.log.EvictedTo() {
		return from, &EvictedError{After: o.After, Oldest: r.log.Oldest()}
	}
	if want.Born, want.BornAt = r.log.Next(), r.clock.Now(); o.Expired {
		want.BornAt = math.MinInt64
	}
	return r.log.At(r.log.After(o.After)), nil
}

// queueLocked makes s wait for its threads, or for its kinds, or for everything.
func (r *readers) queueLocked(s *Subscription) {
	s.kinds, s.threads = pinAll(r.log.Kinds, s.options.Kinds), pinAll(r.log.Threads, s.options.Threads)
	topics := s.threads
	if topics == nil {
		topics = s.kinds
	}
	if topics == nil {
		s.sleeper.In(&r.everyone)
	}
	for _, t := range topics {
		s.sleeper.In(&channelOf(t).queue)
	}
}

// wakeLocked wakes readers that wait for the newest entry. Its cost does not
// depend on their number: each woken reader wakes the next.
func (r *readers) wakeLocked(e *store.Entry) {
	kind, thread := channelOf(e.Kind), channelOf(e.Thread)
	end := r.log.Next()
	r.everyone.Wake(end)
	if kind != nil {
		kind.queue.Wake(end)
	}
	if thread != nil {
		thread.queue.Wake(end)
	}
}

// reviewLocked reviews the subscriptions that may have reached a bound. Not every
// signal requires a review of every subscription: one with room for n more is
// reviewed again after n entries. Those that still sleep have nothing to read.
func (r *readers) reviewLocked() {
	if end := r.log.Next(); end > r.checkAt {
		r.reviewAllLocked(end)
	}
}

func (r *readers) reviewAllLocked(end uint64) {
	next, reads := end+backlog.Slack, false
	for _, each := range slices.Clone(r.attached) {
		s, ok := each.(*Subscription)
		if !ok {
			continue
		}
		reads = true
		if s.due < end+backlog.Slack/4 { // a little early, so that many are reviewed together
			s.mu.Lock()
			s.reviewLocked(end)
			s.mu.Unlock()
		}
		next = min(next, s.due)
	}
	if !reads {
		next = ^uint64(0)
	}
	r.checkAt = next
}

// soonLocked has s reviewed with the next entry.
func (r *readers) soonLocked(s *Subscription) {
	s.due = min(s.due, r.log.Next())
	r.checkAt = min(r.checkAt, s.due)
}

// reviewLocked enforces the bounds of a backlog when the log ends at end, and
// says when to do so again. It requires both locks.
func (s *Subscription) reviewLocked(end uint64) {
	if s.sleeper.Idle() {
		s.backlog.Jump(s.core.log.End())
	}
	_, unread := s.backlog.Count(end)
	s.backlog.Compact(unread, end)
	half := s.bound - uint64(s.options.Backlog+1)/2 // half of the backlog, plus what was there at the start
	if unread > half && !s.slow {
		s.slow = true
		s.core.emitLocked(Slow{Reader: s.options.Agent, Site: s.site.String(), Pending: int(min(unread, s.bound))})
	}
	if unread > s.bound {
		s.lagLocked(end)
		return
	}
	bound := s.bound
	if s.slow = s.slow && unread > half; !s.slow {
		bound = half
	}
	s.due = end + min(max(backlog.Slack, unread), bound-min(unread, bound))
}
