package solves_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestWorthIsThePartOfATurnThatWasRight(t *testing.T) {
	t.Parallel()
	head := signals.Header{Source: "v", Round: 2}
	a := signals.New(head, signals.Proposal{ProposalID: "a"})
	same := signals.New(head, signals.Proposal{ProposalID: "a2"})
	vote := func(h signals.Header, id string, stance signals.Stance) signals.Any {
		return signals.New(h, signals.Vote{ProposalID: id, Stance: stance})
	}
	r := &solves.Result{Logged: solves.Logged{
		Proposals: []agents.Standing{{Proposal: a, Same: []*signals.Signal[signals.Proposal]{same}}},
		Log: []signals.Any{
			a, vote(head, "b", signals.Disagree), vote(head, "a2", signals.Disagree), vote(head, "c", signals.Agree), vote(head, "c", signals.Abstain),
			vote(signals.Header{Source: "v", Round: 3}, "c", signals.Agree), vote(signals.Header{Source: "w", Round: 2}, "c", signals.Agree),
		},
	}}
	if got, spoke := r.Worth(solves.Chosen{Agent: "v", Round: 2}, "a"); got != 0.5 || !spoke {
		t.Errorf("got %v, %v, want two of four", got, spoke)
	}
	if got, spoke := r.Worth(solves.Chosen{Agent: "u", Round: 2}, "a"); got != 0 || spoke {
		t.Errorf("got %v, %v for an agent that said nothing", got, spoke)
	}
	if id, made := r.Proposed("a2"); id != "a" || !made {
		t.Errorf("got %s, %v for an equal proposal", id, made)
	}
}
