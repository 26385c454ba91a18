package runlog

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// decide is the strategy of the plan.
func (v *Votes) decide(b consensus.Ballots) consensus.Decision {
	return v.calls.Plan().Decide(b, v.said())
}

// Margin returns the smallest set of voters who could have made the decision fall: [consensus.Decision.Falls].
func (v *Votes) Margin() []string {
	if plan := v.calls.Plan(); plan != nil {
		return plan.Margin(v.round.Ballots(), v.said())
	}
	by, _ := v.Terms()
	return consensus.Margin(by, v.round.Ballots())
}

// said returns the calls with what they said, by the votes that count.
func (v *Votes) said() []mode.Call {
	all := v.polled.Calls(v.calls.asked)
	for id, call := range v.calls.stated {
		all[call].Stated = all[call].Stated || !v.out.Has(id)
	}
	return all
}

// poll returns a vote as it counts; nil if it does not. By a plan that is on the id under which
// its proposal counts.
func (v *Votes) poll(s *signals.Signal[signals.Vote]) *signals.Signal[signals.Vote] {
	plan, on, said := v.calls.Plan(), v.all.Of(s.Payload.ProposalID), s.Payload
	at, asked := v.calls.of(s.Header)
	if on != nil {
		said.ProposalID = on.ID()
	}
	switch {
	case !v.out.Counts(s.ID), plan != nil && !asked && plan.Has(s.Source), asked && !v.known(s, v.calls.asked[at].Part != mode.Verdict):
		return nil
	case plan == nil:
		return s
	case asked && !v.polled.Take(at, v.calls.asked[at], said, on.Lost && v.yielding()):
		return nil
	case !asked && on != nil && (!on.Lost || !v.yielding()) && slices.Contains(v.answers, s.Source):
		v.polled.TakeOutside(s.Source, said)
	}
	return signals.New(s.Header, said)
}

// known reports whether the proposal of a vote was made before the vote, or is its signal.
// An agent that answers has seen no other answer, and votes only for its own.
func (v *Votes) known(s *signals.Signal[signals.Vote], own bool) bool {
	return slices.ContainsFunc(v.made, func(p *signals.Signal[signals.Proposal]) bool {
		return p.Seq <= s.Seq && p.Payload.ProposalID == s.Payload.ProposalID && (!own || p.Source == s.Source)
	})
}

// Independent returns the ballots without the influence of others: a judge, who has read
// others' reasons, counts with its own earlier answer, who has moved in a deliberation with its first
// ballot, and where a conflict was settled, votes count as they were before.
func (v *Votes) Independent(b consensus.Ballots) consensus.Ballots {
	if (v.moved || len(v.settled)+len(v.answers) > 0) && !v.yielding() {
		b = v.before(b)
	}
	calls := v.calls.All()
	if !slices.ContainsFunc(calls, func(c mode.Call) bool { return c.Part == mode.Verdict }) {
		return b
	}
	var votes []consensus.Vote
	for vote := range b.Votes() {
		if !v.calls.Plan().Has(vote.Voter) {
			votes = append(votes, vote)
		}
	}
	for _, c := range calls {
		if c.Part == mode.Answer && c.Answer != "" && !slices.ContainsFunc(votes, func(v consensus.Vote) bool { return v.Voter == c.Agent }) {
			votes = append(votes, consensus.Vote{Voter: c.Agent, ProposalID: c.Answer, Stance: consensus.Agree, Weight: 1})
		}
	}
	own, _ := consensus.NewBallots(nil, b.Proposals(), votes) // valid as they were
	return own
}

// before returns the ballots with the first votes of the team, before the first settlement, where there
// were some: who answers a question has read both sides.
func (v *Votes) before(b consensus.Ballots) consensus.Ballots {
	until := uint64(math.MaxUint64)
	if len(v.settled) > 0 {
		until = v.settled[0].seq
	}
	then := Votes{made: v.made, aliases: v.aliases, values: v.values, answers: v.answers, answered: v.answered, calls: v.calls, out: v.out, turns: v.turns, rule: v.rule, first: true}
	for _, s := range v.cast {
		if s.Seq < until && !slices.Contains(v.answers, s.Source) {
			then.cast = append(then.cast, s)
		}
	}
	if err := then.CountBy(v.by, v.options, v.weights); err != nil || then.round.Ballots().Voters() == 0 {
		return b
	}
	return then.round.Ballots()
}
