package reliability

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// onOne is a decision on one proposal by three voters, to which the last may say no.
func onOne(t *testing.T, last consensus.Stance) consensus.Ballots {
	t.Helper()
	no := vote(2, "a")
	no.Stance = last
	b, err := consensus.NewBallots(nil, []string{"a"}, []consensus.Vote{vote(0, "a"), vote(1, "a"), no})
	if err != nil {
		t.Fatal(err)
	}
	return b.Close()
}

func TestHowOneProposalIsDecidedIsLearned(t *testing.T) {
	for _, told := range []bool{false, true} {
		l := newLedger(t, nil)
		if told {
			l.LearnWhenTold()
		}
		observe := func(n int, stance consensus.Stance) {
			t.Helper()
			for range n {
				if err := l.Observe("", onOne(t, stance)); err != nil {
					t.Fatal(err)
				}
			}
		}
		observe(10, consensus.Disagree)
		observe(90, consensus.Agree)
		l.Learn()
		asked := onOne(t, consensus.Disagree)
		before := l.Strategy().Decide(asked)
		if observe(1, consensus.Agree); !l.Strategy().Decide(asked).Equal(before) {
			t.Errorf("told %v: one of 101 without a no, and nothing learned: %v, was %v", told, l.Strategy().Decide(asked), before)
		}
		observe(19, consensus.Agree)
		l.Learn()
		after := l.Strategy().Decide(asked)
		if after.Equal(before) {
			t.Errorf("told %v: ten of 120 opposed: %v as when it was ten of 100", told, after)
		}
		observe(10, consensus.Disagree)
		saved, err := json.Marshal(l)
		again := new(Ledger)
		if err := errors.Join(err, json.Unmarshal(saved, again)); err != nil {
			t.Fatal(err)
		}
		if got := again.Strategy().Decide(asked); !got.Equal(after) || !l.Strategy().Decide(asked).Equal(after) {
			t.Errorf("told %v: restored %v, was %v", told, got, after)
		}
	}
}
