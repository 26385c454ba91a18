package reliability

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// kinds returns options for each kind of decision that a world can draw.
func kinds(choices int) map[string]*Options {
	return map[string]*Options{"own": nil, "choices": {Choices: letters(choices)}, "stances": {Stances: true}}
}

func TestLearnedBeatsMajority(t *testing.T) {
	measures(t)
	for name, o := range kinds(3) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(1, 3, even(9, 0.97, 0.35)...)
			b := newBook(o)
			w.fill(b, 400, 0)
			got, _ := w.score(Strategy{b.Model()}, 400)
			want, _ := w.score(consensus.Voting{}, 400)
			if got < want+0.02 {
				t.Errorf("right in %.3f, voting in %.3f", got, want)
			}
		})
	}
}

func TestConfidenceIsTheShareRight(t *testing.T) {
	measures(t)
	for name, o := range map[string]*Options{"own": nil, "choices": {Choices: letters(3)}} {
		for _, every := range []int{0, 3} {
			t.Run(fmt.Sprint(name, every), func(t *testing.T) {
				w := newWorld(2, 3, even(7, 0.85, 0.45)...)
				b := newBook(o)
				w.fill(b, 300, every)
				right, confidence := w.score(Strategy{b.Model()}, 1000)
				below := 0.2 // without outcomes it stays below, because of the residual correlation
				if every > 0 {
					below = 0.05
				}
				if confidence > right+0.03 || confidence < right-below {
					t.Errorf("right in %.3f with a confidence of %.3f", right, confidence)
				}
			})
		}
	}
}

func TestOutcomesAnchorWhatAgreementGetsWrong(t *testing.T) {
	for name, o := range kinds(2) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(3, 2, even(7, 0.9, 0.9)...)
			w.liars = 4
			b := newBook(o)
			w.fill(b, 200, 2)
			if got, _ := w.score(Strategy{b.Model()}, 200); got < 0.95 {
				t.Errorf("right in %.3f although four liars of seven are known by outcomes", got)
			}
		})
	}
}

func TestSensitivityAndSpecificityOfVotersWhoLeanToYes(t *testing.T) {
	// All voters agree with right proposals, and often with wrong ones; three in ten proposals are right.
	w := newWorld(4, 2)
	b := newBook(&Options{Stances: true})
	decide := func() (consensus.Ballots, bool) {
		good := w.Float64() < 0.3
		var cast []consensus.Vote
		for j := range 9 {
			v := vote(j, "p")
			if p := []float64{0.4, 0.9}[map[bool]int{false: 0, true: 1}[good]]; w.Float64() > p {
				v.Stance = consensus.Disagree
			}
			cast = append(cast, v)
		}
		ballots, _ := consensus.NewBallots(nil, []string{"p"}, cast)
		return ballots, good
	}
	for range 400 {
		ballots, _ := decide()
		if err := b.Observe("", ballots); err != nil {
			t.Fatal(err)
		}
	}
	m, hits, plain := b.Model(), 0, 0
	for range 300 {
		ballots, good := decide()
		each, _ := m.Probabilities(ballots)
		if each[0] > 0.5 == good {
			hits++
		}
		if tally := ballots.Tallies()[0]; tally.Agree > tally.Disagree == good {
			plain++
		}
	}
	if hits < 255 || hits < plain+20 {
		t.Errorf("right in %d of 300, majority in %d", hits, plain)
	}
	if r, _ := m.Reliability("v0", 1); r.Sensitivity < r.Specificity+0.1 {
		t.Errorf("learned %+v of a voter with 0.9 and 0.6", r)
	}
}

func TestNewcomersAreAverage(t *testing.T) {
	w := newWorld(5, 2, even(8, 0.95, 0.65)...)
	b := newBook(&Options{Choices: letters(2)})
	w.fill(b, 300, 0)
	m := b.Model()
	p := func(voter string) float64 {
		v := vote(0, "a")
		v.Voter = voter
		ballots, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{v})
		each, _ := m.Probabilities(ballots)
		return each[0]
	}
	if !(p("v0") > p("nobody") && p("nobody") > p("v7")) {
		t.Errorf("one vote says %.3f by the best, %.3f by a newcomer, %.3f by the worst", p("v0"), p("nobody"), p("v7"))
	}
	if _, ok := m.Reliability("nobody", 2); ok {
		t.Error("something is known of a newcomer")
	}
	if got := len(m.Voters()); got != 8 {
		t.Errorf("%d voters are known, want 8", got)
	}
}

func TestBookLearnsWhenItIsDue(t *testing.T) {
	w := newWorld(6, 2, even(5, 0.9, 0.7)...)
	b := newBook(nil)
	first := b.Model()
	if first != b.Model() {
		t.Error("an empty book learned something")
	}
	w.fill(b, 19, 0)
	if b.Model() != first {
		t.Error("learned from 19 decisions")
	}
	w.fill(b, 1, 0)
	m := b.Model()
	if m == first {
		t.Fatal("learned nothing from 20 decisions")
	}
	w.fill(b, 3, 0)
	if b.Model() != m {
		t.Error("learned again at 23 decisions")
	}
	w.fill(b, 1, 0)
	if b.Model() == m {
		t.Error("learned nothing more at 24 decisions")
	}
}

