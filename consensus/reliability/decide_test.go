package reliability_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

func TestAReasonNamesTheRecordsOfBothSides(t *testing.T) {
	s := taught(t, 20, true).Strategy()
	for _, c := range []struct {
		b    consensus.Ballots
		want string
	}{
		{
			said("ada", "no", "bo", "yes", "cy", "yes"),
			`"ada" was right in 19 of 20 known outcomes, the 2 against were right in 20 of 40 known outcomes`,
		},
		{said("ada", "yes", "bo", "yes", "cy", "no"), `"cy" was right in 10 of 20 known outcomes`},
		{said("ada", "yes", "bo", "yes", "cy", "yes"), ""},
	} {
		if got := s.Decide(c.b).Because; got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	unknown := taught(t, 20, false).Strategy().Decide(said("ada", "yes", "bo", "yes", "cy", "no"))
	if want := `"cy" was with most of the others in `; !strings.HasPrefix(unknown.Because, want) {
		t.Errorf("got %s, want %s…", unknown.Because, want)
	}
	whole := s.Decide(said("ada", "yes", "bo", "yes", "cy", "no")).Reason()
	if want := `2 of 3 agree with "yes"; "cy" was right in 10 of 20 known outcomes; a support of `; !strings.HasPrefix(whole, want) {
		t.Errorf("got %s, want %s…", whole, want)
	}
	for _, word := range []string{"told", "apart", "rival", "fits as well"} {
		if strings.Contains(unknown.Because, word) {
			t.Errorf("%q says %q", unknown.Because, word)
		}
	}
}

// colluders are half of twenty voters who agree on one wrong answer in every decision.
func colluders(t *testing.T, every int) *reliability.Ledger {
	t.Helper()
	r, l := rand.New(rand.NewPCG(9, 9)), new(reliability.Ledger)
	for i := range 120 {
		truth, votes := r.IntN(4), []string{}
		for j := range 20 {
			x := truth
			if j >= 10 {
				x = (truth + 1) % 4
			} else if r.Float64() > 0.8 {
				x = r.IntN(4)
			}
			votes = append(votes, fmt.Sprint("v", j), fmt.Sprint(x))
		}
		observe(t, l, fmt.Sprint(i), said(votes...))
		if every > 0 && i%every == 0 {
			resolve(t, l, fmt.Sprint(i), fmt.Sprint(truth))
		}
	}
	return l
}

func TestAConsensusOfColludersIsNeverSure(t *testing.T) {
	votes := []string{}
	for j := range 20 {
		votes = append(votes, fmt.Sprint("v", j), fmt.Sprint(min(1, j/10)))
	}
	l := colluders(t, 0)
	reason, size := several(l).Doubt()
	if d := l.Strategy().Decide(said(votes...)); reason == "" || size < 0.1 || d.Confidence >= 0.95 || d.Note != reason {
		t.Errorf("%v, doubt %v: %s", d, size, reason)
	}
	known := colluders(t, 4)
	if d := known.Strategy().Decide(said(votes...)); d.Choice != "0" {
		t.Errorf("with outcomes: %v", d)
	}
}

func TestDecisionsKeptOpenByDoubtAreUncertified(t *testing.T) {
	s := reliability.Strategy{Model: several(colluders(t, 0))}
	for n := 10; n < 20; n++ {
		votes := []string{}
		for j := 20 - n; j < 20; j++ {
			votes = append(votes, fmt.Sprint("v", j), fmt.Sprint(min(1, j/10)))
		}
		d := s.Decide(said(votes...))
		if d.Outcome == consensus.Deadlocked && d.Support > 0.6 {
			t.Errorf("%v, want uncertified where doubt alone keeps it open", d)
		}
	}
}

// Eighteen agents of one model against two of another stay open until outcomes are known.
func TestAStatedGroupThatIsMostVotersDoesNotDecideAlone(t *testing.T) {
	o := &consensus.Options{Groups: map[string]string{}}
	c := camp{voters: 20, proposals: 2}
	for j := range 20 {
		o.Groups[fmt.Sprint("voter ", j)] = []string{"one model", "another"}[j/18]
	}
	against := func() consensus.Ballots {
		var votes []consensus.Vote
		for j := range 20 {
			votes = append(votes, agree(fmt.Sprint("voter ", j), fmt.Sprint("proposal ", j/18)))
		}
		return closed(o, []string{"proposal 0", "proposal 1"}, votes)
	}
	l := new(reliability.Ledger)
	for i := range 60 {
		if d := l.Strategy().Decide(against()); d.Outcome != consensus.Deadlocked {
			t.Fatalf("after %d decisions: %v", i, d)
		}
		b := c.ballots(nil, o)
		if i%3 == 0 {
			b = against()
		}
		observe(t, l, fmt.Sprint(i), b)
	}
	if d := l.Strategy().Decide(against()); !strings.Contains(d.Note, "one group") {
		t.Errorf("%v does not say why", d)
	}
	for i := range 60 {
		resolve(t, l, fmt.Sprint(i), "proposal 0")
	}
	if d := l.Strategy().Decide(against()); d.Choice != "proposal 0" {
		t.Errorf("with outcomes: %v", d)
	}
}

func TestALearnedDecisionIsSettledOnceAClearMajorityCannotBeLost(t *testing.T) {
	l, c := new(reliability.Ledger), camp{voters: 10, minorities: 2, proposals: 3, noise: 0.1}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		observe(t, l, "", c.ballots(r, nil))
	}
	s := l.Strategy()
	for n := 1; n <= 10; n++ {
		var votes []consensus.Vote
		var left []string
		for j := range 10 {
			if j < n {
				votes = append(votes, agree(fmt.Sprint("voter ", j), "proposal 0"))
			} else {
				left = append(left, fmt.Sprint("voter ", j))
			}
		}
		b, err := consensus.NewBallots(nil, []string{"proposal 0", "proposal 1"}, votes)
		if err != nil {
			t.Fatal(err)
		}
		got := consensus.Settled(s, b, consensus.Left{Voters: append([]string{}, left...)})
		if want := n >= 8; got != want {
			t.Errorf("%d of 10 agree: settled %v, want %v", n, got, want)
		}
		for range 30 { // nothing that may come changes what is settled
			more := slices.Clone(votes)
			for _, name := range left {
				v := agree(name, fmt.Sprint("proposal ", r.IntN(2)))
				v.Stance = []consensus.Stance{consensus.Agree, consensus.Disagree}[r.IntN(2)]
				more = append(more, v)
			}
			if d := s.Decide(closed(nil, []string{"proposal 0", "proposal 1"}, more)); got && d.Choice != "proposal 0" {
				t.Errorf("settled, but then %v", d)
			}
		}
	}
}

