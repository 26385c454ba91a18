package consensus_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// strategies are the five; and combinations of them, and one that rounds do not know.
func strategies() (five, others []consensus.Strategy) {
	five = consensus.Builtin()
	return five, []consensus.Strategy{
		consensus.Any(five...),
		consensus.All(five[0], five[2]),
		consensus.Fallback(five[2], five[4]),
		consensus.Func("majority", majority),
	}
}

func majority(b consensus.Ballots) consensus.Decision {
	var support []float64
	for _, t := range b.Tallies() {
		support = append(support, float64(t.Agree)/float64(max(1, b.Voters())))
	}
	return b.Settle("majority", support, 0)
}

func TestRoundEqualsDecideAfterEveryStep(t *testing.T) {
	five, others := strategies()
	for name, strategies := range map[string][]consensus.Strategy{"built-in": five, "others": others} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			s := rapid.SampledFrom(strategies).Draw(t, "strategy")
			o := drawOptions(t)
			if o != nil && rapid.Bool().Draw(t, "learned") {
				o.Reliabilities = drawRates(t)
			}
			r, err := consensus.NewRound(s, o)
			if err != nil {
				t.Fatal(err)
			}
			var proposals []string
			var votes []consensus.Vote
			var earlier []consensus.Decision
			var said []string
			check := func(*rapid.T) {
				b, err := consensus.NewBallots(o, proposals, votes)
				if err != nil {
					t.Fatal(err)
				}
				if r.Closed() {
					b = b.Close()
				}
				got, want := r.Decision(), s.Decide(b)
				if !got.Equal(want) {
					t.Fatalf("round: %v\n%+v\nwant:  %v\n%+v", got, got.Tallies(), want, want.Tallies())
				}
				if len(votes)%8 == 0 {
					earlier, said = append(earlier, got), append(said, got.String())
				}
			}
			t.Repeat(map[string]func(*rapid.T){
				"vote": func(t *rapid.T) {
					v := drawVote(t)
					if err := r.Vote(v); (err != nil) != r.Closed() {
						t.Fatalf("vote: %v", err)
					}
					if !r.Closed() {
						votes = append(votes, v)
					}
				},
				"again": func(t *rapid.T) {
					// Enough of them to make the round forget some.
					v := drawVote(t)
					for i := range 70 {
						v.Seq, v.Weight = uint64(i*7%40), float64(i%11)/10
						if r.Vote(v) == nil {
							votes = append(votes, v)
						}
					}
				},
				"propose": func(t *rapid.T) {
					p := drawVote(t).Proposal
					if r.Propose(p) == nil {
						proposals = append(proposals, p)
					}
				},
				"close": func(t *rapid.T) {
					if rapid.IntRange(0, 20).Draw(t, "really") == 0 {
						r.Close()
					}
				},
				"": check,
			})
			for i, d := range earlier {
				if got := d.String(); got != said[i] {
					t.Fatalf("decision %d has changed since: %s, was %s", i, got, said[i])
				}
			}
		}))
	}
}

func TestVoteDoesNotAllocateInTheSteadyState(t *testing.T) {
	r, err := consensus.NewRound(consensus.Voting{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Propose("a"); err != nil {
		t.Fatal(err)
	}
	v := consensus.Vote{Voter: "v", Proposal: "a", Stance: consensus.Agree, Weight: 1}
	vote := func() {
		v.Seq++
		v.Weight = 1 - v.Weight
		if err := r.Vote(v); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		vote()
	}
	if n := testing.AllocsPerRun(1000, vote); n != 0 {
		t.Errorf("a vote allocates %v times", n)
	}
}

func TestRoundAsksAStrategyItDoesNotKnowOncePerChange(t *testing.T) {
	calls := 0
	s := consensus.Func("counting", func(b consensus.Ballots) consensus.Decision {
		calls++
		return consensus.Voting{}.Decide(b)
	})
	r, err := consensus.NewRound(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	vote := func(seq uint64, voter string) error {
		return r.Vote(consensus.Vote{Seq: seq, Voter: voter, Proposal: "a", Stance: consensus.Agree, Weight: 1})
	}
	for i, change := range []func() error{
		func() error { return r.Propose("a") },
		func() error { return vote(1, "v") },
		func() error { return vote(2, "w") },
		func() error { return vote(1, "w") }, // superseded before it came
		func() error { r.Close(); return nil },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got, want := r.Decision(), s.Decide(r.Ballots()); !got.Equal(want) {
				t.Errorf("after change %d: %v, want %v", i, got, want)
			}
		}
		if want := 4 * (i + 1); calls != want {
			t.Errorf("after change %d: asked %d times, want once beside the three by hand", i, calls-3*(i+1))
		}
	}
	if err := r.Propose("b"); err == nil || r.Decision().Outcome != consensus.Reached {
		t.Errorf("%v after a refused proposal: %v", r.Decision(), err)
	}
}
