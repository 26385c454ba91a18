package conflict

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrProposals is returned if the number of live proposals is at its limit.
var ErrProposals = errors.New("conflict: too many live proposals")

// A ProposalError is returned for a proposal id that belongs to another proposal
// of the thread: to the first source and content that used it.
type ProposalError struct {
	Thread     string
	ProposalID string
	Owner      string // the first source
}

func (e *ProposalError) Error() string {
	return fmt.Sprintf("conflict: proposal id %q in thread %q belongs to another proposal, by %q", e.ProposalID, e.Thread, e.Owner)
}

// A Fold knows, for the log that is applied to it, who owns which proposal id, which
// proposals are live and which of them conflict. A proposal is live until it
// expires or its thread is closed, and ids are owned until no proposal of their
// thread is live. Its methods must not be used concurrently.
type Fold struct {
	maxLive  int
	maxOpen  int
	detector *Detector // nil: conflicts are not looked for
	threads  map[string]*owned
	live     map[signals.ID]*claim
	dues     dues
	ruled    ruled
	opened   uint64
	pending  pending
}

// owned holds the proposals of one thread.
type owned struct {
	name   string
	owners map[string]owner
	all    []*claim // in log order; some may have ended
	live   int      // number of live ones
}

type claim struct {
	thread *owned // nil: it has ended
	id     signals.ID
	seq    uint64
	due    int64 // the last instant at which it is live
}

func (c *claim) over() bool { return c.thread == nil }

type owner struct{ source, content string }

// NewFold returns a fold of the empty log. nil means the default options.
func NewFold(o *Options) *Fold {
	o = cmp.Or(o, &Options{})
	f := &Fold{maxLive: o.MaxLive, maxOpen: o.maxOpen(), ruled: newRuled(), threads: map[string]*owned{}, live: map[signals.ID]*claim{}}
	if f.maxLive <= 0 {
		f.maxLive = 1 << 16
	}
	if !o.Off {
		f.detector = NewDetector(o)
	}
	return f
}

// Takes reports whether signals of s's payload type matter to the fold. Others need
// not be passed to Admit and Apply.
func (f *Fold) Takes(s signals.Any) bool {
	switch s.(type) {
	case *signals.Signal[signals.Proposal], *signals.Signal[Resolution], *signals.Signal[signals.Consensus], *signals.Signal[signals.Conflict]:
		return true
	}
	return false
}

// Apply takes the next signal of the log. It returns at most one opened conflict.
func (f *Fold) Apply(s signals.Any) (c Change) {
	if p, ok := signals.As[signals.Proposal](s); ok {
		if again := f.live[p.ID]; again != nil { // of a log that has forgotten the first
			c.Ended = f.end(again, c.Ended)
		}
		f.claim(p)
	}
	if f.detector != nil {
		change := f.detector.Fold(s)
		c.Opened, c.Resolved, c.Ended = change.Opened, change.Resolved, append(c.Ended, change.Ended...)
	}
	c.Resolved = append(c.Resolved, f.ruled.settle(s)...)
	if of, ok := signals.As[signals.Conflict](s); ok && !ofRivals(of) {
		c.Announced = f.ruled.add(of, f.maxOpen)
	}
	f.opened += uint64(len(c.Opened) + len(c.Announced))
	return c
}

func (f *Fold) claim(s *signals.Signal[signals.Proposal]) {
	t := f.threads[s.Thread]
	if t == nil {
		t = &owned{name: s.Thread, owners: map[string]owner{}}
		f.threads[s.Thread] = t
	}
	if _, owned := t.owners[s.Payload.ProposalID]; !owned {
		t.owners[s.Payload.ProposalID] = owner{s.Source, s.Payload.Content}
	}
	c := &claim{t, s.ID, s.Seq, dueOf(&s.Header)}
	t.all, t.live, f.live[s.ID] = append(t.all, c), t.live+1, c
	if c.due != math.MaxInt64 {
		heap.Push(&f.dues, c)
	}
}

// dueOf returns the last instant at which a signal is live, in nanoseconds since
// 1970.
func dueOf(h *signals.Header) int64 {
	at := h.Time.UnixNano()
	if h.TTL < 0 || at > math.MaxInt64-int64(h.TTL) {
		return math.MaxInt64
	}
	return at + int64(h.TTL)
}

// end ends a live proposal, and the thread if it was the last one. It appends the
// conflicts that this ends.
func (f *Fold) end(c *claim, ended []Pair) []Pair {
	t := c.thread
	c.thread = nil
	delete(f.live, c.id)
	if t.live--; t.live == 0 {
		delete(f.threads, t.name)
	}
	if len(t.all) > 2*t.live+16 {
		t.all = slices.DeleteFunc(t.all, (*claim).over)
	}
	if f.detector == nil {
		return ended
	}
	return append(ended, f.detector.Remove(c.id)...)
}

// Expire ends the proposals that have expired at a time, in nanoseconds since 1970,
// and returns the conflicts that end with them.
func (f *Fold) Expire(now int64) (ended []Pair) {
	for len(f.dues) > 0 && f.dues[0].due < now {
		if c := heap.Pop(&f.dues).(*claim); !c.over() {
			ended = f.end(c, ended)
		}
	}
	return append(ended, f.ruled.expire(now)...)
}

// CloseThread ends the proposals of a thread, and returns the conflicts that end
// with them.
func (f *Fold) CloseThread(thread string) (ended []Pair) {
	ended = f.ruled.end(thread, func(ruling) bool { return true })
	t := f.threads[thread]
	if t == nil {
		return ended
	}
	for _, c := range slices.Clone(t.all) {
		if !c.over() {
			ended = f.end(c, ended)
		}
	}
	if len(f.dues) > 2*len(f.live) { // mostly of closed threads
		f.dues = slices.DeleteFunc(f.dues, (*claim).over)
		heap.Init(&f.dues)
	}
	return ended
}

// Live reports whether the proposal with that signal's id is live.
func (f *Fold) Live(id signals.ID) bool { return f.live[id] != nil }

// Detects reports whether the fold looks for conflicts; see [Options].Off.
func (f *Fold) Detects() bool { return f.detector != nil }

// Unresolved yields the open conflicts of a thread: those between proposals as
// [Detector.Unresolved] does, then those that rules found, oldest first.
func (f *Fold) Unresolved(thread string) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		if f.detector != nil {
			for p := range f.detector.Unresolved(thread) {
				if !yield(p) {
					return
				}
			}
		}
		for _, c := range f.ruled.threads[thread] {
			if !yield(c.pair) {
				return
			}
		}
	}
}

// Counts are the numbers of a fold.
type Counts struct {
	Live     int    // proposals
	Open     int    // conflicts
	Opened   uint64 // conflicts so far
	HeldBack uint64 // conflicts that were not opened because a thread had too many
}

// Counts returns the current numbers.
func (f *Fold) Counts() Counts {
	c := Counts{Live: len(f.live), Open: f.ruled.open, Opened: f.opened}
	if f.detector != nil {
		c.Open, c.HeldBack = c.Open+f.detector.Open(), f.detector.HeldBack()
	}
	return c
}

// dues is a heap of the proposals that expire, the first to expire on top.
type dues []*claim

func (d dues) Len() int { return len(d) }
func (d dues) Less(i, j int) bool {
	return d[i].due < d[j].due || d[i].due == d[j].due && d[i].seq < d[j].seq
}
func (d dues) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)   { *d = append(*d, x.(*claim)) }
func (d *dues) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return x
}
