package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// onOne returns a decision on one proposal by three voters, the last of whom has the given stance.
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

func TestLearningUpdatesWhetherProposalsAreUnopposed(t *testing.T) {
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
			t.Errorf("told %v: after one of 101 decisions, without learning: %v, was %v", told, l.Strategy().Decide(asked), before)
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

func TestASmallWindowIsLearnedFrom(t *testing.T) {
	for _, o := range []Options{{Window: 1}, {Window: 5}, {Window: 10}, {Window: 19}, {Window: 20}, {Window: 30, First: 40}} {
		w := newWorld(72, 2, even(4, 0.9, 0.6)...)
		b := newBook(&o)
		for range 10 {
			w.fill(b, 7, 0) // so that it is hardly ever asked when the window is just full
			b.Model()
		}
		if n := len(b.Model().Voters()); n != 4 {
			t.Errorf("%d voters are known from windows of %d, want all four", n, o.Window)
		}
	}
	if first := (&Options{Window: 100, First: 30}).withDefaults().First; first != 30 {
		t.Errorf("the first lesson is at %d, want the 30 that a window of 100 has room for", first)
	}
}

func TestASavedBookWithASmallWindowIsLearnedFrom(t *testing.T) {
	w := newWorld(73, 2, even(4, 0.9, 0.6)...)
	b := newBook(&Options{Window: 10})
	b.o.First = 20 // as earlier versions did
	w.fill(b, 10, 0)
	_, again := restored(t, b)
	if n := len(again.Model().Voters()); n != 4 {
		t.Errorf("%d voters are known, want all four", n)
	}
}

func TestCorrectedOutcomesAreLearned(t *testing.T) {
	for _, o := range []*Options{nil, {Choices: letters(2)}} {
		w := newWorld(74, 2, 0.95, 0.6, 0.6)
		b := newBook(o)
		right := make([]string, 60)
		for i := range right {
			var ballots consensus.Ballots
			ballots, right[i] = w.decision(nil)
			id := fmt.Sprint(i)
			wrong := map[string]string{"a": "b", "b": "a"}[right[i]]
			if err := errors.Join(b.Observe(id, ballots), b.Resolve(id, wrong)); err != nil {
				t.Fatal(err)
			}
		}
		first := b.Model()
		if r, _ := first.Reliability("v0", 2); r.Sensitivity > 0.4 {
			t.Fatalf("told the opposite, the best is right in %.2f", r.Sensitivity)
		}
		for i := range 12 {
			at := 5 * i // twelve in a row would look as if the voters had changed
			if b.Model() != first {
				t.Fatalf("%d of sixty outcomes were corrected, and it learned", i)
			}
			if i == 6 {
				_, b = restored(t, b)
				first = b.Model()
			}
			for range 2 { // reporting the same again changes nothing
				if err := b.Resolve(fmt.Sprint(at), right[at]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if b.Model() == first {
			t.Error("a fifth of the outcomes was corrected, and nothing is learned")
		}
		for i, right := range right {
			if err := b.Resolve(fmt.Sprint(i), right); err != nil {
				t.Fatal(err)
			}
		}
		if r, _ := b.Model().Reliability("v0", 2); r.Sensitivity < 0.8 {
			t.Errorf("all corrected, the best is right in %.2f", r.Sensitivity)
		}
	}
}

// Outcomes are counted when they are reported, since callers that ask for a strategy wait.
func TestOutcomesAreCounted(t *testing.T) {
	for _, o := range []*Options{nil, {Window: 40}} {
		w := newWorld(75, 2, even(4, 0.9, 0.6)...)
		b := newBook(o)
		for range 20 {
			w.fill(b, 5, 2)
			_, again := restored(t, b)
			if want := b.batch.known(); b.told != want || again.told != want {
				t.Fatalf("%d outcomes are counted, %d when restored, want %d", b.told, again.told, want)
			}
		}
	}
}

func TestTheTenthOutcomeIsLearnedFrom(t *testing.T) {
	w := newWorld(76, 2, 0.9, 0.8, 0.7)
	b := newBook(nil)
	var right []string
	for i := range 100 {
		ballots, truth := w.decision(nil)
		if err := observe(b, fmt.Sprint(i), ballots, truth, i < 9); err != nil {
			t.Fatal(err)
		}
		right = append(right, truth)
	}
	last := b.Learn()
	for told := 10; told < 14; told++ {
		if err := b.Resolve(fmt.Sprint(told), right[told]); err != nil {
			t.Fatal(err)
		}
		m := b.Model()
		if learned := m != last; learned != (told == 10 || told == 12) { // then a fifth more
			t.Errorf("told %d outcomes, learned %v", told, learned)
		}
		last = m
	}
}
