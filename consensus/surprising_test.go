package consensus_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

func TestSurprisingKeepsTheRulesWithoutExpectations(t *testing.T) {
	for _, s := range []consensus.Strategy{consensus.Surprising{}, consensus.Surprising{Fallback: consensus.Bayesian{}}} {
		consensustest.TestStrategy(t, s, 1)
	}
}

func drawExpecting(t *rapid.T, expected *rapid.Generator[float64]) consensus.Ballots {
	votes := rapid.SliceOfN(rapid.Custom(drawVote), 0, 25).Draw(t, "votes")
	for i := range votes {
		votes[i].ProposalID = string('a' + votes[i].ProposalID[0]%2)
		votes[i].Expected = expected.Draw(t, "expected")
	}
	b, err := consensus.NewBallots(drawOptions(t), drawProposals(t), votes)
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "closed") {
		b = b.Close()
	}
	return b
}

// So it keeps every rule there that voting keeps.
func TestWhereAllExpectAnEvenSplitSurprisingIsVoting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawExpecting(t, rapid.Just(0.5))
		d, e := consensus.Surprising{Fallback: consensus.Voting{}}.Decide(b), consensus.Voting{}.Decide(b)
		if d.Strategy = e.Strategy; !d.Equal(e) {
			t.Errorf("surprising says\n%v, voting\n%v", d, e)
		}
	})
}

func TestSurprisingAgreesWithItsFormula(t *testing.T) {
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawExpecting(t, rapid.SampledFrom([]float64{0, 0.1, 0.3, 0.6, 0.9, 1}))
		d := consensus.Surprising{Fallback: consensus.Func("none", func(consensus.Ballots) consensus.Decision {
			return consensus.Decision{Outcome: consensus.Pending, Support: -1}
		})}.Decide(b)
		support, ok := surprisingReference(b)
		if !ok {
			if d.Support != -1 {
				t.Fatalf("%v without enough expectations", d)
			}
			return
		}
		n++
		top := 0.0
		for _, s := range support {
			top = max(top, s)
		}
		near(t, "support", d.Support, top)
		if leader := d.Leader(); leader != "" {
			near(t, "the leader's", support[leader], top)
		}
	})
	if n < 10 {
		t.Errorf("%d polls with expectations", n)
	}
}

// surprisingReference is the doc comment, written with the votes a/x against those of the rest.
func surprisingReference(b consensus.Ballots) (map[string]float64, bool) {
	r := newReference(b, 0, false)
	r.byVoters = true
	_, spoke, _ := r.voters()
	support, any := map[string]float64{}, false
	for _, tally := range b.Tallies() {
		sum, n := 0.0, 0
		for _, votes := range r.votes {
			if v, ok := votes[tally.ProposalID]; ok && v.Expected > 0 && v.Stance != consensus.Abstain {
				sum += v.Expected
				n++
			}
		}
		enough := n >= 2 && 2*n >= tally.Agree+tally.Disagree
		any = any || enough
		if tally.Agree == 0 {
			continue
		}
		if !enough {
			return nil, false
		}
		x := min(0.99, max(0.01, sum/float64(n)))
		a := float64(tally.Agree) / spoke
		support[tally.ProposalID] = a / x / (a/x + (1-a)/(1-x))
	}
	return support, any
}

func expecting(voters int, stance consensus.Stance, expected float64) []consensus.Vote {
	var votes []consensus.Vote
	for i := range voters {
		votes = append(votes, consensus.Vote{
			Voter: fmt.Sprint(stance, i), ProposalID: "a", Stance: stance, Weight: 1, Expected: expected,
		})
	}
	return votes
}

func decideOn(t *testing.T, s consensus.Strategy, o *consensus.Options, votes ...[]consensus.Vote) consensus.Decision {
	var all []consensus.Vote
	for _, v := range votes {
		all = append(all, v...)
	}
	b, err := consensus.NewBallots(o, []string{"a"}, all)
	if err != nil {
		t.Fatal(err)
	}
	return s.Decide(b.Close())
}

