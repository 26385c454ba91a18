package consensus_test

import (
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// fixed always decides the same.
func fixed(name string, outcome consensus.Outcome, choice string, support float64) consensus.Strategy {
	return consensus.Func(name, func(consensus.Ballots) consensus.Decision {
		d := consensus.Decision{Outcome: outcome, Choice: choice, Support: support, None: support}
		if choice != "" {
			d.Leaders = []string{choice}
		}
		return d
	})
}

func TestCombinators(t *testing.T) {
	a, weak := fixed("a", consensus.Reached, "a", 0.9), fixed("weak", consensus.Reached, "a", 0.8)
	b, no := fixed("b", consensus.Reached, "b", 0.9), fixed("no", consensus.Rejected, "", 0.9)
	open, dead := fixed("open", consensus.Pending, "", 0), fixed("dead", consensus.Deadlocked, "", 0)
	unsure := fixed("unsure", consensus.Uncertified, "", 0)
	for _, tt := range []struct {
		s       consensus.Strategy
		name    string
		outcome consensus.Outcome
		choice  string
	}{
		{consensus.Any(open, a, weak), "any(open, a, weak)", consensus.Reached, "a"},
		{consensus.Any(a, b), "any(a, b)", consensus.Pending, ""},
		{consensus.Any(no, a), "any(no, a)", consensus.Reached, "a"},
		{consensus.Any(open, no), "any(open, no)", consensus.Rejected, ""},
		{consensus.Any(open, unsure), "any(open, unsure)", consensus.Uncertified, ""},
		{consensus.Any(unsure, a), "any(unsure, a)", consensus.Reached, "a"},
		{consensus.All(a, weak), "all(a, weak)", consensus.Reached, "a"},
		{consensus.All(a, open), "all(a, open)", consensus.Pending, ""},
		{consensus.All(a, b), "all(a, b)", consensus.Pending, ""},
		{consensus.All(no, a), "all(no, a)", consensus.Pending, ""},
		{consensus.All(no, no), "all(no, no)", consensus.Rejected, ""},
		{consensus.All(a, open, unsure), "all(a, open, unsure)", consensus.Uncertified, ""},
		{consensus.Fallback(open, dead, b, a), "fallback(open, dead, b, a)", consensus.Reached, "b"},
		{consensus.Fallback(unsure, a), "fallback(unsure, a)", consensus.Uncertified, ""},
		{consensus.Fallback(open, dead), "fallback(open, dead)", consensus.Pending, ""},
	} {
		d := tt.s.Decide(consensus.Ballots{})
		want(t, d, tt.outcome, tt.choice)
		if tt.s.Name() != tt.name || d.Strategy != tt.name {
			t.Errorf("name %q, in the decision %q, want %q", tt.s.Name(), d.Strategy, tt.name)
		}
	}
	if d := consensus.All(a, weak).Decide(consensus.Ballots{}); d.Support != 0.8 {
		t.Errorf("support %v, want that of the least supported", d.Support)
	}
	if d := consensus.Any(open, weak, a).Decide(consensus.Ballots{}); d.Support != 0.8 {
		t.Errorf("support %v, want that of the first that chooses", d.Support)
	}
	d := consensus.Any(b, a).Decide(consensus.Ballots{}.Close())
	if d.Outcome != consensus.Deadlocked || !slices.Equal(d.Leaders, []string{"a", "b"}) {
		t.Errorf("%v, want a deadlock between a and b", d)
	}
}

func TestACombinationOfNothingPanics(t *testing.T) {
	for _, combine := range []func(...consensus.Strategy) consensus.Strategy{consensus.Any, consensus.All, consensus.Fallback} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			combine()
		}()
	}
}

func TestLookupFindsEachStrategyByItsName(t *testing.T) {
	for _, s := range consensus.Builtin() {
		if got, err := consensus.Lookup(s.Name()); err != nil || got != s {
			t.Errorf("%q is %v, %v", s.Name(), got, err)
		}
	}
	if s, err := consensus.Lookup(""); err != nil || s != consensus.Default() {
		t.Errorf("no name is %v, %v", s, err)
	}
	if _, err := consensus.Lookup("vote"); err == nil {
		t.Error("an unknown name is found")
	}
}
