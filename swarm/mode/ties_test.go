package mode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/mode"
)

func TestTiedAnswersChooseNothing(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Vote, Members: team(3, 0, 0.6)}
	answers := func(said ...string) (all []mode.Call) {
		for i, a := range said {
			all = append(all, mode.Call{Part: mode.Answer, Agent: p.Members[i].ID, Answer: a})
		}
		return all
	}
	judge := func(agent, accepts string, rejects ...string) mode.Call {
		return mode.Call{Part: mode.Verdict, Agent: agent, Answer: accepts, Rejects: rejects}
	}
	for name, c := range map[string]struct {
		calls   []mode.Call
		answer  string
		leaders string
	}{
		"two":                       {answers("x", "y"), "", "x y"},
		"two of three":              {answers("x", "y", "x"), "x", "x"},
		"a person decides":          {append(answers("x", "y"), mode.Call{Agent: "ceo", Answer: "y"}), "y", "y"},
		"a judge decides":           {append(answers("x", "y"), judge("a0", "y"), judge("a1", ""), judge("a2", "")), "y", "y"},
		"judges reject one of them": {append(answers("x", "y"), judge("a0", "", "x"), judge("a1", "", "x"), judge("a2", "")), "y", "y"},
		"judges reject both":        {append(answers("x", "y"), judge("a0", "", "x", "y"), judge("a1", "", "x", "y")), "", "x y"},
		"judges reject what leads":  {append(answers("x", "x", "y"), judge("a0", "", "x"), judge("a1", "", "x"), judge("a2", "")), "", "x"},
		"half of the judges reject": {append(answers("x", "x", "y"), judge("a0", "", "x"), judge("a1", "")), "x", "x"},
		"no answers":                {nil, "", ""},
	} {
		got := p.Choice(c.calls)
		if got.Answer != c.answer || strings.Join(got.Leaders, " ") != c.leaders {
			t.Errorf("%s: chose %q of %v, want %q of %s", name, got.Answer, got.Leaders, c.answer, c.leaders)
		}
	}
}

// Answers of equally good members are tied in whatever order they were given: sums of the same
// weights in another order differ by rounding.
func TestAnswersOfEqualMembersAreTiedInAnyOrder(t *testing.T) {
	t.Parallel()
	rounded := 0
	for _, right := range [][]float64{{0.55, 0.6, 0.65}, {0.55, 0.65, 0.7}, {0.55, 0.65, 0.9}, {0.6, 0.7, 0.8}, {0.65, 0.75, 0.85}} {
		p := &mode.Plan{Mode: mode.Vote}
		for i := range 6 {
			p.Members = append(p.Members, mode.Member{ID: fmt.Sprint("a", i), Right: right[i%3]})
		}
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			var calls []mode.Call
			for i, n := range []int{0, 1, 2, 3 + order[0], 3 + order[1], 3 + order[2]} {
				calls = append(calls, mode.Call{Part: mode.Answer, Agent: p.Members[n].ID, Answer: []string{"x", "y"}[i/3]})
			}
			shares := p.Shares(calls)
			if shares["x"] != shares["y"] {
				rounded++
			}
			if got := p.Choice(calls); got.Answer != "" || len(got.Leaders) != 2 {
				t.Errorf("%v in order %v: chose %q of %v with shares %v, want a tie", right, order, got.Answer, got.Leaders, shares)
			}
		}
	}
	if rounded == 0 {
		t.Error("rounding never made shares differ")
	}
}

func TestWhoAnswersAloneIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Vote, Members: team(4, 0, 0.5), Calls: 12, Lead: 3}
	calls, _ := play(t, p, func(_ []mode.Call, c *mode.Call) {
		if c.Agent == "a2" {
			c.Answer = "x"
		}
	})
	n := 0
	for _, c := range calls {
		if c.Agent == "a2" {
			n++
		}
	}
	if n != 1 || len(calls) != 7 || !strings.Contains(p.Next(calls).Over, "a2") {
		t.Errorf("a2 was asked %d times in %d calls; %s", n, len(calls), p.Note(calls))
	}
}

func TestAnOverruledFlagIsInTheReason(t *testing.T) {
	t.Parallel()
	known := slices.Concat(outcomes(mode.FactsFirst, 20, 5), outcomes(mode.Vote, 20, 15))
	c := mode.Case{Members: team(5, 0, 0), Known: known, Traits: mode.Traits{FactsDiffer: true}}
	const why = "facts differ, but facts-first was right in 25 % of 20 outcomes, and vote in 75 % of 20"
	if p := mode.Choose(mode.Auto, c); p.Mode != mode.Vote || p.Reason != why {
		t.Errorf("%v", p)
	}
	c.Checkable = true
	if p := mode.Choose(mode.Auto, c); p.Mode != mode.Check || !strings.Contains(p.Reason, "answers can be checked") || !strings.HasSuffix(p.Reason, why) {
		t.Errorf("%v", p)
	}
}
