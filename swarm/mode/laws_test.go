package mode_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// team returns members that are right as often as given, of families of the given size.
func team(n, family int, right float64) (all []mode.Member) {
	for i := range n {
		m := mode.Member{ID: fmt.Sprint("a", i), Right: right}
		if family > 0 {
			m.Family = fmt.Sprint("f", i/family)
		}
		all = append(all, m)
	}
	return all
}

// play asks by a plan until it is over. say sets what an agent says to a call, and may change
// what was said before.
func play(t interface{ Fatalf(string, ...any) }, p *mode.Plan, say func(before []mode.Call, c *mode.Call)) (calls []mode.Call, rounds int) {
	for {
		step := p.Next(calls)
		if len(step.Ask) == 0 {
			return calls, rounds
		}
		if rounds++; rounds > 4*p.Calls+4 {
			t.Fatalf("%v does not end: %v", p, calls)
		}
		for i, c := range step.Calls(calls) {
			if slices.Contains(step.Ask[:i], c.Agent) {
				t.Fatalf("%s is asked twice at once: %v", c.Agent, step.Ask)
			}
			say(calls, &c)
			calls = append(calls, c)
		}
	}
}

func TestEveryPlanEndsWithinItsBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "members")
		c := mode.Case{Members: team(n, rapid.IntRange(0, 4).Draw(t, "family"), 0), Calls: rapid.IntRange(0, 40).Draw(t, "calls"), Seed: 1}
		c.FactsDiffer, c.Checkable = rapid.Bool().Draw(t, "differ"), rapid.Bool().Draw(t, "checkable")
		p := mode.Choose(rapid.SampledFrom(mode.All()[1:]).Draw(t, "mode"), c)
		say := func(c *mode.Call) {
			c.Stated = c.Part == mode.Facts && rapid.Bool().Draw(t, "stated")
			if c.Part != mode.Facts {
				c.Answer = rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(t, "answer")
			}
		}
		calls, _ := play(t, p, func(before []mode.Call, c *mode.Call) {
			say(c)
			if len(before) > 0 && rapid.Bool().Draw(t, "something is taken back") {
				say(&before[rapid.IntRange(0, len(before)-1).Draw(t, "what")])
			}
		})
		if got := mode.Price(calls); got > float64(p.Calls) || len(calls) == 0 {
			t.Fatalf("%v: %d calls at the price of %v of %d", p, len(calls), got, p.Calls)
		}
		chosen, given := p.Choice(calls), mode.Distinct(calls)
		if len(chosen.Leaders) == 0 != (len(given) == 0) || (chosen.Answer != "") != (len(chosen.Leaders) == 1) {
			t.Fatalf("%v: chose %+v of %v", p, chosen, given)
		}
		if chosen.Answer != "" && (chosen.Answer != chosen.Leaders[0] || !slices.Contains(given, chosen.Answer)) {
			t.Fatalf("%v: chose %+v of %v", p, chosen, given)
		}
	})
}

// Asking several at once is for speed alone: as many answers are paid as if each agent had
// been asked when the answers before were known.
func TestAskingSeveralAtOnceCostsNoAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "members")
		p := &mode.Plan{Mode: mode.Vote, Members: team(n, 0, 0.5), Calls: rapid.IntRange(1, 27).Draw(t, "calls"), Lead: 3}
		said := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), p.Calls, p.Calls).Draw(t, "answers")
		calls, _ := play(t, p, func(before []mode.Call, c *mode.Call) { c.Answer = said[len(before)] })
		for k := range calls {
			if k >= 3 && p.Next(calls[:k]).Over != "" {
				t.Fatalf("over after %d of %d calls: %v", k, len(calls), said)
			}
		}
	})
}

func TestThreeThatAgreeAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	p := mode.Choose(mode.Vote, mode.Case{Members: team(5, 0, 0), Calls: 12})
	calls, rounds := play(t, p, func(_ []mode.Call, c *mode.Call) { c.Answer = "x" })
	if len(calls) != 3 || rounds != 1 {
		t.Errorf("%d calls in %d rounds, want 3 in 1", len(calls), rounds)
	}
	p = mode.Choose(mode.Vote, mode.Case{Members: team(5, 0, 0), Calls: 13})
	if calls, _ = play(t, p, func(_ []mode.Call, c *mode.Call) { c.Answer = "x" }); len(calls) != 4 {
		t.Errorf("%d calls where the budget allows a lead of four", len(calls))
	}
}

