package consensus_test

import (
	"fmt"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// strategies returns the five and custom ones.
func strategies() (five, others []consensus.Strategy) {
	five = consensus.Builtin()
	return five, []consensus.Strategy{
		consensus.Func("majority", majority),
		unanimous{},
		knower{five[2]},
		knower{five[4]},
	}
}

// knower knows two voters.
type knower struct{ consensus.Strategy }

var known = consensus.Rates{"v0": {Sensitivity: 0.9, Specificity: 0.8}, "v5": {Sensitivity: 0.4, Specificity: 0.6}}

func (knower) Knows(voter string) bool { return known[voter] != consensus.Reliability{} }

func (k knower) Decide(b consensus.Ballots) consensus.Decision {
	return k.Strategy.Decide(b.WithReliabilities(known))
}

// unanimous embeds a built-in strategy, but decides otherwise.
type unanimous struct{ consensus.Voting }

func (u unanimous) Decide(b consensus.Ballots) consensus.Decision {
	d := u.Voting.Decide(b)
	if d.Outcome == consensus.Reached && d.Support < 1 {
		d.Outcome, d.Choice = consensus.Pending, ""
	}
	return d
}

func majority(b consensus.Ballots) consensus.Decision {
	var support []float64
	for _, t := range b.Tallies() {
		support = append(support, float64(t.Agree)/float64(max(1, b.Voters())))
	}
	return b.Decide("majority", support, 0, nil)
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
					// Enough votes to make the round drop some.
					v := drawVote(t)
					for i := range 70 {
						v.Seq, v.Weight = uint64(i*7%40), float64(i%11)/10
						if r.Vote(v) == nil {
							votes = append(votes, v)
						}
					}
				},
				"propose": func(t *rapid.T) {
					p := drawVote(t).ProposalID
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

func TestAStrategyThatEmbedsABuiltinOneIsCalledItself(t *testing.T) {
	r, err := consensus.NewRound(unanimous{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Propose("a"); err != nil {
		t.Fatal(err)
	}
	for voter, stance := range map[string]consensus.Stance{
		"v": consensus.Agree, "w": consensus.Agree, "x": consensus.Agree, "y": consensus.Disagree,
	} {
		if err := r.Vote(consensus.Vote{Voter: voter, ProposalID: "a", Stance: stance, Weight: 1}); err != nil {
			t.Fatal(err)
		}
	}
	want(t, r.Decision(), consensus.Pending, "")
}

func TestVoteDoesNotAllocateInTheSteadyState(t *testing.T) {
	r, err := consensus.NewRound(consensus.Voting{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Propose("a"); err != nil {
		t.Fatal(err)
	}
	v := consensus.Vote{Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1}
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

func TestDecisionsOfBuiltinStrategiesDoNotAllocate(t *testing.T) {
	for _, s := range consensus.Builtin() {
		r, err := consensus.NewRound(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a", "b"} {
			if err := r.Propose(id); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Vote(consensus.Vote{Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1}); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { r.Decision() }); n != 0 {
			t.Errorf("%s: a decision allocates %v times", s.Name(), n)
		}
	}
}

func TestRoundCallsAnUnknownStrategyOncePerChange(t *testing.T) {
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
		return r.Vote(consensus.Vote{Seq: seq, Voter: voter, ProposalID: "a", Stance: consensus.Agree, Weight: 1})
	}
	for i, change := range []func() error{
		func() error { return r.Propose("a") },
		func() error { return vote(1, "v") },
		func() error { return vote(2, "w") },
		func() error { return vote(1, "w") }, // superseded before it arrived
		func() error { r.SetQuorum(3); return nil },
		func() error { r.SetQuorum(1); return nil },
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

// A voter that changes its mind often counts like one that has cast only its last votes: abstaining or
// lowering a weight may remove its largest weight.
func TestRoundEqualsDecideWhenFewChangeTheirMindsOften(t *testing.T) {
	proposals := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		r, err := consensus.NewRound(consensus.ConfidenceWeighted{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		known := proposals[:rapid.IntRange(1, 4).Draw(t, "known")]
		var votes []consensus.Vote
		for seq := range rapid.IntRange(1, 40).Draw(t, "votes") {
			if seq == 20 {
				known = proposals
			}
			for _, p := range known {
				r.Propose(p)
			}
			votes = append(votes, consensus.Vote{
				Seq: uint64(seq), Voter: rapid.SampledFrom([]string{"v", "w"}).Draw(t, "voter"),
				ProposalID: rapid.SampledFrom(proposals).Draw(t, "proposal"),
				Stance:     consensus.Stance(rapid.IntRange(1, 3).Draw(t, "stance")),
				Weight:     float64(rapid.IntRange(0, 3).Draw(t, "weight")) / 3,
			})
			if err := r.Vote(votes[seq]); err != nil {
				t.Fatal(err)
			}
			b, err := consensus.NewBallots(nil, known, votes)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := r.Decision(), (consensus.ConfidenceWeighted{}).Decide(b); !got.Equal(want) {
				t.Fatalf("after %+v: %v, want %v", votes, got, want)
			}
		}
	})
}

func TestAbstainingTakesTheGreatestWeightBack(t *testing.T) {
	r, err := consensus.NewRound(consensus.ConfidenceWeighted{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seq, v := range []consensus.Vote{
		{Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
		{Voter: "v", ProposalID: "b", Stance: consensus.Agree, Weight: 0.5},
		{Voter: "w", ProposalID: "b", Stance: consensus.Agree, Weight: 0.5},
		{Voter: "v", ProposalID: "a", Stance: consensus.Abstain, Weight: 1},
	} {
		r.Propose(v.ProposalID)
		v.Seq = uint64(seq)
		if err := r.Vote(v); err != nil {
			t.Fatal(err)
		}
	}
	if d := r.Decision(); d.Choice != "b" || d.Support != 1 {
		t.Errorf("%v with %v, want all of the weight for b", d, d.Support)
	}
}

func TestARoundDropsSupersededVotes(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC() // what became garbage during the first
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r, err := consensus.NewRound(consensus.Voting{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Propose("a")
	before := heap()
	for i := range 50_000 {
		v := consensus.Vote{Seq: uint64(i), Voter: fmt.Sprint(i % 10), ProposalID: "a", Stance: consensus.Agree, Weight: 1}
		if err := r.Vote(v); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("the votes of 10 voters take %d bytes", after-before)
	}
	if d := r.Decision(); d.Voters != 10 || d.Uncounted()[0].Votes != 4999 {
		t.Errorf("%v, not counted %v", d, d.Uncounted())
	}
}
