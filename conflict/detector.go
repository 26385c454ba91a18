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
	last    *thread // of the last proposal, often that of the next too
	live    map[signals.ID]*proposal
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
	return &Detector{maxOpen: maxOpen, threads: map[string]*thread{}, live: map[signals.ID]*proposal{}}
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
		return d.resolve(s.Thread, s.Payload)
	case *signals.Signal[signals.Consensus]:
		if t := d.threads[s.Thread]; t != nil {
			return d.end(t, t.open, func(Pair) bool { return true })
		}
	}
	return Change{}
}

// Remove ends the life of a proposal, and with it the conflicts it is part of.
// An unknown id changes nothing.
func (d *Detector) Remove(id signals.ID) Change {
	p, known := d.live[id]
	if !known {
		return Change{}
	}
	delete(d.live, id)
	t := p.thread
	t.remove(p)
	change := d.end(t, p.pairs, func(Pair) bool { return true })
	if len(t.live) == 0 {
		delete(d.threads, t.name)
		d.last = nil
	}
	return change
}

func (d *Detector) add(s *signals.Signal[signals.Proposal]) Change {
	if _, known := d.live[s.ID]; known {
		return Change{}
	}
	t := d.thread(s.Thread)
	p := &proposal{Proposal: Proposal{s.ID, s.Seq, s.Source, s.Payload.ProposalID, s.Payload.Content}, thread: t}
	d.live[s.ID] = p
	rival := t.add(p)
	switch {
	case rival == nil:
		return Change{}
	case t.held >= d.maxOpen:
		d.held++
		return Change{}
	}
	d.open++
	return Change{Opened: []Pair{t.oppose(rival, p)}}
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

// resolve ends the conflict that r names, if it is in that thread.
func (d *Detector) resolve(thread string, r Resolution) Change {
	p := d.live[r.SignalA]
	if p == nil || p.thread.name != thread {
		return Change{}
	}
	return d.end(p.thread, p.pairs, r.of)
}

func (d *Detector) end(t *thread, pairs []*openPair, over func(Pair) bool) Change {
	ended := t.end(pairs, over)
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
			if !p.ended && !yield(p.Pair) {
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
				if !a.dead && !b.dead && rivals(a.Proposal, b.Proposal) && !yield(Pair{t.name, a.Proposal, b.Proposal}) {
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
