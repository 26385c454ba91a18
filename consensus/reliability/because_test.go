package reliability

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// taught returns a ledger in which ada was right in 19 of 20 decisions, and bo and cy in 11 each.
func taught(t *testing.T, tell bool) *Ledger {
	t.Helper()
	l := newLedger(t, nil)
	for i := range 20 {
		said := map[string]string{"ada": "yes", "bo": "yes", "cy": "yes"}
		switch {
		case i == 0:
			said["ada"] = "no"
		case i == 19:
		case i%2 == 0:
			said["bo"] = "no"
		default:
			said["cy"] = "no"
		}
		if err := observe(l, fmt.Sprint(i), saying(t, said), "yes", tell); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func saying(t *testing.T, said map[string]string) consensus.Ballots {
	t.Helper()
	var cast []consensus.Vote
	for name, what := range said {
		cast = append(cast, consensus.Vote{Voter: name, ProposalID: what, Stance: consensus.Agree, Weight: 1})
	}
	b, err := consensus.NewBallots(nil, []string{"yes", "no"}, cast)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAReasonSaysWhoOutweighsWhom(t *testing.T) {
	s := taught(t, true).Strategy()
	d := s.Decide(saying(t, map[string]string{"ada": "no", "bo": "yes", "cy": "yes"}))
	want := `"ada", right in 19 of 20 told, outweighs 2 who were right in 22 of 40 told: 1 of 3 agrees with "no", `
	if got := d.Reason(); d.Choice != "no" || !strings.HasPrefix(got, want) {
		t.Errorf("%v because %s, want %s…", d, got, want)
	}
	d = s.Decide(saying(t, map[string]string{"ada": "no", "dee": "yes"}))
	if got, want := d.Reason(), `"ada", right in 19 of 20 told, outweighs "dee", new: `; !strings.HasPrefix(got, want) {
		t.Errorf("of a newcomer: %s, want %s…", got, want)
	}
	if d := s.Decide(saying(t, map[string]string{"ada": "no", "bo": "no", "cy": "yes"})); d.Because != "" {
		t.Errorf("reason for the choice of a majority: %s", d.Reason())
	}
}

func TestAReasonGivesEstimatesIfNoOutcomeIsKnown(t *testing.T) {
	m := equals(3)
	m.params.Rate[0] = 3
	b := saying(t, map[string]string{"v0": "no", "v1": "yes", "v2": "yes"})
	if got, want := m.because(b, "no"), `"v0", held to be right in 95 %, outweighs 2 who are held to be right in 73 %`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAReasonSaysForHowManyCopiesAndGroupsCount(t *testing.T) {
	m := equals(4)
	m.params.Rate[0] = 3
	m.params.Shared = []int32{0, 1, 1, 1}
	b := saying(t, map[string]string{"v0": "no", "v1": "yes", "v2": "yes", "v3": "yes"})
	if got, want := m.because(b, "no"), `"v0", held to be right in 95 %, outweighs 3 who count as 1 and are held to be right in 73 %`; got != want {
		t.Errorf("copies: %s, want %s", got, want)
	}
	m.params.Records = []record{{Told: 20, Right: 19}, {Told: 20, Right: 11}, {Told: 20, Right: 12}, {Told: 20, Right: 10}}
	if got, want := m.because(b, "no"), `"v0", right in 19 of 20 told, outweighs 3 who count as 1 and were right in 11 of 20 told`; got != want {
		t.Errorf("copies with outcomes: %s, want %s", got, want)
	}
	votes := slices.Collect(saying(t, map[string]string{"v0": "no", "x": "yes", "y": "yes", "z": "yes"}).Votes())
	of := &consensus.Options{Groups: map[string]string{"v0": "h", "x": "g", "y": "g", "z": "g"}}
	b, err := consensus.NewBallots(of, []string{"yes", "no"}, votes)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.because(b.WithGroupDiscount(m.together, nobody), "no"), `"v0", right in 19 of 20 told, outweighs 3 who count as 1.5 and are new`; got != want {
		t.Errorf("a group: %s, want %s", got, want)
	}
}

func TestRejectingAnotherProposalIsNotAgainstTheChoice(t *testing.T) {
	m := equals(3)
	cast := []consensus.Vote{
		{Voter: "v0", ProposalID: "no", Stance: consensus.Agree, Weight: 1},
		{Voter: "v1", ProposalID: "no", Stance: consensus.Disagree, Weight: 1},
		{Voter: "v2", ProposalID: "yes", Stance: consensus.Disagree, Weight: 1},
	}
	b, err := consensus.NewBallots(nil, []string{"yes", "no"}, cast)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.because(b, "no"), `"v0", held to be right in 73 %, outweighs "v1", held to be right in 73 %`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAReasonComparesWithTheLargestOtherSide(t *testing.T) {
	m := equals(7)
	for _, c := range []struct{ said, want string }{ // by voter, what it is for, or A: against a
		{"abbc", `"v0", held to be right in 73 %, outweighs 2 who are held to be right in 73 %`},
		{"aabbc", "2 who are held to be right in 73 % outweigh 2 who are held to be right in 73 %"},
		{"aabcAAA", "2 who are held to be right in 73 % outweigh 3 who are held to be right in 73 %"},
		{"aaabbcc", ""}, // four are for others, two for each
		{"aabc", ""},
	} {
		var cast []consensus.Vote
		for j, x := range c.said {
			v := vote(j, strings.ToLower(string(x)))
			if x == 'A' {
				v.Stance = consensus.Disagree
			}
			cast = append(cast, v)
		}
		if got := m.because(saidBy(t, cast...), "a"); got != c.want {
			t.Errorf("%s: %s, want %s", c.said, got, c.want)
		}
	}
}

func TestBrokenRecordsAreRefused(t *testing.T) {
	w := newWorld(6, 2, even(3, 0.9, 0.6)...)
	for _, bad := range [][]record{{{Told: 3, Right: 4}}, {{Told: 3, Right: -1}}, make([]record, 4)} {
		b := newBook(nil)
		w.fill(b, 30, 3)
		b.Learn().params.Records = bad
		saved, err := b.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Book).UnmarshalJSON(saved); err == nil {
			t.Errorf("restored with records %v", bad)
		}
	}
}

func TestAReasonSaysWhoOutweighsWhomOnOneProposal(t *testing.T) {
	ask := func(yes ...string) consensus.Ballots {
		var cast []consensus.Vote
		for _, name := range []string{"ada", "bo", "cy"} {
			v := consensus.Vote{Voter: name, ProposalID: "p", Stance: consensus.Disagree, Weight: 1}
			if slices.Contains(yes, name) {
				v.Stance = consensus.Agree
			}
			cast = append(cast, v)
		}
		return between(t, []string{"p"}, cast...).Close()
	}
	l := newLedger(t, nil)
	for i := range 40 {
		yes, right := []string{"ada"}, "p"
		if i%2 == 0 {
			yes, right = nil, ""
		}
		if i%4 < 2 { // right as often as wrong
			yes = append(yes, "bo")
		}
		if i%8 < 4 {
			yes = append(yes, "cy")
		}
		if err := observe(l, fmt.Sprint(i), ask(yes...), right, true); err != nil {
			t.Fatal(err)
		}
	}
	s := l.Strategy()
	for _, c := range []struct {
		yes     []string
		outcome consensus.Outcome
		because string
	}{
		{[]string{"ada"}, consensus.Reached, `"ada", right in 40 of 40 told, outweighs 2 who were right in 40 of 80 told`},
		{[]string{"bo", "cy"}, consensus.Rejected, `"ada", right in 40 of 40 told, outweighs 2 who were right in 40 of 80 told`},
		{[]string{"ada", "bo"}, consensus.Reached, ""},
		{[]string{"bo"}, consensus.Rejected, ""},
	} {
		d := s.Decide(ask(c.yes...))
		if d.Outcome != c.outcome || d.Because != c.because || !strings.HasPrefix(d.Reason(), c.because) {
			t.Errorf("%v agree: %v because %q: %s", c.yes, d.Outcome, d.Because, d.Reason())
		}
	}
}

func TestARejectionOfSeveralProposalsHasNoSides(t *testing.T) {
	l := newLedger(t, &Options{Stances: true})
	ask := func() consensus.Ballots {
		var cast []consensus.Vote
		for j := range 3 {
			for _, p := range letters(2) {
				v := vote(j, p)
				if j == 0 { // who is always right
					v.Stance = consensus.Disagree
				}
				cast = append(cast, v)
			}
		}
		return between(t, letters(2), cast...).Close()
	}
	for i := range 30 {
		if err := observe(l, fmt.Sprint(i), ask(), "", true); err != nil {
			t.Fatal(err)
		}
	}
	if d := l.Strategy().Decide(ask()); d.Outcome != consensus.Rejected || d.Because != "" {
		t.Errorf("%v because %q", d, d.Because)
	}
}

func TestAReasonSaysWhyAMinorityLeadsAnOpenDecision(t *testing.T) {
	d := taught(t, true).Strategy().Decide(saying(t, map[string]string{"ada": "no", "bo": "yes", "cy": "yes", "dee": "yes"}).Close())
	want := `"ada", right in 19 of 20 told, outweighs 3 who were right in 22 of 40 told: 1 of 4 agrees with "no", `
	if got := d.Reason(); d.Outcome != consensus.Deadlocked || !strings.HasPrefix(got, want) {
		t.Errorf("%v: %s, want %s…", d, got, want)
	}
	if d := taught(t, true).Strategy().Decide(saying(t, map[string]string{"ada": "no", "bo": "yes", "cy": "yes", "dee": "yes"})); d.Because != "" {
		t.Errorf("while votes are awaited: %v", d)
	}
}

func TestTalliesHaveTheProbabilitiesThatTheDecisionIsMadeBy(t *testing.T) {
	s := taught(t, true).Strategy()
	d := s.Decide(saying(t, map[string]string{"ada": "no", "bo": "yes", "cy": "yes"}))
	for _, tally := range d.Tallies() {
		if no := tally.ProposalID == "no"; no != (tally.Probability > 0.5) || no && tally.Probability != d.Support {
			t.Errorf("%+v of %v", tally, d)
		}
	}
	other := s.Decide(saying(t, map[string]string{"ada": "no", "bo": "yes", "cy": "yes"}))
	if !d.Equal(other) || d.Equal(other.WithProbabilities([]float64{0.1, 0.9})) {
		t.Error("decisions are equal, whatever their tallies")
	}
	defer func() {
		if recover() == nil {
			t.Error("one probability of two proposals")
		}
	}()
	d.WithProbabilities([]float64{1})
}

func TestAReasonHasTheRecordOfTheOneWhoVoted(t *testing.T) {
	m := equals(3)
	m.params.Shared = []int32{0, 0, 2}
	m.params.Records = []record{{Told: 20, Right: 19}, {Told: 20, Right: 11}, {Told: 20, Right: 12}}
	b := saying(t, map[string]string{"v1": "no", "v2": "yes"})
	if got, want := m.because(b, "no"), `"v1", right in 11 of 20 told, outweighs "v2", right in 12 of 20 told`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
