package runlog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A settlement is a resolution with a loser.
type settlement struct {
	loser, winner signals.ID
	how           conflict.How
	seq           uint64
}

// byWhat says in words what settles a conflict.
var byWhat = map[conflict.How]string{
	conflict.ByDebate: "debate", conflict.ByMajority: "majority", conflict.ByAnswer: "a person", conflict.BySameness: "an earlier settlement",
}

// yielding reports whether, by the oldest rule, whoever was for the loser of a settlement abstains.
func (v *Votes) yielding() bool { return v.rule < ruleOfSettlements }

// settlements returns the settlements between proposals, by the ids under which they count.
func (v *Votes) settlements() (all []settle.Settlement) {
	of := func(id signals.ID) string {
		i := slices.IndexFunc(v.made, func(p *signals.Signal[signals.Proposal]) bool { return p.ID == id })
		if i < 0 {
			return "" // no proposal: the conflict was found by a rule
		}
		return v.all.Of(v.made[i].Payload.ProposalID).ID()
	}
	for _, s := range v.settled {
		if loser := of(s.loser); loser != "" {
			all = append(all, settle.Settlement{Winner: of(s.winner), Loser: loser, By: byWhat[s.how]})
		}
	}
	return all
}

// settle marks the proposals that have lost, and by the old rule finds the voters who yield.
func (v *Votes) settle() {
	v.yields = nil
	if len(v.settled) == 0 {
		return
	}
	var all []settle.Settled
	for _, s := range v.settled {
		i := slices.IndexFunc(v.made, func(p *signals.Signal[signals.Proposal]) bool { return p.ID == s.loser })
		if i < 0 {
			continue // no proposal: the conflict was found by a rule
		}
		lost := v.all.Of(v.made[i].Payload.ProposalID)
		lost.Lost = true
		all = append(all, settle.Settled{Loser: lost.ID(), Seq: s.seq})
	}
	if !v.yielding() {
		return
	}
	var cast []consensus.Vote
	for _, s := range v.cast {
		if p := v.all.Of(s.Payload.ProposalID); p != nil && v.out.Counts(s.ID) {
			cast = append(cast, consensus.Vote{Seq: s.Seq, Voter: s.Source, ProposalID: p.ID(), Stance: consensus.Stance(s.Payload.Stance)})
		}
	}
	v.yields = settle.Yields(cast, all)
}

// SettledAs returns the winner of the last resolution by the votes before it, which are
// counted as by [Votes.CountBy]; ok is false for one that votes do not settle. It panics if
// there is no resolution.
func (t *Thread) SettledAs(by consensus.Strategy, o *consensus.Options, weights map[string]float64) (winner signals.ID, ok bool, err error) {
	last := t.Conflicts.Last().Payload
	a, b := t.Conflicts.rival(last.SignalA), t.Conflicts.rival(last.SignalB)
	if a == nil || b == nil {
		return signals.ID{}, false, nil
	}
	pair, sides := t.Pair(conflict.Pair{A: *a, B: *b}), []signals.ID{a.Signal, b.Signal}
	switch last.How {
	case conflict.ByMajority:
		_, n, _ := pair.Majority(t.Votes.withAnswers(cmp.Or(o, &consensus.Options{})).Electorate)
		return sides[max(0, cmp.Compare(n.B, n.A))], n.A != n.B, nil
	case conflict.ByDebate:
		before := Votes{made: t.Votes.made, cast: t.Votes.cast, aliases: t.Votes.aliases, answers: t.Votes.answers, answered: t.Votes.answered, calls: t.Votes.calls, out: t.Votes.out, turns: t.Votes.turns, rule: t.Votes.rule, log: t.Votes.log, seats: seats{checks: t.Votes.checks}}
		before.settled = slices.DeleteFunc(slices.Clone(t.Votes.settled), func(s settlement) bool { return s.seq == t.Conflicts.Last().Seq })
		if err := before.CountBy(by, o, weights); err != nil {
			return signals.ID{}, false, err
		}
		p := pair.Probability(before.round.Ballots(), before.by, before.options)
		return sides[max(0, cmp.Compare(0.5, p))], p != 0.5, nil
	}
	return signals.ID{}, false, nil
}

// abstain counts the abstentions of the voters who yield.
func (v *Votes) abstain() error {
	if v.round == nil {
		return nil
	}
	for _, voter := range slices.Sorted(maps.Keys(v.yields)) {
		for _, p := range v.all.All {
			if p.Lost || p.Proposal.Seq > v.yields[voter] {
				continue
			}
			if err := v.round.Vote(consensus.Vote{
				Seq: v.yields[voter], Voter: voter, ProposalID: p.ID(), Stance: consensus.Abstain,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
