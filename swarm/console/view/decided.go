package view

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// decided returns the newest decision; nil: the votes do not count yet.
func (s *solve) decided() *api.Decision {
	if s.Votes.Round() == nil {
		return nil
	}
	d := s.decision()
	of := &api.Decision{
		Strategy: d.Strategy, Outcome: d.Outcome.String(), Choice: d.Choice, Leaders: append([]string{}, d.Leaders...),
		Support: d.Support, None: d.None, Confidence: d.Confidence, Learned: d.Learned, Voters: d.Voters,
		Reason: d.ReasonWith(s.name), Because: d.Because, Note: d.Note, Dissent: []api.Vote{}, Uncounted: []api.Uncounted{},
	}
	if s.Stage.Decided != nil {
		of.Withheld = s.Stage.Decided.Payload.Withheld
	} else {
		of.Withheld = s.Withholds(d)
	}
	for _, v := range d.Dissent() {
		i, found := slices.BinarySearchFunc(s.ballot.list, v.Seq, func(a api.Vote, seq uint64) int { return int(int64(a.Seq) - int64(seq)) })
		if found {
			vote := s.ballot.list[i]
			vote.Counts = true
			of.Dissent = append(of.Dissent, vote)
		}
	}
	for _, u := range d.Uncounted() {
		of.Uncounted = append(of.Uncounted, api.Uncounted{Voter: u.Voter, Proposal: u.ProposalID, Cause: u.Cause.String(), Votes: u.Votes})
	}
	return of
}

// name returns what people call a proposal.
func (s *solve) name(id string) string {
	if l := s.letterOf(id); l != "" {
		return l
	}
	return id
}

// turning returns the signal after which the leader led for good; nil: nothing leads.
func (s *solve) turning() *api.Turning {
	n := len(s.steps)
	if n == 0 || s.steps[n-1].Leader == "" {
		return nil
	}
	leader := s.steps[n-1].Leader
	i := n - 1
	for i > 0 && s.steps[i-1].Leader == leader {
		i--
	}
	of := &api.Turning{Seq: s.steps[i].Seq, To: leader, Changers: []string{}}
	for j := i - 1; j >= 0 && of.From == ""; j-- {
		of.From = s.steps[j].Leader
	}
	for _, v := range s.ballot.list {
		if v.Was != nil && v.Proposal == leader && v.Stance == signals.Agree.String() && !slices.Contains(of.Changers, v.Voter) {
			of.Changers = append(of.Changers, v.Voter)
		}
	}
	at, found := slices.BinarySearchFunc(s.said, of.Seq, func(w api.Said, seq uint64) int { return int(int64(w.Seq) - int64(seq)) })
	if found {
		of.By, of.Text, of.Cause = s.said[at].By, s.said[at].Text, s.said[at].Target
	}
	return of
}

// rests returns the decision without each voter, where there is a choice.
func (s *solve) rests() []api.Rest {
	all := []api.Rest{}
	if s.Votes.Round() == nil || s.decision().Choice == "" {
		return all
	}
	d := s.decision()
	var voters []string
	for v := range d.Ballots().Votes() {
		if !slices.Contains(voters, v.Voter) {
			voters = append(voters, v.Voter)
		}
	}
	by, _ := s.Votes.Terms()
	slices.Sort(voters)
	for _, voter := range voters {
		without, err := less(d.Ballots(), voter)
		if err != nil {
			continue
		}
		then := by.Decide(without)
		all = append(all, api.Rest{
			Voter: voter, Outcome: then.Outcome.String(), Choice: then.Choice, Support: then.Support, Falls: then.Choice != d.Choice,
		})
	}
	return all
}

// less returns ballots without the votes of a voter.
func less(b consensus.Ballots, voter string) (consensus.Ballots, error) {
	var votes []consensus.Vote
	for v := range b.Votes() {
		if v.Voter != voter {
			votes = append(votes, v)
		}
	}
	less, err := consensus.NewBallots(&consensus.Options{Threshold: b.Threshold(), Quorum: b.Quorum(), Correlation: b.Correlation()}, b.Proposals(), votes)
	return less.Close(), err
}
