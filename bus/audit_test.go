package bus

import (
	"fmt"
	"maps"

	"github.com/swarmbus/swarmbus/signals"
)

// Audit counts everything that the bus keeps about its history once more, by
// looking at every entry, and reports what does not agree: an index that leads
// nowhere, a name that nobody uses, a page that would never be free.
func (b *Bus) Audit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := audit{
		foreign: map[signals.ID]uint64{}, replies: map[signals.ID]uint64{}, proposals: map[proposalKey]int{},
		sources: map[uint32]int{}, threads: map[uint32]int{}, live: map[*segment]int{},
	}
	for c := b.log.first; c != nil; c = c.next {
		for i := range slots {
			if c.start+uint64(i) < b.log.next {
				a.count(b, c, i)
			}
		}
	}
	switch {
	case a.held != b.log.held:
		return fmt.Errorf("%d signals held, %d in the log", b.log.held, a.held)
	case !maps.Equal(a.foreign, b.foreign):
		return fmt.Errorf("foreign ids %v, in the log %v", b.foreign, a.foreign)
	case !maps.Equal(a.replies, b.replies):
		return fmt.Errorf("replies %v, in the log %v", b.replies, a.replies)
	}
	for key, o := range b.proposals {
		if a.proposals[key] != o.held {
			return fmt.Errorf("proposal %v held by %d, in the log %d", key, o.held, a.proposals[key])
		}
	}
	for seg, n := range a.live {
		if seg.live != n {
			return fmt.Errorf("page of %s has %d signals, in the log %d", seg.shelf.lane.kind, seg.live, n)
		}
	}
	for _, bl := range b.log.blocks {
		for _, c := range bl.chunks {
			if c != nil && c.start < b.log.base {
				return fmt.Errorf("a block from %d has a chunk from %d", b.log.base, c.start)
			}
		}
	}
	if err := b.sources.audit(a.sources); err != nil {
		return fmt.Errorf("sources: %w", err)
	}
	if err := b.threads.audit(a.threads); err != nil {
		return fmt.Errorf("threads: %w", err)
	}
	return nil
}

type audit struct {
	held             int
	foreign, replies map[signals.ID]uint64
	proposals        map[proposalKey]int
	sources, threads map[uint32]int
	live             map[*segment]int
}

func (a *audit) count(b *Bus, c *chunk, i int) {
	if c.gone>>i&1 != 0 {
		return
	}
	a.sources[c.source[i]]++
	a.threads[c.thread[i]]++
	a.live[c.segment[i]]++
	if !b.log.has(c, i) {
		return // evicted, and given up with its chunk
	}
	pos, h := c.start+uint64(i), c.head(i)
	a.held++
	if c.flags[i]&foreign != 0 {
		a.foreign[h.ID] = pos
	}
	if !h.ReplyTo.IsZero() {
		a.replies[h.ReplyTo] = pos + 1
	}
	if p, ok := signals.As[signals.Proposal](c.peek(i)); ok {
		a.proposals[proposalKey{p.Thread, p.Payload.ProposalID}]++
	}
}

func (ns *names) audit(held map[uint32]int) error {
	for text, n := range ns.byText {
		if n.held != held[n.id] || n.held == 0 && n.pins == 0 || n.gone || n.text != text || ns.byID[n.id] != n {
			return fmt.Errorf("%q: %+v, in the log %d", text, *n, held[n.id])
		}
	}
	for id := range held {
		if n := ns.byID[id]; n == nil || ns.byText[n.text] != n {
			return fmt.Errorf("number %d has no name", id)
		}
	}
	return nil
}