// "Philadelphia is the capital of Pennsylvania": two thirds say yes, but the paper's voters predict even
// more, as those who know that it is Harrisburg know how many do not.
func TestTheSurprisinglyPopularAnswerWins(t *testing.T) {
	yes, no := expecting(66, consensus.Agree, 0.76), expecting(34, consensus.Disagree, 0.70)
	want(t, decideOn(t, consensus.Voting{}, &consensus.Options{Threshold: 0.6}, yes, no), consensus.Reached, "a")
	want(t, decideOn(t, consensus.Surprising{}, &consensus.Options{Threshold: 0.6}, yes, no), consensus.Rejected, "")
	d := decideOn(t, consensus.Surprising{}, &consensus.Options{Threshold: 0.5},
		expecting(40, consensus.Agree, 0.3), expecting(60, consensus.Disagree, 0.2))
	want(t, d, consensus.Reached, "a") // 0.4 where 0.24 were expected
	if math.Abs(d.Support-0.6786) > 1e-4 {
		t.Errorf("support %v, want odds of 2/3 times 76/24", d.Support)
	}
}

// Asking the opposite question swaps support for the only proposal and for
// "none of these".
func TestTheOppositeQuestionHasTheOppositeAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var votes, flipped []consensus.Vote
		for i := range rapid.IntRange(2, 9).Draw(t, "voters") {
			v := consensus.Vote{Voter: fmt.Sprint(i), ProposalID: "a", Weight: 1, Stance: consensus.Agree}
			w := v
			w.Stance = consensus.Disagree
			if rapid.Bool().Draw(t, "no") {
				v, w = w, v
			}
			v.Expected = float64(rapid.IntRange(1, 9).Draw(t, "expected")) / 10
			w.Expected = 1 - v.Expected
			votes, flipped = append(votes, v), append(flipped, w)
		}
		b, _ := consensus.NewBallots(nil, []string{"a"}, votes)
		c, _ := consensus.NewBallots(nil, []string{"a"}, flipped)
		d, e := consensus.Surprising{}.Decide(b), consensus.Surprising{}.Decide(c)
		near(t, "support", d.Support, e.None)
		near(t, "none", d.None, e.Support)
	})
}

func TestExpectingFewerMeansMoreSupport(t *testing.T) {
	last := 1.0
	for _, x := range []float64{0.01, 0.2, 0.5, 0.8, 0.99, 1} {
		d := decideOn(t, consensus.Surprising{}, nil, expecting(6, consensus.Agree, x), expecting(4, consensus.Disagree, x))
		if d.Support > last || d.Support == last && x < 1 {
			t.Errorf("support %v where %v are expected, %v where fewer are", d.Support, x, last)
		}
		last = d.Support
	}
	for _, x := range []float64{0.1, 1} {
		want(t, decideOn(t, consensus.Surprising{}, nil, expecting(9, consensus.Agree, x)), consensus.Reached, "a")
		want(t, decideOn(t, consensus.Surprising{}, nil, expecting(9, consensus.Disagree, x)), consensus.Rejected, "")
	}
}

func TestAnExpectationIsAShare(t *testing.T) {
	for _, x := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		var fe *consensus.FieldError
		if err := expecting(1, consensus.Agree, x)[0].Validate(); !errors.As(err, &fe) || fe.Field != "expected" {
			t.Errorf("error %v for %v", err, x)
		}
	}
	text, err := json.Marshal(expecting(1, consensus.Agree, 0)[0])
	if want := `{"seq":0,"voter":"agree 0","proposalId":"a","stance":"agree","weight":1}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

func ExampleSurprising() {
	vote := func(voter string, stance consensus.Stance, expected float64) consensus.Vote {
		return consensus.Vote{Voter: voter, ProposalID: "it is the compiler", Stance: stance, Weight: 1, Expected: expected}
	}
	ballots, err := consensus.NewBallots(&consensus.Options{Threshold: 0.6}, []string{"it is the compiler"}, []consensus.Vote{
		vote("ada", consensus.Agree, 0.2), // a voter who has seen it expects few others to have
		vote("bob", consensus.Agree, 0.3),
		vote("cyd", consensus.Disagree, 0.1),
		vote("dee", consensus.Disagree, 0.1),
		vote("eve", consensus.Disagree, 0.1),
	})
	if err != nil {
		panic(err)
	}
	for _, s := range []consensus.Strategy{consensus.Voting{}, consensus.Surprising{}} {
		d := s.Decide(ballots.Close())
		fmt.Printf("%s: %s with %.2f\n", d.Strategy, d.Outcome, d.Support)
	}
	// Output:
	// voting: rejected with 0.40
	// surprising: reached with 0.78
}
