package mode_test

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/mode"
)

// outcomes returns decisions in which the first agent was right so often of twenty, and the
// others as often as given.
func outcomes(by mode.Mode, n, chosen int, right ...int) (all []mode.Outcome) {
	for i := range n {
		o := mode.Outcome{By: by.String(), Chose: "wrong", Right: "right", Said: map[string]string{}}
		if i < chosen {
			o.Chose = "right"
		}
		for a, often := range right {
			o.Said[fmt.Sprint("a", a)] = fmt.Sprint("wrong", max(1, a-5))
			if a == 0 && i < often || a > 0 && (i+10)%n < often {
				o.Said[fmt.Sprint("a", a)] = "right"
			}
		}
		all = append(all, o)
	}
	return all
}

// crowd returns decisions in which the first of nine is right most often, in four of five, and a
// vote always: the others are right in three of five, and each errs in its own way.
func crowd() (all []mode.Outcome) {
	for i := range 20 {
		o := mode.Outcome{By: mode.Vote.String(), Chose: "right", Right: "right", Said: map[string]string{}}
		for a := range 9 {
			o.Said[fmt.Sprint("a", a)] = fmt.Sprint("wrong", a)
			if often := map[bool]int{true: 16, false: 12}[a == 0]; (i+5*a)%20 < often {
				o.Said[fmt.Sprint("a", a)] = "right"
			}
		}
		all = append(all, o)
	}
	return all
}

// undecided returns decisions that chose nothing, where nothing was right.
func undecided(by mode.Mode, n int) (all []mode.Outcome) {
	for range n {
		all = append(all, mode.Outcome{By: by.String()})
	}
	return all
}

func TestAutoChooses(t *testing.T) {
	t.Parallel()
	expert := outcomes(mode.Vote, 20, 10, 19, 8, 8, 8, 8, 8, 8, 8, 8) // the others err together
	facts, check := mode.Traits{FactsDiffer: true}, mode.Traits{Checkable: true}
	for name, c := range map[string]struct {
		is   mode.Case
		want mode.Mode
	}{
		"a vote if nothing is known":           {mode.Case{Members: team(5, 0, 0)}, mode.Vote},
		"the only agent":                       {mode.Case{Members: team(1, 0, 0)}, mode.Single},
		"nobody":                               {mode.Case{}, mode.Deliberate},
		"deliberation where some cannot":       {mode.Case{Members: team(3, 0, 0), Silent: []string{"critic"}}, mode.Deliberate},
		"facts first":                          {mode.Case{Members: team(5, 0, 0), Traits: facts}, mode.FactsFirst},
		"a check":                              {mode.Case{Members: team(5, 0, 0), Traits: check}, mode.Check},
		"the best of twenty":                   {mode.Case{Members: team(9, 0, 0), Known: expert}, mode.Single},
		"the best, though it could be checked": {mode.Case{Members: team(9, 0, 0), Traits: check, Known: expert}, mode.Single},
		"facts first, though one is best":      {mode.Case{Members: team(9, 0, 0), Traits: facts, Known: expert}, mode.FactsFirst},
		"a vote where nineteen are known":      {mode.Case{Members: team(9, 0, 0), Known: expert[1:]}, mode.Vote},
		"a vote where the best hardly lead":    {mode.Case{Members: team(3, 0, 0), Known: outcomes(mode.Vote, 20, 10, 14, 13, 13)}, mode.Vote},
		"a vote that a pilot prefers":          {mode.Case{Members: team(5, 0, 0), Traits: facts, Known: append(outcomes(mode.Vote, 20, 15), outcomes(mode.FactsFirst, 20, 9)...)}, mode.Vote},
		"facts first by a pilot":               {mode.Case{Members: team(5, 0, 0), Known: append(outcomes(mode.Vote, 20, 9), outcomes(mode.FactsFirst, 20, 15)...)}, mode.FactsFirst},
		"a check by a pilot":                   {mode.Case{Members: team(5, 0, 0), Known: append(outcomes(mode.Vote, 20, 9), outcomes(mode.Check, 20, 15)...)}, mode.Check},
		"a vote where it beats the best":       {mode.Case{Members: team(9, 0, 0), Known: crowd()}, mode.Vote},
		"a vote by facts that were read":       {mode.Case{Members: team(9, 0, 0), Known: outcomes(mode.FactsFirst, 20, 10, 19, 8, 8, 8, 8, 8, 8, 8, 8)}, mode.Vote},
		"a vote that no pilot was held of":     {mode.Case{Members: team(5, 0, 0), Known: outcomes(mode.FactsFirst, 20, 15)}, mode.Vote},
		"a vote where facts decided nothing":   {mode.Case{Members: team(5, 0, 0), Traits: facts, Known: append(outcomes(mode.Vote, 20, 5), undecided(mode.FactsFirst, 20)...)}, mode.Vote},
		"what is said if the pilot is short":   {mode.Case{Members: team(5, 0, 0), Traits: facts, Known: append(outcomes(mode.Vote, 20, 15), outcomes(mode.FactsFirst, 19, 9)...)}, mode.FactsFirst},
	} {
		p := mode.Choose(mode.Auto, c.is)
		if p.Mode != c.want || p.Reason == "" {
			t.Errorf("%s: got %v", name, p)
		}
	}
}

func TestTheBestKnownAreAskedFirst(t *testing.T) {
	t.Parallel()
	p := mode.Choose(mode.Vote, mode.Case{Members: team(3, 0, 0), Known: outcomes(mode.Vote, 20, 10, 4, 18, 10)})
	if got := p.Members[0].ID + p.Members[1].ID + p.Members[2].ID; got != "a1a2a0" {
		t.Errorf("got %v", p.Members)
	}
	if right := p.Members[0].Right; right <= 0.5 || right >= 0.9 { // 18 of 20, drawn to the mean of 32 of 60
		t.Errorf("the best is right in %.2f", right)
	}
	seen := map[string]bool{}
	for i := range 20 {
		seen[mode.Choose(mode.Vote, mode.Case{Members: team(3, 0, 0), Thread: fmt.Sprint(i)}).Members[0].ID] = true
	}
	if len(seen) != 3 {
		t.Errorf("of agents that nothing is known of, only %v are asked first", seen)
	}
}