func TestALearnedRejectionIsNotSettledWhileAProposalMayBeMade(t *testing.T) {
	l, c := new(reliability.Ledger), camp{voters: 10, minorities: 2, proposals: 3, noise: 0.1}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		observe(t, l, "", c.ballots(r, nil))
	}
	var votes []consensus.Vote
	for j := range 10 {
		for p := range 2 {
			v := agree(fmt.Sprint("voter ", j), fmt.Sprint("proposal ", p))
			v.Stance = consensus.Disagree
			votes = append(votes, v)
		}
	}
	b, err := consensus.NewBallots(nil, []string{"proposal 0", "proposal 1"}, votes)
	if err != nil {
		t.Fatal(err)
	}
	for more, want := range map[int]bool{0: true, 1: false} {
		if got := consensus.Settled(l.Strategy(), b, consensus.Left{Voters: []string{}, Proposals: more}); got != want {
			t.Errorf("all are rejected and %d may be made: settled %v, want %v", more, got, want)
		}
	}
}

func TestTheNextVoterIsTheMostInformative(t *testing.T) {
	all := history(150, []float64{0.6, 0.95, 0.7, 0.03, 0.55}, []string{"a", "b"}, 8)
	m := several(learn(t, nil, all, 1))
	rest := []string{"voter 0", "voter 1", "voter 2", "voter 4"}
	if got := m.Next(said("voter 3", "a"), rest, nil); got != "voter 1" {
		t.Errorf("asks %s, want the best", got)
	}
	if got := m.Next(consensus.Ballots{}, []string{"voter 0", "voter 3", "voter 4"}, nil); got != "voter 3" {
		t.Errorf("asks %s, want the one who is nearly always wrong", got)
	}
	if got := m.Next(consensus.Ballots{}, rest, func(v string) float64 { return map[string]float64{"voter 1": 50}[v] + 1 }); got != "voter 2" {
		t.Errorf("asks %s, want what tells most for its cost", got)
	}
	if got := m.Next(consensus.Ballots{}, nil, nil); got != "" {
		t.Errorf("asks %q of nobody", got)
	}
}

