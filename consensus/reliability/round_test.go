package reliability

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// A round keeps only counts of the voters the model does not know. It must decide as on ballots that hold each vote.
func TestARoundDecidesAsOnAllVotesAtOnce(t *testing.T) {
	of := map[string]consensus.Strategy{"strangers": Strategy{}}
	for name, s := range configurations(t) {
		of[name] = s
	}
	of["nothing known"] = configuration{}
	for name, o := range map[string]*Options{"stances": {Stances: true}, "choices": {Choices: letters(3)}, "own": nil} {
		_, m := learnedFrom(o, 4, 3)
		of[name] = Strategy{m}
	}
	for name, s := range of {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) { checkRound(t, s) }))
	}
}

func checkRound(t *rapid.T, s consensus.Strategy) {
	o := &consensus.Options{Threshold: rapid.SampledFrom([]float64{0.5, 0.7}).Draw(t, "threshold")}
	if rapid.IntRange(0, 3).Draw(t, "rates") == 0 {
		o.Reliabilities = consensus.Rates{"v1": {Sensitivity: 0.7, Specificity: 0.6}, "x3": {Sensitivity: 0.9, Specificity: 0.9}}
	}
	if rapid.IntRange(0, 3).Draw(t, "electorate") == 0 {
		o.Electorate = []string{"v0", "v2", "x0", "x1", "x2", "x3"}
	}
	if rapid.Bool().Draw(t, "groups") {
		o.Groups = map[string]string{"v0": "g", "v1": "g", "v4": "h", "x0": "g", "x1": "h", "x2": "h", "x3": "h"}
	}
	if rapid.IntRange(0, 5).Draw(t, "ranks") == 0 {
		o.Ranks = map[string]int{"x0": 1}
	}
	r, err := consensus.NewRound(s, o)
	if err != nil {
		t.Fatal(err)
	}
	var proposals []string
	var votes []consensus.Vote
	for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
		p := rapid.SampledFrom(letters(3)).Draw(t, "proposal")
		if rapid.IntRange(0, 6).Draw(t, "propose") == 0 {
			proposals = append(proposals, p)
			if err := r.Propose(p); err != nil {
				t.Fatal(err)
			}
		}
		v := consensus.Vote{
			Seq: uint64(rapid.IntRange(max(0, step-3), step).Draw(t, "seq")), ProposalID: p, Weight: rapid.SampledFrom([]float64{1, 1, 1, 0.5, 0}).Draw(t, "weight"),
			Voter:  fmt.Sprint(rapid.SampledFrom([]string{"v", "x", "x"}).Draw(t, "kind"), rapid.IntRange(0, 5).Draw(t, "voter")),
			Stance: rapid.SampledFrom([]consensus.Stance{1, 1, 1, 2, 3}).Draw(t, "stance"),
		}
		votes = append(votes, v)
		if err := r.Vote(v); err != nil {
			t.Fatal(err)
		}
		b, err := consensus.NewBallots(o, proposals, votes)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Decision(), s.Decide(b); !got.Equal(want) {
			t.Fatalf("after %+v the round says\n%+v, want\n%+v", votes, got, want)
		}
	}
}

// asked is a strategy that records the numbers of entries and of voters in the ballots.
type asked struct {
	Strategy
	n, all *int
}

func (a asked) Decide(b consensus.Ballots) consensus.Decision {
	*a.n, *a.all = 0, 0
	for who := range b.ByVoter() {
		*a.n, *a.all = *a.n+1, *a.all+who.N
	}
	return a.Strategy.Decide(b)
}

func TestDecidingInARoundDoesNotTakeTimePerVote(t *testing.T) {
	_, m := learnedFrom(nil, 4, 3)
	s := asked{Strategy{m}, new(int), new(int)}
	r, err := consensus.NewRound(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range letters(2) {
		if err := r.Propose(p); err != nil {
			t.Fatal(err)
		}
	}
	known, strangers := len(m.Voters()), 1000
	for j := range known + strangers {
		if err := r.Vote(vote(j, letters(2)[j%2])); err != nil {
			t.Fatal(err)
		}
	}
	if r.Decision(); *s.n != known+2 || *s.all != known+strangers {
		t.Errorf("asked about %d voters as %d, want %d as %d", *s.all, *s.n, known+strangers, known+2)
	}
	for j := range strangers {
		if err := r.Vote(vote(known+j, letters(2)[(known+j+1)%2])); err != nil {
			t.Fatal(err)
		}
	}
	if r.Decision(); *s.n != known+1 || *s.all != known+strangers {
		t.Errorf("once all are for both, asked about %d voters as %d, want %d as %d", *s.all, *s.n, known+strangers, known+1)
	}
}
