package connectivity

import (
	"errors"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A batch holds the entries that one call appends to the log. It is filled with
// the bus's lock held, so the positions of its entries are known.
type batch struct {
	layer   *Layer
	next    uint64        // position of the next signal of the log
	now     time.Time     // of the bus's clock
	last    uint64        // position of the layer's newest entry in the log
	since   uint64        // position from which the layer's entries are needed
	entries []signals.Any // beyond its length: entries of earlier batches, to be overwritten
	over    chan struct{} // closed when the hook for the note among the entries has returned; nil: none is called
	result  Emission      // for the caller

	folded func([]signals.Any) // is fold, bound once
}

// errNothing ends a commit if there is nothing to write.
var errNothing = errors.New("connectivity: call appends no entry")

var batches = sync.Pool{New: func() any {
	b := new(batch)
	b.folded = b.fold
	return b
}}

// add appends an entry, overwriting an old one of the same kind at that index if there is
// one, which saves a third of the time of a step.
func add[P signals.Payload](b *batch, h signals.Header, p P) {
	n := len(b.entries)
	if n < cap(b.entries) {
		if s, ok := b.entries[:n+1][n].(*signals.Signal[P]); ok {
			s.Header, s.Payload = h, p
			b.entries = b.entries[:n+1]
			return
		}
	}
	b.entries = append(b.entries, signals.New(h, p))
}

// header returns the header of the next entry. The bus adds id, time and
// position.
func (b *batch) header(source, thread string, to signals.Recipients, about signals.ID) signals.Header {
	return signals.Header{Source: source, Thread: thread, ReplyTo: about, TTL: -1, Confidence: 1, Recipients: to}
}

// link returns the link of the next entry.
func (b *batch) link() coordination.Link {
	k := coordination.Link{Layer: b.layer.opts.Name, After: b.last, Since: b.since}
	if n := uint64(len(b.entries)); n > 0 {
		k.After = b.next + n - 1
	}
	return k
}

// note adds a note.
func (b *batch) note(h signals.Header, n coordination.Note) {
	n.Link = b.link()
	b.entries = append(b.entries, coordination.New(h, n))
}

// transition adds an entry that notifies the recipients of the given signals of the state that
// they reached.
func (b *batch) transition(source, thread string, s coordination.State, to signals.Recipients, ids ...signals.ID) {
	h := b.header(source, thread, to, ids[0])
	add(b, h, coordination.Transition{Link: b.link(), State: s, Signals: ids})
}

func (b *batch) step(thread string, step int) {
	h := b.header(bus.System, thread, noRecipients, signals.ID{})
	add(b, h, coordination.Step{Link: b.link(), Step: step})
}

func (b *batch) requested(s *coordination.Signal, m signals.Effort) {
	h := b.header(bus.System, s.Thread, noRecipients, s.ID)
	add(b, h, coordination.Requested{Link: b.link(), For: s.ID, At: s.Seq, Mode: m})
}

// members adds an entry about components, addressed to them.
func (b *batch) members(thread string, m coordination.Members, to ...string) {
	m.Link = b.link()
	add(b, b.header(bus.System, thread, coordination.To(to...), signals.ID{}), m)
}

// closed adds the end of a thread. since is without it.
func (b *batch) closed(thread string, since uint64) {
	k := b.link()
	k.Since = since
	add(b, b.header(bus.System, thread, signals.Recipients{}, signals.ID{}), coordination.Closed{Link: k})
}

// fold folds the entries as they are in the log. With a closed thread its resolver is forgotten.
func (b *batch) fold(entries []signals.Any) {
	l := b.layer
	l.mu.Lock()
	defer l.mu.Unlock()
	var changes []coordination.Change
	for _, s := range entries {
		changes = l.fold.Apply(s, changes)
		if s.Kind() == coordination.KindClosed {
			delete(l.resolvers, s.Head().Thread)
		}
	}
	l.events.add(changes, b.over)
	if len(changes) > 0 {
		b.show(changes[len(changes)-1].Record)
	}
}

// show puts a signal as it is now into the result.
func (b *batch) show(r *coordination.Record) { b.result.Signal, b.result.Open = r.Snapshot(), r.Open() }
