package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// wide returns a decision between n proposals, with one voter's stance on all of them.
func wide(t *testing.T, n int, stance consensus.Stance) consensus.Ballots {
	t.Helper()
	var proposals []string
	var cast []consensus.Vote
	for i := range n {
		v := vote(0, fmt.Sprint("p", i))
		v.Stance = stance
		proposals, cast = append(proposals, v.ProposalID), append(cast, v)
	}
	b, err := consensus.NewBallots(nil, proposals, cast)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// kept checks that a saved ledger is restored unchanged.
func kept(t *testing.T, what string, l *Ledger) {
	t.Helper()
	saved, err := json.Marshal(l)
	if err != nil {
		t.Fatal(what, err)
	}
	again := new(Ledger)
	if err := json.Unmarshal(saved, again); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if resaved, err := json.Marshal(again); err != nil || string(resaved) != string(saved) {
		t.Errorf("%s: the restored ledger is saved differently, error %v", what, err)
	}
}

func TestALedgerIsRestoredAfterADecisionOnManyProposals(t *testing.T) {
	w := newWorld(70, 2, even(3, 0.9, 0.6)...)
	l := newLedger(t, &Options{Window: 40})
	if err := l.Observe("wide", wide(t, 1500, consensus.Agree)); err != nil {
		t.Fatal(err)
	}
	kept(t, "with it", l)
	w.show(t, l, 30, 3)
	l.Strategy()
	kept(t, "once it has left", l)
	if l.Holds("wide") {
		t.Error("it has not left")
	}
}

func TestALedgerWithAHugeDecisionIsRestored(t *testing.T) {
	l := newLedger(t, nil)
	if err := l.Observe("wide", wide(t, 66_000, consensus.Disagree)); err != nil {
		t.Fatal(err)
	}
	kept(t, "66,000 proposals", l)
}

func TestTinyWeightsAreRestored(t *testing.T) {
	l := newLedger(t, nil)
	a, b := vote(0, "a"), vote(1, "b")
	a.Weight, b.Weight = 5e-324, 1e-13
	ballots, err := consensus.NewBallots(nil, letters(2), []consensus.Vote{a, b})
	if err := errors.Join(err, l.Observe("", ballots)); err != nil {
		t.Fatal(err)
	}
	kept(t, "weights of next to nothing", l)
}

func TestLedgersWithAnyOptionsAreRestored(t *testing.T) {
	for i, p := range new(Options).priors() {
		for _, x := range []float64{0.001, 1e6} {
			o := &Options{}
			*o.priors()[i].value = min(x, map[bool]float64{true: 1, false: x}[p.name == "residual"])
			w := newWorld(71, 2, even(4, 0.9, 0.3)...)
			w.means = even(4, 0, 2)
			for kind, more := range kinds(2) {
				if more != nil {
					o.Choices, o.Stances = more.Choices, more.Stances
				}
				l := newLedger(t, o)
				for range 60 {
					b, right := w.decision(nil)
					id := fmt.Sprint(w.Uint64())
					if err := errors.Join(l.Observe(id, b), l.Resolve(id, right)); err != nil {
						t.Fatal(err)
					}
				}
				l.Strategy()
				kept(t, fmt.Sprint(kind, " ", p.name, " ", x), l)
				o.Choices, o.Stances = nil, false
			}
		}
	}
}

// JSON replaces all invalid UTF-8 by the same character.
func TestNamesThatCannotBeSavedAreRefused(t *testing.T) {
	const bad = "\xff"
	for _, c := range []struct {
		field, id string
		cast      consensus.Vote
		group     string
	}{
		{"id", bad, vote(0, "a"), "g"},
		{"voter", "x", consensus.Vote{Voter: bad, ProposalID: "a", Stance: consensus.Agree, Weight: 1}, "g"},
		{"proposalId", "x", vote(0, bad), "g"},
		{"group", "x", vote(0, "a"), bad},
	} {
		o := &consensus.Options{Groups: map[string]string{"v0": c.group}}
		b, err := consensus.NewBallots(o, []string{"a", bad}[:1+strings.Count(c.cast.ProposalID, bad)], []consensus.Vote{c.cast})
		if err != nil {
			t.Fatal(err)
		}
		for name, about := range kinds(2) {
			if c.field == "proposalId" && about != nil && about.Choices != nil {
				continue // not one of the choices
			}
			l := newLedger(t, about)
			before, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			var refused *consensus.FieldError
			if err := l.Check(c.id, b); !errors.As(err, &refused) || refused.Field != c.field || refused.Value != bad {
				t.Errorf("%s: checking a bad %s says %v", name, c.field, err)
			}
			if err := l.Observe(c.id, b); !errors.As(err, &refused) || refused.Field != c.field || refused.Value != bad {
				t.Errorf("%s: a bad %s is refused with %v", name, c.field, err)
			}
			if after, err := json.Marshal(l); err != nil || !slices.Equal(after, before) {
				t.Errorf("%s: a bad %s changed the ledger, error %v", name, c.field, err)
			}
		}
	}
	if err := (&Options{Choices: []string{"a", bad}}).Validate(); err == nil {
		t.Error("choices are taken that cannot be saved")
	}
}
