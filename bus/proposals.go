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
func (b *Bus) foldLocked(c *chunk, i int) {
	s := c.peek(i)
	if p, ok := signals.As[signals.Proposal](s); ok {
		b.claimProposalLocked(p)
	}
	if b.opts.NoConflicts {
		return
	}
	change := b.conflicts.Fold(s)
	b.conflictsEndedLocked(change, true)
	for _, pair := range change.Opened {
		b.counts.conflicts++
		if b.observed() {
			b.emitLocked(ConflictOpened{pair})
		}
		b.opened = append(b.opened, opening{pair, c.seq[i]})
	}
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

// An opening is a conflict with the sequence number of the proposal that
// opened it.
type opening struct {
	pair  conflict.Pair
	cause uint64
}

// appendConflictsLocked puts the signals of the conflicts that ds opened behind
// them.
func (b *Bus) appendConflictsLocked(ds []draft) {
	for _, o := range b.opened {
		b.appendConflictLocked(o.pair, &ds[o.cause-ds[0].seq])
	}
	clear(b.opened)
	b.opened = b.opened[:0]
}

func (b *Bus) appendConflictLocked(pair conflict.Pair, cause *draft) {
	s := signals.New(signals.Header{
		Thread: pair.Thread, ReplyTo: pair.B.Signal, Confidence: 1, Round: cause.head.Round,
	}, pair.Payload())
	b.appendLocked(&draft{
		signal: s, head: &s.Header, sourceText: System,
		shelf: b.shelfLocked(s), source: b.sources.byText[System], thread: cause.thread,
		seq: b.last + 1, id: pair.ID(), foreign: true,
		at: cause.at, due: cause.due, time: cause.time, ttl: cause.ttl,
	})
}