// A lead with too small a share decides nothing, so that a vote goes on while there are calls.
func TestAVoteStopsAtALeadWithTheShareThatItNeeds(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]int{0: 5, 0.8: 5, 0.85: 7, 0.95: 9} {
		p := mode.Choose(mode.Vote, mode.Case{Members: team(5, 0, 0), Calls: 9, Share: share})
		n := 0
		calls, _ := play(t, p, func(_ []mode.Call, c *mode.Call) {
			if c.Answer = "x"; n == 1 {
				c.Answer = "y"
			}
			n++
		})
		if len(calls) != want {
			t.Errorf("a share of %v: %d calls, want %d", share, len(calls), want)
		}
	}
}

func TestAFamilySharesItsWeight(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Vote, Members: append(team(7, 7, 0.6), mode.Member{ID: "b", Right: 0.6}, mode.Member{ID: "c", Right: 0.6}, mode.Member{ID: "d", Right: 0.6})}
	calls := []mode.Call{}
	for _, m := range p.Members {
		c := mode.Call{Part: mode.Answer, Agent: m.ID, Answer: "clones"}
		if m.Family == "" {
			c.Answer = "others"
		}
		calls = append(calls, c)
	}
	if got := p.Choice(calls).Answer; got != "others" { // 7/√7 = 2.6 against 3
		t.Errorf("seven clones against three others: %s", got)
	}
}

func TestALiarIsNoEvidenceForWhatItRejects(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Vote, Members: []mode.Member{{ID: "liar", Right: 0.01}, {ID: "a", Right: 0.6}, {ID: "b", Right: 0.55}}}
	calls := []mode.Call{
		{Part: mode.Answer, Agent: "liar", Answer: "x"}, {Part: mode.Answer, Agent: "a", Answer: "y"}, {Part: mode.Answer, Agent: "b", Answer: "z"},
	}
	if got := p.Choice(calls); got.Answer != "y" || got.Share > 0.7 {
		t.Errorf("got %+v", got)
	}
}

// A call costs one, and a quarter for each message of another one that it reads: facts, and
// one argument for each answer.
func TestThePriceHasWhatIsRead(t *testing.T) {
	t.Parallel()
	type said struct{ agent, answer string } // "fact": it states one
	for name, c := range map[string]struct {
		parts []agents.Ask
		said  [][]said
		want  float64
	}{
		"nothing":               {nil, nil, 0},
		"answers":               {[]agents.Ask{mode.Answer}, [][]said{{{"a", "x"}, {"b", "y"}, {"c", ""}}}, 3},
		"verdicts on two":       {[]agents.Ask{mode.Answer, mode.Verdict}, [][]said{{{"a", "x"}, {"b", "y"}}, {{"a", "x"}, {"b", ""}}}, 5},
		"facts of others":       {[]agents.Ask{mode.Facts, mode.Answer}, [][]said{{{"a", "fact"}, {"b", "fact"}}, {{"a", "x"}, {"c", "x"}}}, 4.75},
		"facts that nobody has": {[]agents.Ask{mode.Facts, mode.Answer}, [][]said{{{"a", ""}}, {{"b", "x"}}}, 2},
	} {
		var calls []mode.Call
		for i, part := range c.parts {
			step := mode.Step{Part: part}
			for _, s := range c.said[i] {
				step.Ask = append(step.Ask, s.agent)
			}
			for j, call := range step.Calls(calls) {
				if call.Stated = c.said[i][j].answer == "fact"; !call.Stated {
					call.Answer = c.said[i][j].answer
				}
				calls = append(calls, call)
			}
		}
		if got := mode.Price(calls); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for i := range calls {
			calls[i].Answer, calls[i].Stated = fmt.Sprint("another ", i), !calls[i].Stated
		}
		if got := mode.Price(calls); got != c.want {
			t.Errorf("%s, taken back later: %v, want %v", name, got, c.want)
		}
	}
}

