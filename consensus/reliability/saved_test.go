package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestARestoredLedgerContinuesAlike(t *testing.T) {
	for name, o := range kinds(3) {
		for _, n := range []int{0, 40} {
			w := newWorld(88, 3, even(6, 0.9, 0.4)...)
			a := newLedger(t, o)
			draw := func() (consensus.Ballots, string) { return w.decision(nil) }
			tell := func(l *Ledger, id string, b consensus.Ballots, right string) {
				if err := errors.Join(l.Observe(id, b), l.Resolve(id, right)); err != nil {
					t.Fatal(err)
				}
			}
			for i := range n {
				b, right := draw()
				tell(a, fmt.Sprint(i), b, right)
			}
			saved, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			b := new(Ledger)
			if err := json.Unmarshal(saved, b); err != nil {
				t.Fatal(name, n, err)
			}
			if b.Len() != n {
				t.Errorf("%s: %d decisions, want %d", name, b.Len(), n)
			}
			for i := range 30 {
				ballots, right := draw()
				if x, y := a.Strategy().Decide(ballots), b.Strategy().Decide(ballots); !x.Equal(y) {
					t.Fatalf("%s: restored it says %v, the original %v", name, y, x)
				}
				for _, l := range []*Ledger{a, b} {
					tell(l, fmt.Sprint("later", i), ballots, right)
				}
			}
		}
	}
}

func TestLearnWhenToldLearnsOnlyInLearn(t *testing.T) {
	w := newWorld(9, 4, 0.8)
	l := newLedger(t, nil)
	l.LearnWhenTold()
	w.show(t, l, 60, 2)
	if l.Strategy().Name() != consensus.Default().Name() || l.Reliabilities() != nil {
		t.Error("it learned when it was asked")
	}
	if several, _ := l.Models(); len(several.Voters()) != 0 {
		t.Errorf("it knows %v", several.Voters())
	}
	l.Learn()
	several, _ := l.Models()
	if l.Strategy().Name() == consensus.Default().Name() || len(several.Voters()) == 0 {
		t.Errorf("told to learn, it knows %v", several.Voters())
	}
	l.Learn() // not due yet
	if again, _ := l.Models(); again != several {
		t.Error("it learned the same again")
	}
}

func TestUndoRevertsWhatALedgerLearned(t *testing.T) {
	w := newWorld(9, 4, 0.8)
	l, other := newLedger(t, nil), newLedger(t, nil)
	for _, l := range []*Ledger{l, other} {
		l.LearnWhenTold()
	}
	save := func(l *Ledger) string {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for i := range 60 {
		b, right := w.decision(nil)
		for _, l := range []*Ledger{l, other} {
			if err := l.Observe(fmt.Sprint(i), b); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				if err := l.Resolve(fmt.Sprint(i), right); err != nil {
					t.Fatal(err)
				}
			}
		}
		if i == 20 || i == 40 {
			before := save(l)
			undo := l.Learn()
			if save(l) == before {
				t.Error("nothing was learned")
			}
			if undo(); save(l) != before {
				t.Errorf("got\n%s\nwant\n%s", save(l), before)
			}
		}
		if i == 30 || i == 59 {
			l.Learn()
			other.Learn()
		}
	}
	if save(l) != save(other) {
		t.Error("it does not continue as if it had not learned")
	}
}

// Learning forgets voters whose decisions have left the window.
func TestUndoRestoresForgottenVoters(t *testing.T) {
	o := &Options{Window: 8, First: 1}
	l, other := newLedger(t, o), newLedger(t, o)
	for i := range 24 {
		var cast []consensus.Vote
		for _, voter := range []string{"a", "b", fmt.Sprint("c", i%12)} { // the third of them comes back later
			cast = append(cast, consensus.Vote{Voter: voter, ProposalID: []string{"x", "y"}[i%2], Stance: consensus.Agree, Weight: 1})
		}
		b, err := consensus.NewBallots(nil, []string{"x", "y"}, cast)
		if err := errors.Join(err, l.Observe("", b), other.Observe("", b)); err != nil {
			t.Fatal(err)
		}
		if i > 12 {
			l.Learn()()
		}
	}
	got, err := json.Marshal(l)
	want, problem := json.Marshal(other)
	if err := errors.Join(err, problem); err != nil || string(got) != string(want) {
		t.Errorf("%v; got\n%s\nwant\n%s", err, got, want)
	}
}

func TestReadingALedgerDoesNotChangeItsSavedForm(t *testing.T) {
	l := newLedger(t, nil)
	before, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	l.Models()
	if after, err := json.Marshal(l); err != nil || string(after) != string(before) {
		t.Errorf("%v; saved before\n%s\nand after\n%s", err, before, after)
	}
}

func TestBrokenLedgerIsRefused(t *testing.T) {
	w := newWorld(89, 3, even(4, 0.9, 0.6)...)
	a := newLedger(t, nil)
	w.show(t, a, 3, 1)
	saved, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, from, to string }{
		{"no JSON", `{`, `[`},
		{"bad options", `"window":0`, `"window":-1`},
		{"no book", `"several":{`, `"other":{`},
		{"null for a book", `"one":{`, `"one":null,"other":{`},
		{"a book of another kind", `"stances":true`, `"stances":false`},
		{"a broken book", `"version":1`, `"version":2`},
	} {
		p := strings.Replace(string(saved), c.from, c.to, 1)
		if p == string(saved) {
			t.Fatalf("%s: %q is not in %s", c.what, c.from, saved)
		}
		l := newLedger(t, nil)
		w.show(t, l, 1, 1)
		if err := json.Unmarshal([]byte(p), l); err == nil || l.Len() != 2 {
			t.Errorf("%s: error %v, then %d decisions, want the 2 from before", c.what, err, l.Len())
		}
	}
}

func TestAnEmptyListOfChoicesIsNone(t *testing.T) {
	w := newWorld(5, 3, 0.9, 0.8)
	l := newLedger(t, &Options{Choices: []string{}})
	w.show(t, l, 30, 0)
	l.Models()
	saved, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	empty := strings.ReplaceAll(string(saved), `"options":{`, `"options":{"choices":[],`)
	for _, p := range []string{string(saved), empty} {
		again := new(Ledger)
		if err := json.Unmarshal([]byte(p), again); err != nil {
			t.Fatal(err)
		}
		w.show(t, again, 1, 0)
		b, _ := w.decision(nil)
		if x, y := l.Strategy().Decide(b), again.Strategy().Decide(b); !x.Equal(y) {
			t.Errorf("restored it says %v, the original %v", y, x)
		}
	}
}
