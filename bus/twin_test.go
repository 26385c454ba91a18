package bus_test

import (
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A twin is the bus in its simplest form: slices, linear scans, one caller at
// a time. It was the bus once. The same calls to it and to the bus must give
// the same answers, the same events and the same account.
type twin struct {
	opts     bus.Options
	now      func() time.Time
	closed   bool
	last     uint64
	evicted  uint64 // greatest sequence number that was evicted
	history  []signals.Any
	detector *conflict.Detector
	owners   map[string]map[string]twinOwner // by thread and proposal id
	live     []signals.Any                   // proposals
	subs     []*twinSub
	handlers []*twinHandler
	waiting  []twinStep
	busy     bool
	events   []bus.Event
	stats    bus.Stats
}

type twinOwner struct{ source, content string }

type twinSub struct {
	t       *twin
	o       bus.SubscribeOptions
	backlog []signals.Any
	bound   int
	err     error
	account bus.Account
}

type twinHandler struct {
	t       *twin
	o       bus.HandleOptions
	kind    signals.Kind
	run     func(signals.Any) error
	ended   bool
	began   bool
	account bus.Account
}

type twinStep struct {
	s        signals.Any
	handlers []*twinHandler
}

func newTwin(o bus.Options) *twin {
	return &twin{opts: o, now: o.Clock, detector: conflict.NewDetector(o.Conflicts), owners: map[string]map[string]twinOwner{}}
}

func (t *twin) emit(e bus.Event) { t.events = append(t.events, e) }

func settle(k, all *bus.Account, f bus.Disposition, n uint64) {
	for _, b := range []*bus.Account{k, all} {
		b.Pending -= n
		*map[bus.Disposition]*uint64{
			bus.Delivered: &b.Delivered, bus.Filtered: &b.Filtered, bus.DeadExpired: &b.DeadExpired,
			bus.DeadLagged: &b.DeadLagged, bus.DeadFailed: &b.DeadFailed, bus.DeadClosed: &b.DeadClosed,
		}[f] += n
	}
}

func intend(k, all *bus.Account) {
	for _, b := range []*bus.Account{k, all} {
		b.Intended++
		b.Pending++
	}
}

func (t *twin) expired(s signals.Any) bool {
	h := s.Head()
	return h.TTL > 0 && t.now().After(h.Time.Add(h.TTL))
}

// publish returns one of the bus's errors; others are named by the type.
func (t *twin) publish(agent string, all ...signals.Any) error {
	if t.closed {
		return bus.ErrClosed
	}
	var stamped []signals.Any
	for i, s := range all {
		h := s.Head()
		h.Seq, h.Source = t.last+1+uint64(i), agent
		if h.Time.IsZero() {
			h.Time = t.now()
		}
		if h.TTL == 0 {
			h.TTL = t.opts.TTL
		}
		switch {
		case h.ID.IsZero():
			h.ID = t.opts.Mint.ID(h.Seq, t.now())
		case h.ID.Minted() || strings.HasPrefix(h.ID.String(), conflict.IDPrefix):
			return signals.ErrInvalid
		}
		s = signals.With(s, h)
		if err := t.accept(s, stamped); err != nil {
			return err
		}
		stamped = append(stamped, s)
	}
	var opened []conflict.Pair
	for _, s := range stamped {
		opened = append(opened, t.append(s)...)
	}
	for _, p := range opened {
		cause := stamped[slices.IndexFunc(stamped, func(s signals.Any) bool { return s.Head().ID == p.B.Signal })].Head()
		t.append(signals.New(signals.Header{
			Seq: t.last + 1, ID: p.ID(), Source: bus.System, Thread: p.Thread, ReplyTo: p.B.Signal,
			Time: cause.Time, TTL: cause.TTL, Confidence: 1, Round: cause.Round,
		}, p.Payload()))
	}
	t.drain()
	return nil
}

func (t *twin) accept(s signals.Any, earlier []signals.Any) error {
	if t.expired(s) {
		return bus.ErrExpired
	}
	for _, e := range slices.Concat(t.history, earlier) {
		if e.Head().ID == s.Head().ID {
			return bus.ErrDuplicate
		}
	}
	if r, ok := signals.As[conflict.Resolution](s); ok {
		t.endProposals()
		return t.detector.Resolvable(r.Thread, r.Payload)
	}
	p, ok := signals.As[signals.Proposal](s)
	if !ok {
		return nil
	}
	t.endProposals()
	if slices.ContainsFunc(t.live, func(q signals.Any) bool { return q.Head().ID == p.ID }) {
		return bus.ErrDuplicate
	}
	first, owned := t.owners[p.Thread][p.Payload.ProposalID]
	for _, e := range earlier {
		q, ok := signals.As[signals.Proposal](e)
		if ok && !owned && q.Thread == p.Thread && q.Payload.ProposalID == p.Payload.ProposalID {
			first, owned = twinOwner{q.Source, q.Payload.Content}, true
		}
	}
	if owned && first != (twinOwner{p.Source, p.Payload.Content}) {
		return &conflict.ProposalError{}
	}
	return nil
}

// claim makes a proposal live, and its id its source's.
func (t *twin) claim(s signals.Any) {
	p, ok := signals.As[signals.Proposal](s)
	if !ok {
		return
	}
	if t.owners[p.Thread] == nil {
		t.owners[p.Thread] = map[string]twinOwner{}
	}
	if _, owned := t.owners[p.Thread][p.Payload.ProposalID]; !owned {
		t.owners[p.Thread][p.Payload.ProposalID] = twinOwner{p.Source, p.Payload.Content}
	}
	t.live = append(t.live, s)
}

// endProposals ends the proposals that expired, the first to expire first.
func (t *twin) endProposals() {
	t.endLive(t.expired, func(ended []signals.Any) {
		slices.SortStableFunc(ended, func(x, y signals.Any) int {
			a, b := x.Head(), y.Head()
			return a.Time.Add(a.TTL).Compare(b.Time.Add(b.TTL))
		})
	})
}

func (t *twin) closeThread(thread string) {
	t.endLive(func(s signals.Any) bool { return s.Head().Thread == thread }, func([]signals.Any) {})
}

func (t *twin) endLive(over func(signals.Any) bool, sort func([]signals.Any)) {
	var ended []signals.Any
	t.live = slices.DeleteFunc(t.live, func(s signals.Any) bool {
		if over(s) {
			ended = append(ended, s)
		}
		return over(s)
	})
	sort(ended)
	for _, s := range ended {
		t.ended(t.detector.Remove(s.Head().ID), false)
	}
	for thread := range t.owners {
		if !slices.ContainsFunc(t.live, func(s signals.Any) bool { return s.Head().Thread == thread }) {
			delete(t.owners, thread)
		}
	}
}

func (t *twin) append(s signals.Any) []conflict.Pair {
	t.last = s.Head().Seq
	t.stats.Published++
	t.history = append(t.history, s)
	t.emit(bus.Published{Signal: s})
	t.claim(s)
	change := t.detector.Fold(s)
	t.ended(change.Resolved, true)
	for _, p := range change.Opened {
		t.stats.Conflicts.Opened++
		t.emit(bus.ConflictOpened{Pair: p})
	}
	for len(t.history) > t.opts.History {
		oldest := t.history[0]
		t.history = t.history[1:]
		t.forget(oldest)
	}
	step := twinStep{s: s}
	for _, h := range t.handlers {
		if h.wants(s) {
			step.handlers = append(step.handlers, h)
			intend(&h.account, &t.stats.Account)
		}
	}
	t.waiting = append(t.waiting, step)
	for _, sub := range t.subs {
		sub.offer(s)
	}
	return change.Opened
}

func (t *twin) ended(pairs []conflict.Pair, resolved bool) {
	for _, p := range pairs {
		t.emit(bus.ConflictEnded{Pair: p, Resolved: resolved})
	}
}

func (t *twin) forget(s signals.Any) {
	if t.expired(s) {
		t.stats.Expired++
		t.emit(bus.Expired{Signal: s})
	} else {
		t.stats.Evicted++
		t.evicted = max(t.evicted, s.Head().Seq)
		t.emit(bus.Evicted{Signal: s})
	}
}

func (t *twin) sweep() {
	t.history = slices.DeleteFunc(t.history, func(s signals.Any) bool {
		if !t.expired(s) {
			return false
		}
		t.forget(s)
		return true
	})
	t.endProposals()
}

func (t *twin) get(id signals.ID) signals.Any {
	for _, s := range t.history {
		if s.Head().ID == id && !t.expired(s) {
			return s
		}
	}
	return nil
}

func (t *twin) pick(f bus.Filter) (out []signals.Any) {
	for _, s := range t.history {
		if !t.expired(s) && matches(f, s) {
			out = append(out, s)
		}
	}
	return out
}

func (t *twin) drain() {
	if t.busy {
		return
	}
	t.busy = true
	for len(t.waiting) > 0 {
		step := t.waiting[0]
		t.waiting = t.waiting[1:]
		for _, h := range step.handlers {
			h.handle(step.s)
		}
	}
	t.busy = false
}

func (t *twin) handle(kind signals.Kind, o bus.HandleOptions, run func(signals.Any) error) *twinHandler {
	h := &twinHandler{t: t, o: o, kind: kind, run: run}
	t.handlers = append(t.handlers, h)
	return h
}

func (h *twinHandler) wants(s signals.Any) bool {
	head := s.Head()
	return !h.ended && h.kind == s.Kind() && head.Recipients.Include(h.o.Agent)
}

func (h *twinHandler) handle(s signals.Any) {
	if h.ended {
		return
	}
	h.began = true
	disposition := bus.Delivered
	if err := h.run(s); err != nil {
		disposition = bus.DeadFailed
	}
	h.began = false
	settle(&h.account, &h.t.stats.Account, disposition, 1)
	h.t.emit(bus.Settled{Signal: s, Reader: h.o.Agent, Disposition: disposition})
}

func (h *twinHandler) close() {
	if h.ended {
		return
	}
	h.ended = true
	n := h.account.Pending
	if h.began {
		n--
	}
	settle(&h.account, &h.t.stats.Account, bus.DeadClosed, n)
}

func (t *twin) subscribe(o bus.SubscribeOptions) (*twinSub, bool) {
	s := &twinSub{t: t, o: o}
	if o.Past || o.After > 0 {
		if o.After < t.evicted {
			return nil, false
		}
		for _, old := range t.history {
			if !t.expired(old) && s.routes(old) {
				intend(&s.account, &t.stats.Account)
				s.backlog = append(s.backlog, old)
			}
		}
	}
	s.bound = len(s.backlog) + o.Backlog
	t.subs = append(t.subs, s)
	return s, true
}

func (s *twinSub) routes(next signals.Any) bool {
	h := next.Head()
	return (h.Seq == 0 || h.Seq > s.o.After) && (h.Recipients.Include(s.o.Agent) || s.o.Agent == bus.System) &&
		(s.o.Kinds == nil || slices.Contains(s.o.Kinds, next.Kind())) &&
		(s.o.Threads == nil || slices.Contains(s.o.Threads, h.Thread))
}

func (s *twinSub) settle(sig signals.Any, f bus.Disposition) {
	settle(&s.account, &s.t.stats.Account, f, 1)
	s.t.emit(bus.Settled{Signal: sig, Reader: s.o.Agent, Disposition: f})
}

func (s *twinSub) offer(next signals.Any) {
	if s.err != nil || !s.routes(next) {
		return
	}
	intend(&s.account, &s.t.stats.Account)
	s.backlog = append(s.backlog, next)
	if len(s.backlog) <= s.bound {
		return
	}
	s.err = bus.ErrLagged
	s.backlog = s.backlog[:len(s.backlog)-1]
	s.settle(next, bus.DeadLagged)
}

// poll is the bus's Poll.
func (s *twinSub) poll() (signals.Any, error) {
	for len(s.backlog) > 0 {
		next := s.backlog[0]
		s.backlog = s.backlog[1:]
		switch {
		case s.t.expired(next):
			s.settle(next, bus.DeadExpired)
		case s.o.Where != nil && !s.o.Where(next):
			s.settle(next, bus.Filtered)
		default:
			s.settle(next, bus.Delivered)
			return next, nil
		}
	}
	return nil, s.err
}

func (s *twinSub) close() {
	if i := slices.Index(s.t.subs, s); i >= 0 {
		s.t.subs = slices.Delete(s.t.subs, i, i+1)
		for _, unread := range s.backlog {
			s.settle(unread, bus.DeadClosed)
		}
		s.backlog, s.err = nil, bus.ErrClosed
	}
}

func (t *twin) close() {
	t.closed = true
	for _, h := range t.handlers {
		h.close()
	}
	for _, s := range slices.Clone(t.subs) {
		s.close()
	}
}

func (t *twin) count() bus.Stats {
	s := t.stats
	s.Held = len(t.history)
	s.Conflicts.Live, s.Conflicts.Open, s.Conflicts.HeldBack = len(t.live), t.detector.Open(), t.detector.HeldBack()
	return s
}
