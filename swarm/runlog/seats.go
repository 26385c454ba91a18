package runlog

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
)

// seats are the first ballots of the voters of a solve that deliberates.
type seats struct {
	stands map[string]position         // by voter: its first agreement with a proposal
	stated map[standingBallot]position // by voter and proposal: its first one on that
	idle   map[signals.ID]bool         // votes that count for nothing
	checks *claims.Checks              // once somebody was about to move
}

// A position is where a voter took it.
type position struct {
	round int32
	seq   uint64
}

func newSeats() seats {
	return seats{stands: map[string]position{}, stated: map[standingBallot]position{}, idle: map[signals.ID]bool{}}
}

// keeps reports whether a vote leaves the first ballot of its voter as it is. Whoever stands for a proposal, or has said what it thinks of one,
// moves in a later round only for what was checked since, or after a person has answered. Who stands
// for none yet may agree with another proposal, and anybody may reject one that is new.
func (v *Votes) keeps(s *signals.Signal[signals.Vote]) bool {
	if v.rule < ruleOfBallots || v.calls.Plan() != nil || slices.Contains(v.answers, s.Source) {
		return false
	}
	on := standingBallot{s.Source, s.Payload.ProposalID}
	if p := v.all.Of(on.id); p != nil {
		on.id = p.ID()
	}
	now, agrees := position{s.Round, s.Seq}, s.Payload.Stance == signals.Agree
	stands, some := v.position(v.stands[s.Source], s.Seq)
	stated, known := v.position(v.stated[on], s.Seq)
	if known && stated.round != s.Round || agrees && some && stands.round != s.Round {
		if !some {
			stands = stated
		}
		if v.checks == nil && !v.first {
			v.checks = claims.ChecksOf(v.log(), v.together, v.rule < ruleOfWitnesses, v.rule < ruleOfResults)
		}
		rests := !v.first && v.checks.Rests(s.ID, s.Source, stands.round)
		v.idle[s.ID] = !rests
		return !rests
	}
	if s.Payload.Stance != signals.Abstain {
		v.stated[on] = now
	}
	if agrees && !some {
		v.stands[s.Source] = now
	}
	return false
}

// position returns a position as it is before a place in the log; false if there is none, or a person
// has answered since.
func (v *Votes) position(p position, before uint64) (position, bool) {
	since := slices.ContainsFunc(v.answered, func(at uint64) bool { return p.seq < at && at < before })
	return p, p.seq > 0 && !since
}

// together reports whether two sources are one, or of one group.
func (v *Votes) together(one, other string) bool {
	of := func(source string) string {
		if v.options == nil {
			return source
		}
		return cmp.Or(v.models[source], v.options.Groups[source], source)
	}
	return of(one) == of(other)
}

// check takes the next signal as evidence, and counts anew where it confirms an earlier one.
func (v *Votes) check(s signals.Any) {
	if v.checks != nil && v.checks.Apply(s) {
		v.err = cmp.Or(v.err, v.recount())
		v.changes++
	}
}
