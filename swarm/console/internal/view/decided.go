package view

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// recorded returns the newest decision on record, or that of the votes so far; nil: they do not
// count yet.
func (s *solve) recorded() *api.Decision {
	made := s.Stage.Decided
	switch {
	case s.Votes.Round() == nil:
		return nil
	case made == nil:
		return s.decided(s.decision())
	}
	of := s.decided(s.Last)
	of.Withheld = made.Payload.Withheld
	return of
}

// revision returns the decision by the votes without the signals taken back after the decision;
// nil: there were none.
func (s *solve) revision() *api.Revision {
	if s.revised == nil {
		return nil
	}
	of := &api.Revision{Said: []uint64{}, Changed: s.revised.Changed, Decision: *s.decided(s.revised.Decision)}
	for _, said := range s.revised.Said {
		of.Said = append(of.Said, said.Seq)
	}
	return of
}

// decided returns a decision on the votes.
func (s *solve) decided(d consensus.Decision) *api.Decision {
	of := &api.Decision{
		Strategy: d.Strategy, Outcome: d.Outcome.String(), Choice: d.Choice, Leaders: append([]string{}, d.Leaders...),
		Support: d.Support, None: d.None, Confidence: d.Confidence, Learned: d.Learned, Voters: d.Voters,
		Reason: d.Sentence(s.called), Because: d.Because, Firmness: d.Firmness(), Note: d.Note, Withheld: s.Withholds(d), Dissent: []api.Vote{}, Uncounted: []api.Uncounted{},
	}
	for _, v := range append(d.Dissent(), solves.Overruled(d, s.Votes.Show(""))...) {
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

// synthesis returns the answer as a text. That of a long log takes a while, and is kept.
func (s *solve) synthesis() *api.Synthesis {
	if s.texted != len(s.Log) {
		r := solves.Of(s.Thread)
		w := r.Synthesis()
		s.text, s.texted, s.fields = api.Synthesis{Text: w.Text, By: w.By, Why: w.Why}, len(s.Log), nil
		for _, f := range r.Fields() {
			of := api.Field{Path: f.Path, Value: string(f.Value), Agree: f.Agree, Of: f.Of}
			for _, o := range f.Other {
				of.Other = append(of.Other, api.Other{Value: string(o.Value), By: o.By})
			}
			s.fields = append(s.fields, of)
		}
	}
	text := s.text
	return &text
}

// called returns what a proposal says, for a sentence about it.
func (s *solve) called(id string) string { return text.Cut(text.Line(cmp.Or(s.content(id), id)), 80) }

// hindsight are forms of signals that say nothing new of a proposal.
var hindsight = map[string]bool{"decided": true, "answer": true, "round": true}

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
		if v.Was != nil && v.Out == 0 && v.Proposal == leader && v.Stance == signals.Agree.String() && !slices.Contains(of.Changers, v.Voter) {
			of.Changers = append(of.Changers, v.Voter)
		}
	}
	at, found := slices.BinarySearchFunc(s.said, of.Seq, func(w api.Said, seq uint64) int { return int(int64(w.Seq) - int64(seq)) })
	for i := at; found && i >= 0 && hindsight[s.said[at].Form]; i-- { // what they voted before, counted anew
		if s.said[i].Form == "vote" || s.said[i].Form == "proposal" {
			at, of.Seq = i, s.said[i].Seq
		}
	}
	if found {
		said := s.said[at]
		of.By, of.Text, of.Cause = said.By, said.Text, said.Target
		if said.Form == "proposal" && said.Reason != "" { // an answer: what it says is the leader
			of.Text = said.Reason
		}
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
	slices.Sort(voters)
	for _, voter := range voters {
		then, err := s.without(voter, d.Ballots())
		if err != nil {
			continue
		}
		all = append(all, api.Rest{
			Voter: voter, Outcome: then.Outcome.String(), Choice: then.Choice, Support: then.Support, Falls: then.Choice != d.Choice,
		})
	}
	return all
}

// without returns the decision that the others make, by the same terms.
func (s *solve) without(voter string, b consensus.Ballots) (d consensus.Decision, err error) {
	by, o := s.Votes.Terms()
	terms := *o
	terms.Quorum = b.Quorum() // it may have changed since
	votes := slices.DeleteFunc(slices.Collect(b.Votes()), func(v consensus.Vote) bool { return v.Voter == voter })
	left, err := consensus.NewBallots(&terms, b.Proposals(), votes)
	if plan := s.Calls.Plan(); plan != nil && err == nil {
		return plan.Decide(left.Close(), slices.DeleteFunc(slices.Clone(s.Calls.All()), func(c mode.Call) bool { return c.Agent == voter })), nil
	}
	return by.Decide(left.Close()), err
}
