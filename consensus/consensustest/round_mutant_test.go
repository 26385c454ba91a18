package consensustest_test

import (
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

// badRound is a round with a planted bug: it forwards every call except in one
// respect.
type badRound struct {
	*consensus.Round
	vote     func(*badRound, consensus.Vote) error
	propose  func(*badRound, string) error
	close    func(*badRound)
	decision func(*badRound) consensus.Decision

	seq    uint64
	known  map[string]bool
	last   map[[2]string]consensus.Vote
	seen   map[consensus.Vote]bool
	before consensus.Decision
	votes  int
}

func (r *badRound) Vote(v consensus.Vote) error {
	defer func() { r.last[[2]string{v.Voter, v.ProposalID}] = v }()
	if r.vote != nil {
		return r.vote(r, v)
	}
	return r.Round.Vote(v)
}

func (r *badRound) Propose(id string) error {
	r.known[id] = true
	if r.propose != nil {
		return r.propose(r, id)
	}
	return r.Round.Propose(id)
}

func (r *badRound) Close() {
	if r.close != nil {
		r.close(r)
		return
	}
	r.Round.Close()
}

func (r *badRound) Decision() consensus.Decision {
	if r.decision != nil {
		return r.decision(r)
	}
	return r.Round.Decision()
}

var badRounds = map[string]badRound{
	"the last to arrive counts": {vote: func(r *badRound, v consensus.Vote) error {
		r.seq++
		v.Seq = r.seq
		return r.Round.Vote(v)
	}},
	"the first to arrive counts": {vote: func(r *badRound, v consensus.Vote) error {
		if _, again := r.last[[2]string{v.Voter, v.ProposalID}]; again && v.Validate() == nil && !r.Closed() {
			return nil
		}
		return r.Round.Vote(v)
	}},
	"a vote before its proposal is lost": {vote: func(r *badRound, v consensus.Vote) error {
		if !r.known[v.ProposalID] && !r.Closed() {
			return v.Validate()
		}
		return r.Round.Vote(v)
	}},
	"an abstention withdraws nothing": {vote: func(r *badRound, v consensus.Vote) error {
		if old := r.last[[2]string{v.Voter, v.ProposalID}]; v.Stance == consensus.Abstain && old.Stance == consensus.Agree && !r.Closed() {
			return v.Validate()
		}
		return r.Round.Vote(v)
	}},
	"a lower weight is not taken": {vote: func(r *badRound, v consensus.Vote) error {
		if old := r.last[[2]string{v.Voter, v.ProposalID}]; v.Weight < old.Weight && !math.IsNaN(old.Weight) {
			v.Weight = min(1, old.Weight)
		}
		return r.Round.Vote(v)
	}},
	"a change of mind counts twice": {vote: func(r *badRound, v consensus.Vote) error {
		if old := r.last[[2]string{v.Voter, v.ProposalID}]; old.Stance != 0 && old.Stance != v.Stance {
			v.Voter += "'"
		}
		return r.Round.Vote(v)
	}},
	"a repeated vote counts twice": {vote: func(r *badRound, v consensus.Vote) error {
		if r.seen[v] {
			v.Voter += "'"
		}
		r.seen[v] = true
		return r.Round.Vote(v)
	}},
	"a vote out of range is clipped": {vote: func(r *badRound, v consensus.Vote) error {
		v.Weight = max(0, min(1, v.Weight))
		if math.IsNaN(v.Weight) {
			v.Weight = 0
		}
		return r.Round.Vote(v)
	}},
	"a refused vote counts with no weight": {vote: func(r *badRound, v consensus.Vote) error {
		err := r.Round.Vote(v)
		if v.Validate() != nil {
			v.Weight = 0
			_ = r.Round.Vote(v)
		}
		return err
	}},
	"a weight is rounded": {vote: func(r *badRound, v consensus.Vote) error {
		if v.Validate() == nil {
			v.Weight = math.Round(v.Weight*5) / 5
		}
		return r.Round.Vote(v)
	}},
	"the tenth vote is lost": {vote: func(r *badRound, v consensus.Vote) error {
		if r.votes++; r.votes == 10 {
			return v.Validate()
		}
		return r.Round.Vote(v)
	}},
	"the decision lags one step": {decision: func(r *badRound) consensus.Decision {
		d := r.before
		r.before = r.Round.Decision()
		return d
	}},
	"a proposal made twice is two": {propose: func(r *badRound, id string) error {
		if r.Round.Propose(id) == nil {
			return r.Round.Propose(id + " ")
		}
		return r.Round.Propose(id)
	}},
	"a close is ignored": {close: func(*badRound) {}},
	"a close is refused with nothing": {vote: func(r *badRound, v consensus.Vote) error {
		if r.Closed() {
			return nil
		}
		return r.Round.Vote(v)
	}},
	"a decision does not know its votes": {decision: func(r *badRound) consensus.Decision {
		d := r.Round.Decision()
		return consensus.Decision{
			Strategy: d.Strategy, Outcome: d.Outcome, Choice: d.Choice, Leaders: d.Leaders, Support: d.Support,
			None: d.None, Confidence: d.Confidence, Voters: d.Voters,
		}
	}},
}

func TestSuiteRejectsPlantedBugsInRounds(t *testing.T) {
	for name, bad := range badRounds {
		t.Run(name, func(t *testing.T) {
			open := func(s consensus.Strategy, o *consensus.Options) (consensustest.Round, error) {
				round, err := consensus.NewRound(s, o)
				r := bad
				r.Round, r.known = round, map[string]bool{}
				r.last, r.seen = map[[2]string]consensus.Vote{}, map[consensus.Vote]bool{}
				r.before = round.Decision()
				return &r, err
			}
			for _, s := range consensus.Builtin() {
				r := &recorder{broken: map[string]int{}}
				consensustest.CheckRound(r, open, s, 1)
				if r.broken["round"] == 0 {
					t.Errorf("not found in a round of %s", s.Name())
				}
			}
		})
	}
}

func TestRoundsOfEveryStrategyKeepTheRules(t *testing.T) {
	for _, s := range consensus.Builtin() {
		consensustest.TestRound(t, consensustest.NewRound, s, 7)
	}
}
