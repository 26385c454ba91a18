package solves

import "github.com/swarmbus/swarmbus/signals"

// Worth returns the fraction of a turn's proposals and votes that was right, and
// whether there were any.
func (r *Result) Worth(c Chosen, right string) (reward float64, spoke bool) {
	good, all := 0, 0
	judge := func(is bool) {
		all++
		if is {
			good++
		}
	}
	for _, s := range r.Log {
		if h := s.Head(); h.Source != c.Agent || int(h.Round) != c.Round {
			continue
		}
		switch s := s.(type) {
		case *signals.Signal[signals.Proposal]:
			judge(r.same(s.Payload.ProposalID, right))
		case *signals.Signal[signals.Vote]:
			if s.Payload.Stance != signals.Abstain {
				judge(r.same(s.Payload.ProposalID, right) == (s.Payload.Stance == signals.Agree))
			}
		}
	}
	if all == 0 {
		return 0, false
	}
	return float64(good) / float64(all), true
}

// Proposed returns the id by which votes count for the proposal, and whether anybody
// made it.
func (r *Result) Proposed(id string) (string, bool) {
	for _, p := range r.Proposals {
		if p.Is(id) {
			return p.ID(), true
		}
	}
	return id, false
}

// same reports whether two ids belong to the same proposal.
func (r *Result) same(a, b string) bool {
	for _, p := range r.Proposals {
		if p.Is(a) && p.Is(b) {
			return true
		}
	}
	return a == b
}
