package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

func newLedger(t testing.TB, o *Options) *Ledger {
	t.Helper()
	l, err := NewLedger(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// approval is a decision on one proposal, which is right half of the time: bias of the voters say yes to
// what they know to be wrong.
func (w *world) approval(bias float64) (consensus.Ballots, string) {
	right := "a"
	if w.IntN(2) == 0 {
		right = ""
	}
	var cast []consensus.Vote
	for j, p := range w.right {
		v := vote(j, "a")
		yes := right == "a"
		if w.Float64() > p {
			yes = !yes
		}
		if !yes && w.Float64() > bias {
			v.Stance = consensus.Disagree
		}
		cast = append(cast, v)
	}
	b, err := consensus.NewBallots(nil, []string{"a"}, cast)
	if err != nil {
		panic(err)
	}
	return b, right
}

// show observes n decisions of each kind.
func (w *world) show(t testing.TB, l *Ledger, n, every int) {
	t.Helper()
	for i := range n {
		for _, draw := range []func() (consensus.Ballots, string){
			func() (consensus.Ballots, string) { return w.decision(nil) },
			func() (consensus.Ballots, string) { return w.approval(0.2) },
		} {
			b, right := draw()
			if err := observe(l, fmt.Sprint(w.Uint64()), b, right, nth(i, every)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestDefaultIsConfidenceWeightedUntilSomethingIsLearned(t *testing.T) {
	w := newWorld(81, 3, even(5, 0.9, 0.6)...)
	var l Ledger
	for i := range 20 {
		if s := l.Strategy(); s.Name() != consensus.Default().Name() {
			t.Fatalf("after %d decisions it is %s", i, s.Name())
		}
		b, _ := w.decision(nil)
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
	}
	if s := l.Strategy(); s.Name() != "default" {
		t.Errorf("after 20 decisions it is %s", s.Name())
	}
	// Of single proposals it knows nothing yet.
	b, _ := w.approval(0)
	got, want := l.Strategy().Decide(b), consensus.Default().Decide(b)
	want.Strategy = "default"
	if !got.Equal(want) {
		t.Errorf("on one proposal: %v, want %v", got, want)
	}
}

func TestDefaultUsesTheModelOfThatKindOfDecision(t *testing.T) {
	w := newWorld(82, 3, even(6, 0.9, 0.5)...)
	l := newLedger(t, nil)
	w.show(t, l, 60, 0)
	several, one := l.Models()
	for range 50 {
		b, _ := w.decision(nil)
		if spokenOn(b) < 2 {
			continue
		}
		got, want := l.Strategy().Decide(b), Strategy{several}.Decide(b)
		if want.Strategy = "default"; !got.Equal(want) {
			t.Fatalf("between several: %v, want %v", got, want)
		}
		b, _ = w.approval(0.2)
		known := b.WithReliabilities(one).WithCorrelation(b.Correlation() * one.params.Crowd).WithPrior(math.Exp(one.params.Prior[0]))
		got, want = l.Strategy().Decide(b), consensus.Bayesian{}.Decide(known)
		if want.Strategy, want.Because = "default", got.Because; !got.Equal(want) {
			t.Fatalf("on one: %v, want %v", got, want)
		}
	}
}

func TestDefaultKeepsTheRules(t *testing.T) {
	words := []string{"one", "two", "three"} // the suite's letters mean nothing to a ledger
	for name, o := range map[string]*Options{"own": nil, "choices": {Choices: words}, "stances": {Stances: true}} {
		w := newWorld(83, 3, even(7, 0.9, 0.6)...)
		w.choices = words
		l := newLedger(t, o)
		for range 100 {
			b, _ := w.decision(nil)
			if o == nil || !o.Stances {
				if err := l.Observe("", b); err != nil {
					t.Fatal(err)
				}
			}
			if b, _ = w.approval(0.2); o == nil || o.Choices == nil {
				if err := l.Observe("", b); err != nil {
					t.Fatal(err)
				}
			}
		}
		s := renamed{l.Strategy().(configuration)}
		t.Run(name, func(t *testing.T) {
			except := []consensustest.Exception{{
				Rule: "confidence", Because: "it knows more of the voters than the ballots do that it is handed",
			}}
			if name != "choices" {
				except = append(except, consensustest.Exception{
					Rule: "coins", Because: "how often proposals were right counts where the votes on one say nothing",
				})
			}
			consensustest.TestStrategy(t, s, 1, except...)
		})
	}
}

// renamed lets the suite's voters be strangers: its v0 is none of the world's.
type renamed struct{ configuration }

func (r renamed) Decide(b consensus.Ballots) consensus.Decision {
	c := r.configuration
	for _, m := range []**Model{&c.several, &c.one} {
		if *m != nil {
			strangers := **m
			strangers.voters = map[string]int32{}
			*m = &strangers
		}
	}
	return c.Decide(b)
}

func TestAStrategyIsASnapshot(t *testing.T) {
	w := newWorld(84, 3, even(6, 0.9, 0.5)...)
	l := newLedger(t, nil)
	w.show(t, l, 40, 3)
	var polls []consensus.Ballots
	for range 20 {
		x, _ := w.decision(nil)
		y, _ := w.approval(0.2)
		polls = append(polls, x, y)
	}
	before := l.Strategy()
	var want []consensus.Decision
	for _, b := range polls {
		want = append(want, before.Decide(b))
	}
	slices.Reverse(w.right)
	w.show(t, l, 200, 2)
	changed := 0
	for i, b := range polls {
		if got := before.Decide(b); !got.Equal(want[i]) {
			t.Fatalf("the snapshot now says %v, said %v", got, want[i])
		}
		if !l.Strategy().Decide(b).Equal(want[i]) {
			changed++
		}
	}
	if changed == 0 {
		t.Error("nothing was learned in between")
	}
}

func TestLedgerTakesADecisionOnceAndResolvesItInBothBooks(t *testing.T) {
	w := newWorld(85, 3, even(4, 0.9, 0.6)...)
	l := newLedger(t, nil)
	for i := range 30 {
		b, _ := w.approval(0)
		if err := l.Observe(fmt.Sprint(i), b); err != nil {
			t.Fatal(err)
		}
	}
	b, _ := w.approval(0)
	var fe *consensus.FieldError
	if err := l.Observe("3", b); !errors.As(err, &fe) || fe.Field != "id" {
		t.Errorf("observed twice: error %v", err)
	}
	none, _ := consensus.NewBallots(nil, []string{"a"}, nil)
	if err := l.Observe("silent", none); !errors.As(err, &fe) || fe.Field != "ballots" {
		t.Errorf("nobody spoke: error %v", err)
	}
	if l.Len() != 30 || l.several.Len() != 30 || l.one.Len() != 30 {
		t.Errorf("%d decisions, in the books %d and %d, want 30", l.Len(), l.several.Len(), l.one.Len())
	}
	if err := l.Resolve("3", "a"); err != nil {
		t.Error(err)
	}
	if s, o := l.several.batch.known(), l.one.batch.known(); s != 1 || o != 1 {
		t.Errorf("outcomes in the books are %d and %d, want one each", s, o)
	}
	if err := l.Resolve("99", "a"); !errors.As(err, &fe) || fe.Field != "id" {
		t.Errorf("not observed: error %v", err)
	}
	if _, err := NewLedger(&Options{Window: -1}); !errors.As(err, &fe) {
		t.Errorf("bad options: error %v", err)
	}
}

// An id is in use even if only one of the books still holds it.
func TestLedgerRefusesAnIDThatOneBookHolds(t *testing.T) {
	w := newWorld(90, 3, even(4, 0.9, 0.6)...)
	l := newLedger(t, &Options{Window: 4})
	b, _ := w.approval(0)
	if err := l.Observe("x", b); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		b, _ := w.decision(nil)
		for spokenOn(b) < 2 {
			b, _ = w.decision(nil)
		}
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
	}
	if l.several.Holds("x") || !l.one.Holds("x") {
		t.Fatal("the books do not forget as this test assumes")
	}
	before := l.several.decisions
	if err := l.Observe("x", b); err == nil || len(l.several.decisions) != len(before) || l.several.Holds("x") {
		t.Errorf("error %v, and the decision is in one of the books", err)
	}
	if err := l.Resolve("x", "a"); err != nil {
		t.Errorf("a decision in one book cannot be resolved: %v", err)
	}
}

func TestLedgerOfOneKindKeepsOneBook(t *testing.T) {
	w := newWorld(86, 3, even(4, 0.9, 0.6)...)
	for name, o := range kinds(3) {
		l := newLedger(t, o)
		b, right := w.approval(0)
		for right != "a" {
			b, right = w.approval(0)
		}
		if err := l.Observe("x", b); err != nil {
			t.Fatal(err)
		}
		if err := l.Resolve("x", "a"); err != nil {
			t.Fatal(err)
		}
		got := [2]int{l.several.batch.known(), l.one.batch.known()}
		if want := map[string][2]int{"own": {1, 1}, "choices": {1, 0}}[name]; got != want && name != "stances" || name == "stances" && (got[0] != 0 || got[1] == 0) {
			t.Errorf("%s: outcomes in the books are %v", name, got)
		}
	}
	l := newLedger(t, kinds(3)["choices"])
	other, _ := consensus.NewBallots(nil, []string{"z"}, []consensus.Vote{vote(0, "z")})
	if err := l.Observe("z", other); err == nil || l.Len() != 0 {
		t.Errorf("%d decisions after one that is not between the choices: %v", l.Len(), err)
	}
}

func TestSensitivityAndSpecificitySeeThroughYesSayers(t *testing.T) {
	w := newWorld(87, 2, even(7, 0.9, 0.8)...)
	l := newLedger(t, nil)
	approve := func() (consensus.Ballots, string) { return w.approval(0.6) }
	for range 200 {
		b, _ := approve()
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
	}
	score := func(s consensus.Strategy) (right int) {
		for range 300 {
			b, truth := approve()
			if d := s.Decide(b.Close()); d.Support > d.None == (truth == "a") {
				right++
			}
		}
		return right
	}
	if got, want := score(l.Strategy()), score(consensus.Default()); got < want+30 {
		t.Errorf("%d of 300 right, and %d by weight: yes-sayers are not seen through", got, want)
	}
}

func TestWithoutACertificateNothingIsSure(t *testing.T) {
	w := newWorld(51, 4, even(10, 0.8, 0.7)...)
	w.liars = 5
	l := newLedger(t, &Options{Choices: letters(4)})
	for range 200 {
		b, _ := w.decision(nil)
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
	}
	several, _ := l.Models()
	why := several.Certificate().Reason()
	if several.Certificate().OK || why == "" {
		t.Fatalf("a camp of half the voters has %+v", several.Certificate())
	}
	s := l.Strategy()
	if l.Reliabilities() != nil {
		t.Error("named strategies get reliabilities that are in doubt")
	}
	for range 50 {
		b, _ := w.decision(nil)
		d := s.Decide(b)
		if !strings.Contains(d.Note, why) || !strings.Contains(d.String(), d.Note) {
			t.Errorf("%v with the note %q, want why it is in doubt", d, d.Note)
		}
		if d.Strategy != "default" || d.Confidence >= 0.95 {
			t.Errorf("%v is sure", d)
		}
	}
}

// Three voters in ten who agree on a wrong choice never get it chosen, whether or not anything is known of them.
func TestRoguesDoNotFlipADecision(t *testing.T) {
	for n := 3; n <= 10; n++ {
		w := newWorld(uint64(90+n), 3, even(n, 1, 1)...)
		w.liars = 3 * n / 10
		l := newLedger(t, nil)
		for i := range 60 {
			s := l.Strategy()
			b, truth := w.decision(nil)
			if d := s.Decide(b.Close()); d.Choice != truth {
				t.Fatalf("%d voters, %d rogues, decision %d by %s: %v, want %q", n, w.liars, i, s.Name(), d, truth)
			}
			if err := l.Observe("", b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLedgerIsSafeForConcurrentUse(t *testing.T) {
	l := new(Ledger)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			w := newWorld(uint64(i), 3, even(4, 0.9, 0.6)...)
			for n := range 10 {
				id := fmt.Sprint(i, "-", n)
				b, right := w.decision(nil)
				if err := errors.Join(l.Observe(id, b), l.Resolve(id, right)); err != nil {
					t.Error(err)
				}
				l.Strategy().Decide(b)
				if _, err := json.Marshal(l); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if l.Len() != 80 {
		t.Errorf("%d decisions, want 80", l.Len())
	}
}

func TestALedgerHasItsOwnCopyOfTheOptions(t *testing.T) {
	choices := letters(3)
	l := newLedger(t, &Options{Choices: choices, First: 7})
	choices[0] = "x"
	got := l.Options()
	if got.First != 7 || !slices.Equal(got.Choices, letters(3)) {
		t.Errorf("got %+v", got)
	}
	if got.Choices[1] = "y"; !slices.Equal(l.Options().Choices, letters(3)) {
		t.Error("who asks for the options changes them")
	}
	if zero := new(Ledger).Options(); zero.Choices != nil || zero.First != 0 {
		t.Errorf("the zero value has %+v", zero)
	}
}

func TestALedgerWithBooksOfOtherChoicesIsNotRestored(t *testing.T) {
	l := newLedger(t, &Options{Choices: letters(2)})
	saved, err := l.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(saved), `"choices":["a","b"]`, `"choices":["a","c"]`, 1)
	if err := new(Ledger).UnmarshalJSON([]byte(other)); other == string(saved) || err == nil {
		t.Errorf("restored with other choices than its book has: %.300s", other)
	}
}

func TestUndoneLearningOfOneProposalIsUndone(t *testing.T) {
	l := newLedger(t, nil)
	l.LearnWhenTold()
	for range 30 {
		yes, no := vote(0, "p"), vote(1, "p")
		no.Stance = consensus.Disagree
		if err := l.Observe("", between(t, []string{"p"}, yes, no, vote(2, "p"))); err != nil {
			t.Fatal(err)
		}
	}
	undo := l.Learn()
	if _, one := l.Models(); len(one.Voters()) != 3 {
		t.Fatalf("it knows %v", one.Voters())
	}
	undo()
	if _, one := l.Models(); len(one.Voters()) != 0 {
		t.Errorf("it still knows %v", one.Voters())
	}
}
