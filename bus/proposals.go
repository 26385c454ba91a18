package bus

import (
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A proposal id belongs to the first source and content that used it in its
// thread, as long as one such proposal is in the history.
type proposalKey struct{ thread, id string }

type owner struct {
	source, content string
	held            int // proposals in the history with this id
}

func (b *Bus) ownsProposalLocked(d *draft, earlier []draft) error {
	p, ok := signals.As[signals.Proposal](d.signal)
	if !ok {
		return nil
	}
	first := b.proposals[proposalKey{p.Thread, p.Payload.ProposalID}]
	for i := 0; i < len(earlier) && first == nil; i++ {
		q, ok := signals.As[signals.Proposal](earlier[i].signal)
		if ok && q.Thread == p.Thread && q.Payload.ProposalID == p.Payload.ProposalID {
			first = &owner{source: earlier[i].sourceText, content: q.Payload.Content}
		}
	}
	if first == nil || first.source == d.sourceText && first.content == p.Payload.Content {
		return nil
	}
	return &ProposalError{p.Thread, p.Payload.ProposalID, first.source}
}

// foldLocked shows the entry to the conflict detector before anything can
// evict it: what is evicted first would never be removed again.
func (b *Bus) foldLocked(c *chunk, i int) []conflict.Pair {
	s := c.peek(i)
	if p, ok := signals.As[signals.Proposal](s); ok {
		b.claimProposalLocked(p)
	}
	if b.opts.NoConflicts {
		return nil
	}
	change := b.conflicts.Fold(s)
	b.conflictsEndedLocked(change, true)
	for _, pair := range change.Opened {
		b.counts.conflicts++
		if b.observed() {
			b.emitLocked(ConflictOpened{pair})
		}
	}
	return change.Opened
}

func (b *Bus) claimProposalLocked(p *signals.Signal[signals.Proposal]) {
	key := proposalKey{p.Thread, p.Payload.ProposalID}
	o := b.proposals[key]
	if o == nil {
		o = &owner{source: p.Source, content: p.Payload.Content}
		b.proposals[key] = o
	}
	o.held++
}

// proposalGoneLocked forgets a proposal that leaves the history.
func (b *Bus) proposalGoneLocked(c *chunk, i int) {
	p, _ := signals.As[signals.Proposal](c.peek(i))
	key := proposalKey{p.Thread, p.Payload.ProposalID}
	if o := b.proposals[key]; o != nil {
		if o.held--; o.held == 0 {
			delete(b.proposals, key)
		}
	}
	b.conflictsEndedLocked(b.conflicts.Remove(p.ID), false)
}

// An opening is a conflict with the proposal that opened it.
type opening struct {
	pair  conflict.Pair
	cause draft
}

// appendConflictLocked puts a conflict's signal behind its cause.
func (b *Bus) appendConflictLocked(o opening, now int64) {
	s := signals.New(signals.Header{
		Thread: o.pair.Thread, ReplyTo: o.pair.B.Signal, Confidence: 1, Round: o.cause.head.Round,
	}, o.pair.Payload())
	b.appendLocked(&draft{
		signal: s, head: &s.Header, kind: signals.KindConflict, sourceText: System,
		shelf: b.shelfLocked(nil, signals.KindConflict, s), source: b.sources.byText[System], thread: o.cause.thread,
		seq: b.last + 1, id: o.pair.ID(), foreign: true,
		at: o.cause.at, due: o.cause.due, time: o.cause.time, ttl: o.cause.ttl,
	}, now)
}
