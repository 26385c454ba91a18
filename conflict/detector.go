package conflict

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrNotOpen is returned for a [Resolution] that names no open conflict.
var ErrNotOpen = errors.New("conflict: no open conflict")

// Options of a [Fold] or a [Detector]. The zero value and nil mean the defaults.
type Options struct {
	Off     bool // do not look for conflicts
	MaxOpen int  // open conflicts in one thread; 0 means 1024
	MaxLive int  // live proposals in all threads; 0 means 65536
}

func (o *Options) maxOpen() int {
	if o.MaxOpen <= 0 {
		return 1024
	}
	return o.MaxOpen
}

// A Proposal is what a detector keeps of one live proposal. Of a signal of another
// kind, only Signal is certain to be set.
type Proposal struct {
	Signal     signals.ID
	Seq        uint64
	Source     string
	ProposalID string
	Content    string
}

// A Pair is two live rivals of one thread, or two signals that contradict each other
// by a rule; A is the older one.
type Pair struct {
	Rule   string // its name, if a Comparer made the pair; "" for rival proposals
	Thread string
	A, B   Proposal
	// DetectedAt is the time of B, or of the conflict signal if a rule made the pair and the
	// log says so: a conflict is detected when the signal that opens it enters the log.
	DetectedAt time.Time
}

// A Detector finds rivals among the live proposals of each thread.
type Detector struct {
	maxOpen int
	threads map[string]*thread
	last    *thread // of the last proposal, and often of the next too
	live    map[signals.ID]*proposal
	open    int
	held    uint64
}

// NewDetector returns a detector without proposals.
func NewDetector(o *Options) *Detector {
	o = cmp.Or(o, &Options{})
	return &Detector{maxOpen: o.maxOpen(), threads: map[string]*thread{}, live: map[signals.ID]*proposal{}}
}

// A Change lists the conflicts that one signal opened and ended.
type Change struct {
	Opened    []Pair // at most one, between proposals
	Announced []Pair // at most one, found by a rule: the signal is its conflict signal
	Resolved  []Pair // oldest first
	Ended     []Pair // not resolved: a side of them is no longer live
}

// Fold takes the next signal of the log. A proposal becomes live and opens a
// conflict with its oldest live rival, if it has one. A [Resolution] ends the
// open conflict of its two signals, a [signals.Consensus] every open conflict
// of its thread. Other kinds change nothing; neither does a signal that is
// already live, or a resolution that [Detector.Resolvable] refuses.
func (d *Detector) Fold(s signals.Any) Change {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		return d.add(s)
	case *signals.Signal[Resolution]:
		if p := d.contested(s.Thread, s.Payload); p != nil {
			return Change{Resolved: []Pair{d.end(p)}, Ended: d.Remove(s.Payload.Loser())}
		}
	case *signals.Signal[signals.Consensus]:
		return d.decide(s.Thread)
	}
	return Change{}
}

// Resolvable returns nil if r names the two signals of an open conflict of the
// thread, as Unresolved yields them, and otherwise a wrapped [ErrNotOpen].
func (d *Detector) Resolvable(thread string, r Resolution) error {
	if d.contested(thread, r) == nil {
		return fmt.Errorf("%w: %s and %s in thread %q", ErrNotOpen, r.SignalA, r.SignalB, thread)
	}
	return nil
}

// Remove removes a proposal, and ends the conflicts that have no live rival left.
// An unknown id changes nothing.
func (d *Detector) Remove(id signals.ID) (ended []Pair) {
	p, known := d.live[id]
	if !known {
		return nil
	}
	t := p.thread
	if p.rival != nil {
		ended = append(ended, d.end(p))
	}
	delete(d.live, id)
	t.remove(p)
	for len(p.leaning) > 0 {
		if q := p.leaning[0]; !t.goesOn(q) {
			ended = append(ended, q.against(p))
			d.close(q)
		}
	}
	slices.SortFunc(ended, func(a, b Pair) int { return cmp.Compare(a.B.Seq, b.B.Seq) })
	if len(t.live) == 0 {
		delete(d.threads, t.name)
		d.last = nil
	}
	return ended
}

func (d *Detector) add(s *signals.Signal[signals.Proposal]) Change {
	if _, known := d.live[s.ID]; known {
		return Change{}
	}
	t := d.thread(s.Thread)
	p := &proposal{Proposal: Proposal{s.ID, s.Seq, s.Source, s.Payload.ProposalID, s.Payload.Content}, at: s.Time, thread: t}
	d.live[s.ID] = p
	t.live = append(t.live, p)
	rival := t.oldestRival(p)
	switch {
	case rival == nil:
		return Change{}
	case t.open >= d.maxOpen:
		d.held++
		return Change{}
	}
	d.open++
	t.open++
	p.lean(t.recentRival(p, rival))
	return Change{Opened: []Pair{p.against(rival)}}
}

// contested returns the newer proposal of the open conflict that r names, or
// nil.
func (d *Detector) contested(thread string, r Resolution) *proposal {
	p, q := d.live[r.SignalA], d.live[r.SignalB]
	switch {
	case p == nil || q == nil || p.thread.name != thread || q.thread.name != thread:
		return nil
	case p.rival != nil && p.thread.oldestRival(p) == q:
		return p
	case q.rival != nil && q.thread.oldestRival(q) == p:
		return q
	}
	return nil
}

func (d *Detector) decide(thread string) (c Change) {
	t := d.threads[thread]
	if t == nil {
		return c
	}
	for _, p := range t.live {
		if p.rival != nil {
			c.Resolved = append(c.Resolved, d.end(p))
		}
	}
	return c
}

// end closes the conflict of p and returns its pair.
func (d *Detector) end(p *proposal) Pair {
	pair := p.conflict()
	d.close(p)
	return pair
}

func (d *Detector) close(p *proposal) {
	p.lean(nil)
	p.thread.open--
	d.open--
}

func (d *Detector) thread(name string) *thread {
	if d.last != nil && d.last.name == name {
		return d.last
	}
	d.last = d.threads[name]
	if d.last == nil {
		d.last = newThread(name)
		d.threads[name] = d.last
	}
	return d.last
}

// Unresolved yields the open conflicts of a thread, oldest first, each with the
// oldest rival that is live now. It takes time linear in the thread's
// proposals.
func (d *Detector) Unresolved(thread string) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		t := d.threads[thread]
		if t == nil {
			return
		}
		for _, p := range t.live {
			if p.rival != nil && !yield(p.conflict()) {
				return
			}
		}
	}
}

// Open returns the number of open conflicts in all threads.
func (d *Detector) Open() int { return d.open }

// HeldBack returns how many conflicts were not opened because their thread had
// reached its limit.
func (d *Detector) HeldBack() uint64 { return d.held }
