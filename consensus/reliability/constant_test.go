package reliability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestConstantVotersAreThoseWhoHardlyEverNameAnotherAnswer(t *testing.T) {
	for _, c := range []struct {
		name      string
		decisions [][]string // what v0, v1 and v2 say
		want      []string
	}{
		{"one who always names a", slices.Repeat([][]string{{"a", "a", "b"}, {"a", "b", "c"}, {"a", "c", "a"}}, 5), []string{"a", "", ""}},
		{"too few decisions to tell", slices.Repeat([][]string{{"a", "a", "b"}, {"a", "b", "c"}}, 2), nil},
		{"another answer now and then", slices.Concat(
			slices.Repeat([][]string{{"a", "a", "b"}, {"a", "b", "c"}, {"a", "c", "a"}}, 11), [][]string{{"b", "c", "a"}},
		), []string{"a", "", ""}},
		{"another answer a tenth as often as the others", slices.Concat(
			slices.Repeat([][]string{{"a", "a", "b"}, {"a", "b", "c"}, {"a", "c", "a"}}, 11), slices.Repeat([][]string{{"b", "c", "a"}}, 3),
		), nil},
		{"everybody", slices.Repeat([][]string{{"a", "a", "a"}}, 30), nil},
		{"an answer that is nearly always right", slices.Concat(slices.Repeat([][]string{{"a", "a", "a"}}, 27), slices.Repeat([][]string{{"a", "b", "b"}}, 3)), nil},
		{"two who name different ones", slices.Repeat([][]string{{"a", "c", "b"}, {"a", "c", "c"}, {"a", "c", "a"}}, 5), []string{"a", "c", ""}},
	} {
		b := newBook(&Options{Choices: letters(3)})
		for _, says := range c.decisions {
			var cast []consensus.Vote
			for j, said := range says {
				cast = append(cast, vote(j, said))
			}
			if err := b.Observe("", between(t, letters(3), cast...)); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, c := range b.batch.constant() {
			got = append(got, append(letters(3), "")[(c+4)%4])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: constant %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAgentsWhoNameProposalsAfterThemselvesAreNotConstant(t *testing.T) {
	b := newBook(nil)
	for range 40 {
		if err := b.Observe("", saidBy(t, vote(0, "a"), vote(1, "b"), vote(2, "a"))); err != nil {
			t.Fatal(err)
		}
		if err := b.Observe("", saidBy(t, vote(0, "a"), vote(1, "b"), vote(2, "c"))); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.batch.constant(); got != nil {
		t.Errorf("constant %v, want nobody", got)
	}
}

func TestNobodyIsConstantWithStances(t *testing.T) {
	b := newBook(&Options{Stances: true})
	for i := range 40 {
		cast := []consensus.Vote{vote(0, "a"), vote(1, "a"), vote(2, "a")}
		cast[1+i%2].Stance = consensus.Disagree
		if err := b.Observe("", between(t, letters(1), cast...)); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.batch.constant(); got != nil {
		t.Errorf("constant %v, want nobody", got)
	}
}

func TestAConstantVoterIsRightByChance(t *testing.T) {
	b := newBook(&Options{Choices: letters(4)})
	w := newWorld(6, 4, even(5, 0.9, 0.6)...)
	w.constant = 1
	for range 60 {
		ballots, _, _ := w.sparse(t, 5)
		if err := b.Observe("", ballots); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	if r, ok := m.Reliability("v4", 3); !ok || math.Abs(r.Sensitivity-0.25) > 1e-9 || math.Abs(r.Specificity-0.75) > 1e-9 {
		t.Errorf("reliability %v, %v, want that of chance among four choices", r, ok)
	}
	with, _ := m.Probabilities(between(t, w.choices, vote(0, "b"), vote(4, "a")))
	other, _ := m.Probabilities(between(t, w.choices, vote(0, "b"), vote(4, "c")))
	if with[0] > 0.2 || other[2] < with[0] {
		t.Errorf("a, which it always names, has %.2f, and c %.2f", with[0], other[2])
	}
	for _, s := range m.Structures(between(t, w.choices, vote(0, "b"), vote(4, "a"))) {
		if s.Name == "peers" && s.Each[0] < 0.1 {
			t.Errorf("peers give the answer of the constant voter %.2f, want an average vote", s.Each[0])
		}
	}
	if s := m.Structures(between(t, []string{"x", "y"}, vote(0, "y"), vote(4, "x")))[0]; s.Each[0] < 0.2 {
		t.Errorf("between other proposals, %s give its answer %.2f, want a vote", s.Name, s.Each[0])
	}
	open := between(t, w.choices, vote(0, "b"))
	if who := m.Next(open, []string{"v4", "v3"}, nil); who != "v3" {
		t.Errorf("asks %s, want v3, whose vote is not known beforehand", who)
	}
	weak := between(t, w.choices, vote(3, "b"))
	if !m.Enough(weak, []string{"v4"}, Stop{}) || m.Enough(weak, []string{"v0"}, Stop{}) {
		t.Error("would ask the constant voter, or not ask a better one")
	}
}

func TestConstantVotersDoNoHarm(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		name                      string
		choices, voters, constant int
		votes                     int
		best, worst               float64
		decisions, draws          int
	}{
		{"a crowd with two choices", 2, 20, 6, 5, 0.9, 0.6, 200, 6},
		{"a crowd with four choices", 4, 40, 12, 6, 0.8, 0.5, 200, 3},
		{"after sixty decisions", 4, 40, 12, 6, 0.8, 0.5, 60, 6},
		{"half of the crowd", 4, 40, 20, 6, 0.8, 0.5, 200, 3},
		{"one of three", 6, 3, 1, 3, 0.7, 0.55, 100, 16},
		{"two of five", 2, 5, 2, 5, 0.85, 0.6, 100, 16},
	} {
		plurality, right := 0.0, 0.0
		for seed := range uint64(c.draws) {
			w := newWorld(7700+seed, c.choices, even(c.voters-c.constant, c.best, c.worst)...)
			w.right = append(w.right, make([]float64, c.constant)...)
			w.constant = c.constant
			p, r := w.learnsFrom(t, c.decisions, func() (consensus.Ballots, []int, string) { return w.sparse(t, c.votes) })
			plurality, right = plurality+p/float64(c.draws), right+r/float64(c.draws)
		}
		leastGain(t, c.name, plurality, right, -0.01)
	}
}

func TestAGoodVoterIsNotConstantWhereOneAnswerIsUsuallyRight(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	b := newBook(&Options{Choices: letters(2)})
	for range 200 {
		truth := 0
		if r.Float64() > 0.9 {
			truth = 1
		}
		var cast []consensus.Vote
		for j, p := range []float64{0.97, 0.65, 0.65, 0.65, 0.65} {
			said := truth
			if r.Float64() > p {
				said = 1 - truth
			}
			cast = append(cast, vote(j, letters(2)[said]))
		}
		if err := b.Observe("", between(t, letters(2), cast...)); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.batch.constant(); got != nil {
		t.Errorf("constant %v, want nobody", got)
	}
}

func TestASingleVoterIsNotConstant(t *testing.T) {
	b := newBook(&Options{Choices: letters(3)})
	for i := range 30 {
		if err := observe(b, fmt.Sprint(i), between(t, letters(3), vote(0, "a")), "a", true); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := b.Learn().Reliability("v0", 3)
	if got := b.batch.constant(); got != nil || r.Sensitivity < 0.6 {
		t.Errorf("constant %v, reliability %.2f, want a voter who was always right", got, r.Sensitivity)
	}
}

func TestVotesOfConstantVotersDoNotChangeWhomToAsk(t *testing.T) {
	b := newBook(&Options{Choices: letters(3)})
	w := newWorld(8, 3, even(10, 0.9, 0.4)...)
	w.constant = 4
	for range 60 {
		ballots, _, _ := w.sparse(t, 6)
		if err := b.Observe("", ballots); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	m.params.Corr = &correlation{Voters: 10, Pooled: 0.2}
	alone := between(t, letters(3), vote(3, "b"))
	beside := between(t, letters(3), vote(3, "b"), vote(6, "a"), vote(7, "a"), vote(8, "a"), vote(9, "a"))
	for dear := 1.0; dear < 4; dear += 0.2 {
		cost := func(voter string) float64 {
			if voter == "v0" {
				return dear
			}
			return 1
		}
		rest := []string{"v0", "v5"}
		if got, want := m.Next(beside, rest, cost), m.Next(alone, rest, cost); got != want {
			t.Errorf("asks %s, and %s before the votes of constant voters, at a cost of %.1f", got, want, dear)
		}
	}
	if got := m.read(beside).asking(0).votes; got != 1 {
		t.Errorf("%v votes count, want one", got)
	}
	if got := m.read(between(t, letters(3), vote(3, "b"), vote(9, "c"))).asking(0).votes; got != 2 {
		t.Errorf("%v votes count, want also that of a constant voter for another choice", got)
	}
}

func TestAConstantVoterIsRightByChanceHoweverSure(t *testing.T) {
	m := equals(2)
	m.params.Constant = []int32{0, -1}
	if got, ok := m.Calibrated("v0", 0.9, 2); !ok || math.Abs(got-1.0/3) > 1e-9 {
		t.Errorf("right in %v, %v, want a third", got, ok)
	}
	if got, _ := m.Calibrated("v1", 0.9, 2); got < 0.7 {
		t.Errorf("the other is right in %v", got)
	}
}