func TestBookKeepsAWindow(t *testing.T) {
	w := newWorld(7, 3, even(5, 0.95, 0.5)...)
	b := newBook(&Options{Window: 100})
	w.fill(b, 320, 4)
	if n := b.Len(); n > 100 || n < 75 {
		t.Errorf("holds %d decisions, want 75 to 100", n)
	}
	if got, want := b.batch.size(), b.Len(); got != want {
		t.Errorf("holds votes of %d decisions of %d", got, want)
	}
	for id, i := range b.index {
		if b.decisions[i].ID != id {
			t.Errorf("decision %q is found as %q", id, b.decisions[i].ID)
		}
	}
	if got, _ := w.score(Strategy{b.Model()}, 200); got < 0.85 {
		t.Errorf("right in %.3f after older decisions were dropped", got)
	}
}

func TestBookRefuses(t *testing.T) {
	ab, _ := consensus.NewBallots(nil, []string{"a", "z"}, []consensus.Vote{vote(0, "a")})
	choices := newBook(&Options{Choices: letters(2)})
	own := newBook(nil)
	if err := own.Observe("x", ab); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"a foreign choice":  choices.Observe("x", ab),
		"a name twice":      own.Observe("x", ab),
		"an unknown name":   own.Resolve("y", "a"),
		"no name":           own.Resolve("", "a"),
		"one choice":        (&Options{Choices: []string{"a"}}).Validate(),
		"a choice twice":    (&Options{Choices: []string{"a", "a"}}).Validate(),
		"a negative window": (&Options{Window: -1}).Validate(),
		"no number":         (&Options{Weight: math.NaN()}).Validate(),
		"two kinds":         (&Options{Choices: letters(2), Stances: true}).Validate(),
	} {
		var field *consensus.FieldError
		if !errors.As(err, &field) {
			t.Errorf("%s: got %v, want a FieldError", what, err)
		}
	}
	if own.Len() != 1 || choices.Len() != 0 {
		t.Errorf("hold %d and %d decisions, want 1 and 0", own.Len(), choices.Len())
	}
}

func TestResolveAgainCounts(t *testing.T) {
	for name, o := range kinds(2) {
		b := newBook(o)
		ballots, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "b")})
		if err := b.Observe("x", ballots); err != nil {
			t.Fatal(err)
		}
		for _, right := range []string{"a", "b"} {
			if err := b.Resolve("x", right); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string][]int32{"own": {1}, "choices": {1}, "stances": {1, 0}}[name]
		if !slices.Equal(b.batch.Known, want) {
			t.Errorf("%s: outcomes %v, want %v", name, b.batch.Known, want)
		}
		if o == nil {
			if err := b.Resolve("x", ""); err != nil || b.batch.Known[0] != 2 {
				t.Errorf("outcome %v of none of these, error %v", b.batch.Known, err)
			}
		}
	}
}

func TestSavedModelStays(t *testing.T) {
	w := newWorld(8, 3, even(6, 0.9, 0.5)...)
	b := newBook(nil)
	w.fill(b, 60, 0)
	m := b.Model()
	ballots, _ := w.decision(nil)
	before, _ := m.Probabilities(ballots)
	w.fill(b, 200, 2)
	b.Learn()
	if after, _ := m.Probabilities(ballots); !slices.Equal(before, after) {
		t.Errorf("a model that was returned before says %v, then said %v", after, before)
	}
}

func TestNoneOfTheseMayBeRight(t *testing.T) {
	w := newWorld(9, 2, even(7, 0.92, 0.6)...)
	ask := func() (consensus.Ballots, bool) {
		good := w.IntN(2) == 0
		var cast []consensus.Vote
		for j, p := range w.right {
			v := vote(j, "a")
			if (w.Float64() < p) != good {
				v.Stance = consensus.Disagree
			}
			cast = append(cast, v)
		}
		b, _ := consensus.NewBallots(nil, []string{"a"}, cast)
		return b, good
	}
	for _, outcomes := range []bool{false, true} {
		b := newBook(nil)
		for i := range 200 {
			ballots, good := ask()
			if err := observe(b, fmt.Sprint(i), ballots, map[bool]string{true: "a"}[good], outcomes); err != nil {
				t.Fatal(err)
			}
		}
		m, hits := b.Learn(), 0
		for range 200 {
			ballots, good := ask()
			if each, none := m.Probabilities(ballots); each[0] > none == good {
				hits++
			}
		}
		if hits < 180 {
			t.Errorf("outcomes %v: right in %d of 200", outcomes, hits)
		}
		if best, _ := m.Reliability("v0", 1); best.Sensitivity < 0.8 {
			t.Errorf("outcomes %v: the best voter has %+v", outcomes, best)
		}
	}
}

func TestNewcomersAreAsReliableAsTheOthers(t *testing.T) {
	measures(t)
	for name, o := range kinds(3) {
		w := newWorld(10, 3, even(20, 0.98, 0.9)...)
		b := newBook(o)
		w.fill(b, 200, 2)
		p := b.Model().params
		mean := 0.0
		for _, u := range p.Base[:20] {
			mean += u / 20
		}
		if got := p.Base[20]; math.Abs(got-mean) > 0.3*math.Abs(mean-1)+0.1 {
			t.Errorf("%s: a newcomer has log-odds of %.2f, others %.2f", name, got, mean)
		}
	}
}
