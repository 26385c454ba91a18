package connectivity

import (
	"cmp"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A batch is what one call writes to the log. It is filled with the bus's lock
// held, so it knows the places of its entries.
type batch struct {
	layer   string
	fold    *fold
	at      bus.Moment
	entries []signals.Any
}

// header returns the header of the next entry. The bus adds id, time and place.
func (b *batch) header(source, thread string, to signals.Recipients, about signals.ID) signals.Header {
	return signals.Header{Source: source, Thread: thread, ReplyTo: about, TTL: -1, Confidence: 1, Recipients: to}
}

// link returns the link of the next entry.
func (b *batch) link() Link {
	k := Link{Layer: b.layer, After: b.fold.last, Since: cmp.Or(b.fold.since(nil), b.at.Seq)}
	if n := uint64(len(b.entries)); n > 0 {
		k.After = b.at.Seq + n - 1
	}
	return k
}

// note adds a note, as a signal of its kind.
func (b *batch) note(h signals.Header, n *Note) {
	n.Link = b.link()
	switch n.Class.Message() {
	case AboutAttention:
		b.add(signals.New(h, Attention{*n}))
	case AboutConfidence:
		b.add(signals.New(h, Confidence{*n}))
	case AboutConflict:
		b.add(signals.New(h, ConflictNotice{*n}))
	case AboutHandoff:
		b.add(signals.New(h, Handoff{*n}))
	default:
		b.add(signals.New(h, Escalation{*n}))
	}
}

func (b *batch) add(s signals.Any) { b.entries = append(b.entries, s) }

// transition says to those whom the signals were for that they reached a state.
func (b *batch) transition(source, thread string, s State, to signals.Recipients, ids ...signals.ID) {
	h := b.header(source, thread, to, ids[0])
	b.add(signals.New(h, Transition{Link: b.link(), State: s, Signals: ListOf(ids...)}))
}

func (b *batch) step(thread string, step int) {
	h := b.header(system, thread, nobody, signals.ID{})
	b.add(signals.New(h, Step{Link: b.link(), Step: step}))
}

func (b *batch) requested(thread string, id signals.ID, m Mode) {
	h := b.header(system, thread, nobody, id)
	b.add(signals.New(h, Requested{Link: b.link(), For: id, Mode: m}))
}

func (b *batch) closed(t *thread) {
	k := b.link()
	k.Since = cmp.Or(b.fold.since(t), b.at.Seq)
	b.add(signals.New(b.header(system, t.name, nobody, signals.ID{}), Closed{k}))
}
