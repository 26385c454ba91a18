package consensus_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swarmbus/swarmbus/consensus"
)

// trials adds voters, each right with a probability drawn per decision around 0.8 so that any two have
// correlation rho, until the test ends. It returns how often it ended wrongly and after how many voters.
func trials(t *testing.T, s consensus.Sequential, rho float64, o consensus.Options) (wrong, voters float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	const runs = 1000
	o.Quorum = 1
	for range runs {
		right := 0.8
		if rho > 0 {
			right = distuv.Beta{Alpha: 0.8 * (1/rho - 1), Beta: 0.2 * (1/rho - 1), Src: rng}.Rand()
		}
		r, err := consensus.NewRound(nil, &o)
		if err != nil {
			t.Fatal(err)
		}
		r.Propose("a") // which is wrong
		n, outcome := 0, consensus.Pending
		for ; outcome == consensus.Pending && n < 60; n++ {
			v := consensus.Vote{Voter: fmt.Sprint(n), ProposalID: "a", Stance: consensus.Disagree, Weight: 1}
			if rng.Float64() > right {
				v.Stance = consensus.Agree
			}
			r.Vote(v)
			outcome = s.Test(r.Ballots(), "a")
		}
		voters += float64(n) / runs
		if outcome == consensus.Reached {
			wrong += 1.0 / runs
		}
	}
	return wrong, voters
}

func TestSequentialErrsAsRarelyAsAgreed(t *testing.T) {
	independent := consensus.Options{Correlation: consensus.Independent}
	last := 0.0
	for _, alpha := range []float64{0.2, 0.05, 0.01} {
		s := consensus.Sequential{Wrong: alpha, Missed: alpha}
		wrong, voters := trials(t, s, 0, independent)
		t.Logf("α %v: wrong %.4f after %.1f voters", alpha, wrong, voters)
		if bound := alpha / (1 - alpha); wrong > bound+3*math.Sqrt(bound/1000) || voters <= last {
			t.Errorf("α %v: wrong %v after %v voters, %v before", alpha, wrong, voters, last)
		}
		last = voters
	}
}

func TestTheDiscountKeepsTheErrorDownWhereVotersErrTogether(t *testing.T) {
	s := consensus.Sequential{Wrong: 0.1, Missed: 0.1}
	plain, fewer := trials(t, s, 0.2, consensus.Options{Correlation: consensus.Independent})
	discounted, more := trials(t, s, 0.2, consensus.Options{Correlation: 0.2})
	t.Logf("wrong %.3f after %.1f voters without the discount, %.3f after %.1f with", plain, fewer, discounted, more)
	if discounted > 0.1/0.9+0.03 || plain < discounted || more < fewer {
		t.Errorf("wrong %v with the discount, %v without, at 0.1", discounted, plain)
	}
}

func TestSequentialBounds(t *testing.T) {
	lower, upper := consensus.Sequential{}.Bounds()
	if math.Abs(upper-math.Log(19)) > 1e-12 || lower != -upper {
		t.Errorf("bounds %v and %v, want ±ln 19", lower, upper)
	}
	lower, upper = consensus.Sequential{Wrong: 0.01, Missed: 0.2}.Bounds()
	if math.Abs(upper-math.Log(80)) > 1e-12 || math.Abs(lower-math.Log(0.2/0.99)) > 1e-12 {
		t.Errorf("bounds %v and %v, want ln 80 and ln 20/99", lower, upper)
	}
	for _, bad := range []float64{-1, 0.5, 2, math.NaN()} {
		if l, u := (consensus.Sequential{Wrong: bad, Missed: bad}).Bounds(); math.Abs(u-math.Log(19)) > 1e-12 || l != -u {
			t.Errorf("bounds %v and %v for %v, want the default's", l, u, bad)
		}
	}
}

func TestSequentialWaitsForTheQuorumAndForEvidence(t *testing.T) {
	for _, tt := range []struct {
		votes        string
		open, closed consensus.Outcome
	}{
		{"2* v agree a 1", consensus.Pending, consensus.Deadlocked},
		{"3* v agree a 1", consensus.Reached, consensus.Reached}, // 3·ln 4 / 1.4 is above ln 19
		{"3* v disagree a 1", consensus.Rejected, consensus.Rejected},
		{"3* v abstain a 1", consensus.Pending, consensus.Deadlocked},
	} {
		b := cast(t, nil, "a", tt.votes)
		if got := (consensus.Sequential{}).Test(b, "a"); got != tt.open {
			t.Errorf("%s: %v, want %v", tt.votes, got, tt.open)
		}
		if got := (consensus.Sequential{}).Test(b.Close(), "a"); got != tt.closed {
			t.Errorf("%s, closed: %v, want %v", tt.votes, got, tt.closed)
		}
		if got := (consensus.Sequential{}).Test(b, "b"); got != consensus.Pending {
			t.Errorf("%v on a proposal that nobody made", got)
		}
	}
	b := cast(t, &consensus.Options{Quorum: 4}, "a", "3* v agree a 1")
	if got := (consensus.Sequential{}).Test(b, "a"); got != consensus.Pending {
		t.Errorf("%v below the quorum", got)
	}
	if e := b.Evidence("a"); math.Abs(e-3*math.Log(4)/1.4) > 1e-9 {
		t.Errorf("evidence %v, want 3·ln 4 / 1.4", e)
	}
}

func ExampleSequential() {
	test := consensus.Sequential{Wrong: 0.05, Missed: 0.05}
	round, err := consensus.NewRound(nil, nil)
	if err != nil {
		panic(err)
	}
	if err := round.Propose("ship"); err != nil {
		panic(err)
	}
	for i, voter := range []string{"ada", "bob", "cyd", "dee"} {
		v := consensus.Vote{Seq: uint64(i), Voter: voter, ProposalID: "ship", Stance: consensus.Agree, Weight: 1}
		if err := round.Vote(v); err != nil {
			panic(err)
		}
		b := round.Ballots()
		fmt.Printf("%s: %.2f nats, %s\n", voter, b.Evidence("ship"), test.Test(b, "ship"))
		if test.Test(b, "ship") != consensus.Pending {
			break
		}
	}
	// Output:
	// ada: 1.39 nats, pending
	// bob: 2.31 nats, pending
	// cyd: 2.97 nats, reached
}
