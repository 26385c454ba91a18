package mode_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// decide decides on votes of equal weight by a plan, in which those who agree answer so; votes of
// others than members are from outside.
func decide(t *testing.T, p *mode.Plan, votes ...consensus.Vote) consensus.Decision {
	t.Helper()
	var ids []string
	var calls []mode.Call
	for i := range votes {
		v := &votes[i]
		v.Seq, v.Weight = uint64(i+1), 1
		if !slices.Contains(ids, v.ProposalID) {
			ids = append(ids, v.ProposalID)
		}
		if v.Stance == consensus.Agree {
			c := mode.Call{Agent: v.Voter, Answer: v.ProposalID}
			if p.Has(v.Voter) {
				c.Part = mode.Answer
			}
			calls = append(calls, c)
		}
	}
	b, err := consensus.NewBallots(&consensus.Options{Threshold: 0.5, Quorum: 1}, ids, votes)
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide(b.Close(), calls)
}

func TestAnAnswerWithAsMuchAgainstItAsForItIsNotChosen(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Vote, Members: team(2, 0, 0.6)}
	vote := func(voter, on string, s consensus.Stance) consensus.Vote {
		return consensus.Vote{Voter: voter, ProposalID: on, Stance: s}
	}
	x, y := vote("a0", "x", consensus.Agree), vote("a1", "y", consensus.Agree)
	same, against := vote("a1", "x", consensus.Agree), vote("ceo", "x", consensus.Disagree)
	for name, c := range map[string]struct {
		votes   []consensus.Vote
		outcome consensus.Outcome
		choice  string
	}{
		"nothing is against it":               {[]consensus.Vote{x}, consensus.Reached, "x"},
		"as much is against it":               {[]consensus.Vote{x, against}, consensus.Deadlocked, ""},
		"less is against it":                  {[]consensus.Vote{x, same, against}, consensus.Reached, "x"},
		"two are tied":                        {[]consensus.Vote{x, y}, consensus.Deadlocked, ""},
		"as much is against the first of two": {[]consensus.Vote{x, y, against}, consensus.Reached, "y"},
		"as much is against each of two":      {[]consensus.Vote{x, y, against, vote("ceo", "y", consensus.Disagree)}, consensus.Deadlocked, ""},
		"more is against it than is for it":   {[]consensus.Vote{x, against, vote("cfo", "x", consensus.Disagree)}, consensus.Rejected, ""},
		"more is against it, another is even": {[]consensus.Vote{x, y, against, vote("cfo", "x", consensus.Disagree), vote("ceo", "y", consensus.Disagree)}, consensus.Deadlocked, ""},
	} {
		if d := decide(t, p, c.votes...); d.Outcome != c.outcome || d.Choice != c.choice {
			t.Errorf("%s: %v %q, want %v %q", name, d.Outcome, d.Choice, c.outcome, c.choice)
		}
	}
}

// A voter from outside may agree with several answers; only its later vote on the same one
// replaces a vote.
func TestAVoteFromOutsideReplacesOnlyThatOnTheSameAnswer(t *testing.T) {
	t.Parallel()
	var p mode.Poll
	for _, v := range []struct {
		voter, on string
		stance    signals.Stance
		want      []mode.Call
	}{
		{"ceo", "x", signals.Agree, []mode.Call{{Agent: "ceo", Answer: "x"}}},
		{"ceo", "y", signals.Agree, []mode.Call{{Agent: "ceo", Answer: "x"}, {Agent: "ceo", Answer: "y"}}},
		{"cfo", "y", signals.Agree, []mode.Call{{Agent: "ceo", Answer: "x"}, {Agent: "ceo", Answer: "y"}, {Agent: "cfo", Answer: "y"}}},
		{"ceo", "x", signals.Agree, []mode.Call{{Agent: "ceo", Answer: "y"}, {Agent: "cfo", Answer: "y"}, {Agent: "ceo", Answer: "x"}}},
		{"ceo", "y", signals.Disagree, []mode.Call{{Agent: "cfo", Answer: "y"}, {Agent: "ceo", Answer: "x"}}},
	} {
		p.TakeOutside(v.voter, signals.Vote{ProposalID: v.on, Stance: v.stance, Weight: 1})
		if diff := cmp.Diff(v.want, p.Calls(nil)); diff != "" {
			t.Errorf("after %s said %v to %s:\n%s", v.voter, v.stance, v.on, diff)
		}
	}
}
