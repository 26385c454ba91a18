package settle

import (
	"github.com/swarmbus/swarmbus/consensus"
)

// A Settled conflict has a loser. Seq is the sequence number of its resolution.
type Settled struct {
	Loser string
	Seq   uint64
}

// Yields returns the voters who abstain on what remains after settlements, each with the
// sequence number of the last one that made it abstain: votes with a lower number count
// as abstentions. It is those who agreed, before the settlement, with the loser and with
// no proposal that has not lost yet. Both slices are in log order.
func Yields(votes []consensus.Vote, settled []Settled) map[string]uint64 {
	yields, lost := map[string]uint64{}, map[string]bool{}
	for _, s := range settled {
		lost[s.Loser] = true
		for voter, agrees := range agreed(votes, s.Seq) {
			if agrees[s.Loser] && !outside(agrees, lost) {
				yields[voter] = s.Seq
			}
		}
	}
	return yields
}

// agreed returns with which proposals each voter agreed before a place in the log.
func agreed(votes []consensus.Vote, before uint64) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, v := range votes {
		if v.Seq >= before {
			continue
		}
		if all[v.Voter] == nil {
			all[v.Voter] = map[string]bool{}
		}
		all[v.Voter][v.ProposalID] = v.Stance == consensus.Agree
	}
	return all
}

// outside reports whether a voter agrees with a proposal that has not lost.
func outside(agrees, lost map[string]bool) bool {
	for id, yes := range agrees {
		if yes && !lost[id] {
			return true
		}
	}
	return false
}
