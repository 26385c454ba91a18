package conflict

import (
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// pending is the state of signals that were admitted and are not yet applied.
type pending struct {
	proposals int
	claims    map[key]owner
	resolved  map[[2]signals.ID]bool
	lost      map[signals.ID]bool // sides that a resolution removes
	decided   map[string]bool     // threads
}

type key struct{ thread, id string }

// Begin starts the admission of n signals, of which then either all are applied or
// none. Call Admit for each of them.
func (f *Fold) Begin(n int) {
	f.pending = pending{}
	if n > 1 {
		f.pending = pending{claims: map[key]owner{}, resolved: map[[2]signals.ID]bool{}, lost: map[signals.ID]bool{}, decided: map[string]bool{}}
	}
}

// Admit returns why a signal of a source may not enter the log after those admitted
// since Begin, or nil: [ErrProposals], a [*ProposalError] for a proposal whose id
// belongs to another, or [ErrNotOpen] for a resolution that names no open conflict. A
// conflict that those before it open is not open yet: it is resolved by a later call.
func (f *Fold) Admit(s signals.Any, source string) error {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		return f.admitProposal(key{s.Thread, s.Payload.ProposalID}, owner{source, s.Payload.Content})
	case *signals.Signal[Resolution]:
		return f.admitResolution(s.Thread, s.Payload)
	case *signals.Signal[signals.Consensus]:
		if f.pending.decided != nil {
			f.pending.decided[s.Thread] = true
		}
	}
	return nil
}

func (f *Fold) admitProposal(k key, me owner) error {
	if len(f.live)+f.pending.proposals >= f.maxLive {
		return fmt.Errorf("%w: %d are live", ErrProposals, len(f.live))
	}
	first, taken := f.pending.claims[k]
	if t := f.threads[k.thread]; t != nil && !taken {
		first, taken = t.owners[k.id]
	}
	if taken && first != me {
		return &ProposalError{k.thread, k.id, first.source}
	}
	if f.pending.proposals++; f.pending.claims != nil {
		f.pending.claims[k] = me
	}
	return nil
}

func (f *Fold) admitResolution(thread string, r Resolution) error {
	if f.detector == nil && f.ruled.open == 0 {
		return nil
	}
	if f.pending.decided[thread] {
		return fmt.Errorf("%w: its thread was decided earlier in the same call", ErrNotOpen)
	}
	pair := [2]signals.ID{r.SignalA, r.SignalB}
	if f.pending.resolved[pair] || f.pending.resolved[[2]signals.ID{r.SignalB, r.SignalA}] {
		return fmt.Errorf("%w: resolved earlier in the same call", ErrNotOpen)
	}
	rivals := f.admitRivals(thread, r)
	if rivals != nil && f.ruled.of(thread, r.SignalA, r.SignalB) < 0 && f.detector != nil {
		return rivals
	}
	if f.pending.resolved != nil {
		f.pending.resolved[pair] = true
		if rivals == nil {
			f.pending.lost[r.Loser()] = true
		}
	}
	return nil
}

// admitRivals returns nil if r names an open conflict between proposals.
func (f *Fold) admitRivals(thread string, r Resolution) error {
	switch {
	case f.detector == nil:
		return ErrNotOpen
	case f.pending.lost[r.SignalA] || f.pending.lost[r.SignalB]:
		return fmt.Errorf("%w: a side lost earlier in the same call", ErrNotOpen)
	}
	return f.detector.Resolvable(thread, r)
}