func TestEnoughIsEnough(t *testing.T) {
	all := history(150, []float64{0.95, 0.6, 0.6, 0.55, 0.55}, []string{"a", "b"}, 8)
	m := several(learn(t, nil, all, 1))
	weak := []string{"voter 3", "voter 4"}
	for _, c := range []struct {
		b    consensus.Ballots
		rest []string
		want bool
	}{
		{consensus.Ballots{}, weak, false},
		{said("voter 1", "a", "voter 2", "b"), []string{"voter 0"}, false},
		{said("voter 0", "a", "voter 1", "a", "voter 2", "a"), weak, true},
		{said("voter 1", "a"), nil, true},
	} {
		if got := m.Enough(c.b, c.rest, reliability.Stop{}); got != c.want {
			t.Errorf("%v with %v left: enough %v, want %v", c.b.Tallies(), c.rest, got, c.want)
		}
	}
	if m.Enough(said("voter 0", "a"), weak, reliability.Stop{Sure: 0.99999, Worth: 1e-9}) {
		t.Error("enough, although any vote is worth asking for")
	}
}

func TestSingleProposalsHaveTheirOwnModel(t *testing.T) {
	r, l := rand.New(rand.NewPCG(5, 1)), new(reliability.Ledger)
	right := []float64{0.95, 0.7, 0.7, 0.6, 0.6}
	decide := func(i int) (consensus.Ballots, bool) {
		truth, votes := r.IntN(2) == 0, []consensus.Vote{}
		for j, p := range right {
			v := agree(fmt.Sprint("v", j), "it")
			if truth != (r.Float64() < p) {
				v.Stance = consensus.Disagree
			}
			votes = append(votes, v)
		}
		return closed(nil, []string{"it"}, votes), truth
	}
	decided, correct := 0, 0
	for i := range 200 {
		b, truth := decide(i)
		if d := l.Strategy().Decide(b); i >= 100 {
			if d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected {
				decided++
				if truth == (d.Outcome == consensus.Reached) {
					correct++
				}
			}
		}
		observe(t, l, fmt.Sprint(i), b)
		if i%2 == 0 {
			resolve(t, l, fmt.Sprint(i), map[bool]string{true: "it"}[truth])
		}
	}
	if decided < 70 || float64(correct) < 0.85*float64(decided) {
		t.Errorf("%d of 100 decided, %d right", decided, correct)
	}
	_, one := l.Models()
	if x, ok := one.Reliability("v0", 1); !ok || x.Sensitivity < 0.85 || x.Specificity < 0.85 {
		t.Errorf("%+v", x)
	}
}

func TestDecisionsOnOtherProposalsAreDecidedByVotesAlone(t *testing.T) {
	l := ledger(t, &reliability.Options{Choices: []string{"yes", "no"}})
	for i := range 30 {
		b, right := trio(i)
		observe(t, l, fmt.Sprint(i), b)
		resolve(t, l, fmt.Sprint(i), right)
	}
	b := said("ada", "maybe", "bo", "never", "cy", "never")
	got, none := several(l).Probabilities(b)
	want, other := new(reliability.Ledger), 0.0
	p, other := several(want).Probabilities(b)
	if !slices.Equal(got, p) || none != other {
		t.Errorf("%v %v, want %v %v", got, none, p, other)
	}
}
