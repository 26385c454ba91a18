package verdict_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// voters are agents that hear proposals and may vote.
func voters(ids ...string) (all seat.Roster) {
	for _, id := range ids {
		all = append(all, seat.New(&agents.Agent{
			ID: id, Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindProposal, signals.KindVote},
		}, 0))
	}
	return all
}

// count has the votes on a proposal x of a, by agents, in this order: - before a name
// is an abstention, ! is against it.
func count(t *testing.T, quorum int, seats seat.Roster, votes ...string) *verdict.Count {
	t.Helper()
	c := &verdict.Count{Thread: runlog.New("t"), Seats: seats, Quorum: quorum, Weights: map[string]float64{}}
	if err := c.By(consensus.Voting{}, &consensus.Options{Electorate: seats.IDs(), Quorum: quorum}); err != nil {
		t.Fatal(err)
	}
	seq := uint64(0)
	says := func(source string, s signals.Any) {
		seq++
		h := s.Head()
		h.Seq, h.ID, h.Source, h.Thread, h.Confidence = seq, signals.MustID(fmt.Sprint("s-", seq)), source, "t", 1
		c.Thread.Apply(signals.With(s, h))
	}
	if len(votes) > 0 {
		says("a", signals.New(signals.Header{}, signals.Proposal{ProposalID: "x", Content: "do x"}))
	}
	for _, v := range votes {
		voter, stance := strings.TrimLeft(v, "-!"), signals.Agree
		switch v[0] {
		case '-':
			stance = signals.Abstain
		case '!':
			stance = signals.Disagree
		}
		says(voter, signals.New(signals.Header{}, signals.Vote{ProposalID: "x", Stance: stance, Weight: 1}))
	}
	return c
}

// fail lets agents fail in round 3.
func fail(all seat.Roster, err error, ids ...string) {
	for _, s := range all {
		if slices.Contains(ids, s.Agent.ID) {
			s.Fail(s.Begin(&agents.Turn{Agent: s.Agent.ID, Round: 3}), err)
		}
	}
}

func TestEndSaysWhyNothingMoreComes(t *testing.T) {
	broken := errors.New("broken")
	after := verdict.Round{Number: 3, Begun: 2, Emitted: 4, Before: 4}
	for _, c := range []struct {
		name    string
		quorum  int
		votes   []string
		err     error
		failed  []string
		stop    runlog.StopReason
		detail  string
		unheard bool
	}{
		{"two of three agree", 0, []string{"a", "b"}, nil, nil, runlog.StopConsensus, "", false},
		{"the proposer alone", 0, []string{"a", "-b", "-c"}, nil, nil, runlog.StopDeadlock, "only a, who proposed", false},
		{"the proposer alone, and that is enough", 1, []string{"a"}, nil, nil, runlog.StopConsensus, "", false},
		{"one vote of three", 0, []string{"b"}, nil, nil, runlog.StopDeadlock, "", false},
		{"no votes", 0, nil, nil, nil, runlog.StopNoProgress, "no proposals and no votes that count (3 agents may vote)", true},
		{"agents fail that the quorum needs", 0, []string{"b"}, broken, []string{"a", "c"}, runlog.StopError, "too few agents can take their turns", true},
		{"the proposer alone, since another fails", 0, []string{"a", "-b"}, broken, []string{"c"}, runlog.StopError, "", true},
		{"agents fail, and others are enough", 0, []string{"b", "a"}, broken, []string{"a", "c"}, runlog.StopConsensus, "", false},
		{"all turns of the round fail before any vote", 0, nil, broken, []string{"a", "c"}, runlog.StopError, "no agent could take its turn", true},
		{"one turn of the round fails before any vote", 0, nil, broken, []string{"a"}, runlog.StopNoProgress, "", true},
		{"budgets are used up before any vote", 0, nil, agents.ErrBudget, []string{"a", "c"}, runlog.StopBudget, "the budget of every agent is used up", true},
		{"budgets are used up", 0, []string{"b"}, agents.ErrBudget, []string{"a", "c"}, runlog.StopBudget, "the budget is used up", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			seats := voters("a", "b", "c")
			votes := count(t, c.quorum, seats, c.votes...)
			fail(seats, c.err, c.failed...)
			votes.Votes().Close()
			end := votes.End(votes.Decide(), after)
			if end.Stop != c.stop || !strings.Contains(end.Detail, c.detail) || end.Unheard != c.unheard || (end.Err != nil) != (c.stop == runlog.StopError) {
				t.Errorf("got %+v", end)
			}
		})
	}
}

func TestSilentTeamIsNamedAsSuch(t *testing.T) {
	c := count(t, 0, voters("a", "b"))
	if end := c.End(c.Decide(), verdict.Round{Number: 1, Begun: 2}); end.Detail != "none of 2 agents said anything" {
		t.Errorf("got %+v", end)
	}
}

func TestDefaultQuorumFollowsTheAgentsThatAreLeft(t *testing.T) {
	seats := voters("a", "b", "c", "d", "e")
	c := count(t, 0, seats, "a", "b")
	if d := c.Decide(); d.Outcome == consensus.Reached {
		t.Fatalf("two of five: %v", d.Reason())
	}
	seats[3].Out, seats[4].Out = true, true
	if d := c.Decide(); d.Outcome == consensus.Reached {
		t.Errorf("before it is said that agents left: %v", d.Reason())
	}
	if c.Resized(); !c.Chooses(c.Decide()) {
		t.Errorf("two of three: %v", c.Decide().Reason())
	}
}

func TestDecisionStandsIfNobodyIsLeftToChangeIt(t *testing.T) {
	seats := voters("a", "b", "c", "d", "e")
	c := count(t, 0, seats, "a", "b", "c")
	var left []*seat.Turn
	for _, s := range seats[3:] {
		left = append(left, s.Begin(&agents.Turn{Agent: s.Agent.ID}))
	}
	if c.Stands(left, 5) {
		t.Error("two votes against three change nothing")
	}
	if !c.Stands(left[:1], 5) || !c.Stands(nil, 5) {
		t.Error("one vote against three changes something")
	}
	for _, s := range seats[3:] {
		s.Agent.CanEmit = []signals.Kind{signals.KindDiscovery}
	}
	if !c.Stands(left, 5) {
		t.Error("agents that may not vote change something")
	}
}

func TestClosedIsTheDecisionWithoutTheVotesToCome(t *testing.T) {
	c := count(t, 2, voters("a", "b", "c", "d", "e"), "a", "b", "!c")
	if before, closed := c.Decide(), c.Closed(); before.Final() || !closed.Final() || c.Votes().Closed() {
		t.Errorf("before %v, closed %v", before.Reason(), closed.Reason())
	}
}
