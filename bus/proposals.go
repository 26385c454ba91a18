package bus

import "github.com/swarmbus/swarmbus/signals"

// A proposal id belongs to the first source and content that used it in its
// thread, as long as one such proposal is in the history.
type proposalKey struct{ thread, id string }

type owner struct {
	source, content string
	held            int // proposals in the history with this id
}

func (b *Bus) ownsProposalLocked(s signals.Any, earlier []signals.Any) error {
	p, ok := signals.As[signals.Proposal](s)
	if !ok {
		return nil
	}
	first := b.proposals[proposalKey{p.Thread, p.Payload.ProposalID}]
	for _, e := range earlier {
		if q, ok := signals.As[signals.Proposal](e); ok && first == nil &&
			q.Thread == p.Thread && q.Payload.ProposalID == p.Payload.ProposalID {
			first = &owner{source: q.Source, content: q.Payload.Content}
		}
	}
	if first == nil || first.source == p.Source && first.content == p.Payload.Content {
		return nil
	}
	return &ProposalError{p.Thread, p.Payload.ProposalID, first.source}
}

func (b *Bus) claimProposalLocked(s signals.Any) {
	p, ok := signals.As[signals.Proposal](s)
	if !ok {
		return
	}
	key := proposalKey{p.Thread, p.Payload.ProposalID}
	if b.proposals[key] == nil {
		b.proposals[key] = &owner{source: p.Source, content: p.Payload.Content}
	}
	b.proposals[key].held++
}

func (b *Bus) releaseProposalLocked(p *signals.Signal[signals.Proposal]) {
	key := proposalKey{p.Thread, p.Payload.ProposalID}
	if b.proposals[key].held--; b.proposals[key].held == 0 {
		delete(b.proposals, key)
	}
}
