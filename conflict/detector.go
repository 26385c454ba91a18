package conflict

import (
	"iter"

	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Detector]. The zero value and nil mean the defaults.
type Options struct {
	MaxOpen int // open conflicts in one thread; 0 means 1024
}

// A Proposal is what a detector remembers of one live proposal.
type Proposal struct {
	Signal     signals.ID
	Seq        uint64
	Source     string
	ProposalID string
	Content    string
}

// A Pair is two live rivals of one thread; A is the older one.
type Pair struct {
	Thread string
	A, B   Proposal
}

// A Detector finds rivals among the live proposals of each thread.
type Detector struct {
	maxOpen int
	threads map[string]*thread
	home    map[signals.ID]string // the thread of each live proposal
	open    int
	held    uint64
}

// NewDetector returns a detector that knows of no proposal.
func NewDetector(o *Options) *Detector {
	if o == nil {
		o = &Options{}
	}
	maxOpen := o.MaxOpen
	if maxOpen <= 0 {
		maxOpen = 1024
	}
	return &Detector{maxOpen: maxOpen, threads: map[string]*thread{}, home: map[signals.ID]string{}}
}

// A Change is what one step of the fold did to the open conflicts.
type Change struct {
	Opened []Pair // at most one
	Ended  []Pair // oldest first
}

// Fold takes the next signal of the log. A proposal becomes live and opens a
// conflict with its oldest live rival, if it has one. A [Resolution] ends the
// open conflict of its two signals, a [signals.Consensus] every open conflict
// of its thread. Other kinds change nothing, nor does a signal that is live
// already.
func (d *Detector) Fold(s signals.Any) Change {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		return d.add(s)
	case *signals.Signal[Resolution]:
		return d.end(s.Thread, s.Payload.of)
	case *signals.Signal[signals.Consensus]:
		return d.end(s.Thread, func(Pair) bool { return true })
	}
	return Change{}
}

// Remove ends the life of a proposal, and with it the conflicts it is part of.
// An unknown id changes nothing.
func (d *Detector) Remove(id signals.ID) Change {
	name, known := d.home[id]
	if !known {
		return Change{}
	}
	delete(d.home, id)
	t := d.threads[name]
	t.remove(id)
	change := d.end(name, func(p Pair) bool { return p.A.Signal == id || p.B.Signal == id })
	if len(t.live) == 0 {
		delete(d.threads, name)
	}
	return change
}

func (d *Detector) add(s *signals.Signal[signals.Proposal]) Change {
	if _, known := d.home[s.ID]; known {
		return Change{}
	}
	t := d.threads[s.Thread]
	if t == nil {
		t = newThread(s.Thread)
		d.threads[s.Thread] = t
	}
	d.home[s.ID] = s.Thread
	p := Proposal{s.ID, s.Seq, s.Source, s.Payload.ProposalID, s.Payload.Content}
	rival, found := t.oldestRival(p)
	t.add(p)
	switch {
	case !found:
		return Change{}
	case len(t.open) >= d.maxOpen:
		d.held++
		return Change{}
	}
	pair := Pair{t.name, rival, p}
	t.open = append(t.open, pair)
	d.open++
	return Change{Opened: []Pair{pair}}
}

func (d *Detector) end(thread string, over func(Pair) bool) Change {
	t := d.threads[thread]
	if t == nil {
		return Change{}
	}
	ended := t.end(over)
	d.open -= len(ended)
	return Change{Ended: ended}
}

// Unresolved yields the open conflicts of a thread, oldest first.
func (d *Detector) Unresolved(thread string) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		t := d.threads[thread]
		if t == nil {
			return
		}
		for _, p := range t.open {
			if !yield(p) {
				return
			}
		}
	}
}

// Pairs yields every two live rivals of a thread, resolved or not, by the
// newer one's place in the log, then the older one's.
func (d *Detector) Pairs(thread string) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		t := d.threads[thread]
		if t == nil {
			return
		}
		for i, b := range t.live {
			for _, a := range t.live[:i] {
				if rivals(a, b) && !yield(Pair{t.name, a, b}) {
					return
				}
			}
		}
	}
}

// Open returns the number of open conflicts in all threads.
func (d *Detector) Open() int { return d.open }

// HeldBack returns how many conflicts were not reported because their thread
// had as many open as it may.
func (d *Detector) HeldBack() uint64 { return d.held }