// Of two answers, three judges read both, and as many members answer as that leaves calls for.
func TestAsManyAnswerAsLeaveThreeJudgesOfTwoAnswers(t *testing.T) {
	t.Parallel()
	for budget := 7; budget <= 12; budget++ {
		p := &mode.Plan{Mode: mode.Check, Members: team(12, 0, 0.5), Calls: budget}
		judges := 0
		calls, _ := play(t, p, func(before []mode.Call, c *mode.Call) {
			if c.Part == mode.Verdict {
				judges++
			} else {
				c.Answer = []string{"x", "y"}[len(before)%2]
			}
		})
		if price := mode.Price(calls); judges != 3 || price > float64(budget) || price+1 <= float64(budget) {
			t.Errorf("%d answers and %d judges at the price of %v of %d", len(calls)-judges, judges, price, budget)
		}
	}
}

func TestHalfTheJudgesDoNotDecide(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Check, Members: team(3, 0, 0.6), Calls: 9}
	calls := []mode.Call{
		{Part: mode.Answer, Agent: "a0", Answer: "x"},
		{Part: mode.Answer, Agent: "a1", Answer: "x"},
		{Part: mode.Answer, Agent: "a2", Answer: "y"},
		{Part: mode.Verdict, Agent: "a0", Answer: "y"},
		{Part: mode.Verdict, Agent: "a1"},
	}
	if got := p.Choice(calls); got.Answer != "x" {
		t.Errorf("one of two judges: %+v", got)
	}
	if got := p.Choice(append(calls, mode.Call{Part: mode.Verdict, Agent: "a2", Answer: "y"})); got.Answer != "y" || got.Share != 2./3 {
		t.Errorf("two of three judges: %+v", got)
	}
}

// Where no reader of the facts has an answer, others are asked, one after the other, while the
// budget lasts.
func TestAnotherReaderIsAskedWhereNoneAnswered(t *testing.T) {
	t.Parallel()
	p := mode.Choose(mode.FactsFirst, mode.Case{Members: team(5, 0, 0), Calls: 20})
	asked := map[string]bool{}
	calls, _ := play(t, p, func(_ []mode.Call, c *mode.Call) {
		if c.Stated = c.Part == mode.Facts; !c.Stated {
			asked[c.Agent] = true
			if len(asked) == 5 {
				c.Answer = "x"
			}
		}
	})
	if got := p.Choice(calls); got.Answer != "x" || len(calls) != 10 {
		t.Errorf("%+v after %d calls, want the answer of the fifth reader", got, len(calls))
	}
}

func TestASingleAnswerIsAsSureAsItsAgentIsRight(t *testing.T) {
	t.Parallel()
	p := &mode.Plan{Mode: mode.Single, Members: []mode.Member{{ID: "a", Right: 0.9}, {ID: "b", Right: 0.7}}, Calls: 2}
	calls, _ := play(t, p, func(before []mode.Call, c *mode.Call) { c.Answer = []string{"", "x"}[len(before)] })
	if got := p.Choice(calls); got.Answer != "x" || got.Sure != 0.7 {
		t.Errorf("%+v of b, which is right in 70 %%", got)
	}
}

// A leader falls only if its own supporters leave it: judges who never stood for it cannot overrule it, however many they
// are, and by the rule before, which old plans have, two of three could.
func TestALeaderFallsOnlyIfItsOwnSupportersLeaveIt(t *testing.T) {
	t.Parallel()
	members := team(9, 0, 0.6)
	hostile := map[string]bool{"a0": true, "a1": true, "a2": true}
	for rule, want := range map[int]string{1: "y", 2: "x"} {
		p := &mode.Plan{Mode: mode.Check, Members: members, Calls: 40, Rule: rule}
		calls, _ := play(t, p, func(_ []mode.Call, c *mode.Call) {
			switch c.Answer = "x"; {
			case hostile[c.Agent]:
				c.Answer = "y"
			case c.Part == mode.Verdict:
				c.Answer = "" // no reason proves anything
			}
		})
		if got := p.Choice(calls).Answer; got != want {
			t.Errorf("by rule %d %q is chosen, want %q: %v", rule, got, want, calls)
		}
	}
	p := &mode.Plan{Mode: mode.Check, Members: members, Calls: 40, Rule: 2}
	calls, _ := play(t, p, func(_ []mode.Call, c *mode.Call) {
		if c.Answer = "x"; c.Agent == "a1" || c.Part == mode.Verdict {
			c.Answer = "y" // proven by the one who knows
		}
	})
	if got := p.Choice(calls).Answer; got != "y" {
		t.Errorf("%q is chosen, and its supporters have left it: %v", got, calls)
	}
}
