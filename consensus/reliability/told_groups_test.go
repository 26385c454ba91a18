package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// ofTwoKinds returns options for nine voters: the first six are one group, each of the others is a group of its own.
func ofTwoKinds() *consensus.Options {
	o := &consensus.Options{Groups: map[string]string{}}
	for j := range 9 {
		o.Groups[fmt.Sprint("v", j)] = fmt.Sprint("model ", max(5, j))
	}
	return o
}

// nine returns ballots with six voters for one proposal and three for another.
func nine(t *testing.T, o *consensus.Options) consensus.Ballots {
	t.Helper()
	var cast []consensus.Vote
	for j := range 9 {
		cast = append(cast, vote(j, letters(2)[j/6]))
	}
	b, err := consensus.NewBallots(o, letters(3), cast)
	if err != nil {
		t.Fatal(err)
	}
	return b.Close()
}

// six draws a decision by nine voters, the first six of whom say the same if they are copies.
func six(r *rand.Rand, o *consensus.Options, copies bool) (b consensus.Ballots, right string) {
	truth := r.IntN(3)
	var cast []consensus.Vote
	for j := range 9 {
		said := truth
		if r.Float64() > 0.75 {
			said = (truth + 1 + r.IntN(2)) % 3
		}
		v := vote(j, letters(3)[said])
		if copies && 0 < j && j < 6 {
			v.ProposalID = cast[0].ProposalID
		}
		cast = append(cast, v)
	}
	b, err := consensus.NewBallots(o, letters(3), cast)
	if err != nil {
		panic(err)
	}
	return b, letters(3)[truth]
}

func TestGroupsDecideFromTheFirstDecisionOn(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(1, 1))
	l := newLedger(t, nil)
	for i := range 60 {
		d := l.Strategy().Decide(nine(t, o))
		if i < 20 && !strings.Contains(d.String(), "voters of a group share its weight") {
			t.Fatalf("after %d decisions %s, without a note that votes are shared", i, d)
		}
		if d.Leader() != "b" {
			t.Fatalf("after %d decisions %v, want the choice of three models, against six copies of one", i, d)
		}
		b, _ := six(r, o, true)
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSingleVotersOfGroupsAndASingleGroupShareNothing(t *testing.T) {
	for last, voters := range map[string][]int{"h": {0, 2}, "g": {0, 1, 2}} {
		o := &consensus.Options{Groups: map[string]string{"v0": "g", "v1": "g", "v2": last}}
		var cast []consensus.Vote
		for _, j := range voters {
			cast = append(cast, vote(j, "a"))
		}
		b, err := consensus.NewBallots(o, letters(2), cast)
		if err != nil {
			t.Fatal(err)
		}
		if d := newLedger(t, nil).Strategy().Decide(b.Close()); d.Note != "" {
			t.Errorf("voters %v, the last one of %s: %v, want no note that votes are shared", voters, last, d)
		}
	}
}

func TestVotersOfAGroupThatErrIndependentlyCountFully(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(2, 1))
	grouped, plain := newLedger(t, nil), newLedger(t, nil)
	for range 48 {
		b, _ := six(r, o, false)
		for _, l := range []*Ledger{grouped, plain} {
			x := b
			if l == plain {
				x = nineOf(t, b)
			}
			if err := l.Observe("", x); err != nil {
				t.Fatal(err)
			}
		}
	}
	several, _ := grouped.Models()
	if several.params.Shared != nil {
		t.Errorf("after 48 decisions %v share votes, want nobody", several.params.Shared)
	}
	got, want := grouped.Strategy().Decide(nine(t, o)), plain.Strategy().Decide(nine(t, nil))
	if got.Choice != want.Choice || got.Confidence != want.Confidence || got.Leader() != "a" {
		t.Errorf("%v, and without groups %v", got, want)
	}
}

// nineOf returns the same ballots without groups.
func nineOf(t *testing.T, b consensus.Ballots) consensus.Ballots {
	t.Helper()
	x, err := consensus.NewBallots(nil, b.Proposals(), slices.Collect(b.Votes()))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestUndeclaredCopiesAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	l := newLedger(t, nil)
	for range 80 {
		b, _ := six(r, nil, true)
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
	}
	if d := l.Strategy().Decide(nine(t, nil)); d.Leader() != "b" {
		t.Errorf("%v, want the choice of three voters, against six copies", d)
	}
}

// The agreement of two voters does not show which of them is right more often.
func TestTwoGroupsTeachNothingUntilOutcomesAreKnown(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(4, 1))
	o.Groups["v7"], o.Groups["v8"] = o.Groups["v6"], o.Groups["v6"]
	l := newLedger(t, nil)
	observe := func(id string) (right string) {
		t.Helper()
		b, right := six(r, o, true)
		var cast []consensus.Vote
		for v := range b.Votes() {
			if v.Voter > "v6" {
				v.ProposalID = cast[6].ProposalID
			}
			cast = append(cast, v)
		}
		b, err := consensus.NewBallots(o, letters(3), cast)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Observe(id, b); err != nil {
			t.Fatal(err)
		}
		return right
	}
	for range 60 {
		observe("")
	}
	if d := l.Strategy().Decide(nine(t, o)); d.Outcome != consensus.Deadlocked || d.Learned || !strings.Contains(d.Note, "one group") {
		t.Errorf("%v, want nothing decided or learned of two groups", d)
	}
	for i := range 20 {
		id := fmt.Sprint("told ", i)
		if err := l.Resolve(id, observe(id)); err != nil {
			t.Fatal(err)
		}
	}
	if several, _ := l.Models(); len(several.Voters()) == 0 {
		t.Error("nothing is learned from outcomes")
	}
}

// With nine outcomes, a group with most of the votes still prevents learning; with ten, voters are judged by them.
func TestTenOutcomesTeachWhatAgreementOfAGroupCannot(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(8, 1))
	c := crew{right: fill(9, 0.75), group: "AAAAAA...", follow: 0.6, k: 2} // of two answers, the votes show no source
	b := newBook(nil)
	for i := range 40 {
		said, truth := c.decision(r)
		var cast []consensus.Vote
		for j, l := range said {
			cast = append(cast, vote(j, letters(2)[l]))
		}
		ballots, err := consensus.NewBallots(o, letters(2), cast)
		if err != nil {
			t.Fatal(err)
		}
		if err := observe(b, fmt.Sprint(i), ballots, letters(2)[truth], i >= 20); err != nil {
			t.Fatal(err)
		}
		if i >= 20 {
			m := b.Learn()
			if told := i - 19; len(m.Voters()) > 0 != (told >= 10) || m.Certificate().Group != (told < 10) {
				t.Errorf("with %d outcomes it knows %q, certificate %+v", told, m.Voters(), m.Certificate())
			}
		}
	}
}

func TestOnlyOutcomesTeachWhileAGroupDominates(t *testing.T) {
	o := &consensus.Options{Groups: map[string]string{"v0": "g", "v1": "g", "v2": "g", "v3": "g", "v4": "h"}}
	b := newBook(nil)
	w := newWorld(31, 2, 0.6, 0.6, 0.6, 0.6, 0.9)
	for i := range 200 {
		all, right := w.decision(o)
		cast := slices.Collect(all.Votes())
		for j := 1; j < 4; j++ {
			if w.Float64() < 0.9 {
				cast[j].ProposalID = cast[0].ProposalID
			}
		}
		ballots, err := consensus.NewBallots(o, w.choices, cast)
		if err != nil {
			t.Fatal(err)
		}
		if err := observe(b, fmt.Sprint(i), ballots, right, nth(i, 10)); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	group, _ := m.Reliability("v0", 2)
	other, _ := m.Reliability("v4", 2)
	if other.Sensitivity < group.Sensitivity {
		t.Errorf("the voter who is right in 90 %% is held to be in %.2f, one of the group in %.2f", other.Sensitivity, group.Sensitivity)
	}
}

// Whether a group errs together shows in its own votes and those of the others.
func TestAGroupDominatesIfItHasHalfTheVotersAndAgreesMoreThanOthers(t *testing.T) {
	for _, c := range []struct {
		name      string
		of        map[string]string
		says      []string // by decision, of v0 to v5
		decisions int
		dominated bool
		copies    []int32
	}{
		{"half of the voters", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, []string{"aaaabc", "bbbabc", "cccabc"}, 60, true, nil},
		{"fewer than half", map[string]string{"v0": "g", "v1": "g", "v2": "h"}, []string{"aaaabc", "bbbabc", "cccabc"}, 60, false, nil},
		{"as different as the others", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, []string{"abcabc", "bcaabc", "cababc"}, 60, false, nil},
		{"as different, so far", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, []string{"abcabc", "bcaabc", "cababc"}, 3, true, nil},
		{"beside another that agrees", map[string]string{"v0": "g", "v1": "g", "v2": "g", "v3": "h", "v4": "h", "v5": "h"}, slices.Concat(slices.Repeat([]string{"abcaaa"}, 11), slices.Repeat([]string{"aaabbb"}, 9)), 60, true, nil},
		{"beside others who agree", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, slices.Concat(slices.Repeat([]string{"abcaaa"}, 11), slices.Repeat([]string{"aaabbb"}, 9)), 60, false, nil},
		{"alike by the others, who differ more among themselves", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, append(slices.Repeat([]string{"aababc", "bbcabc", "ccaabc"}, 4)[:11], "aaaabc"), 60, true, nil},
		{"apart, beside one who is mostly wrong", map[string]string{"v0": "g", "v1": "g", "v2": "g", "v3": "h", "v4": "h"}, []string{"aabac", "abaac", "baaac", "aaabc"}, 60, false, nil},
		{"one of two", map[string]string{"v0": "g"}, []string{"ab"}, 60, false, nil},
		{"everybody", map[string]string{"v0": "g", "v1": "g", "v2": "g", "v3": "g", "v4": "g", "v5": "g"}, []string{"aaaaaa"}, 60, false, nil},
		{"nobody", nil, []string{"aaaabc"}, 60, false, nil},
		{"half of the voters, of whom two are copies", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, []string{"aaaabc", "bbbabc", "cccabc"}, 60, false, []int32{0, 0, 2, 3, 4, 5}},
		{"all copies, beside three", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, []string{"aaaabc", "bbbabc", "cccabc"}, 60, false, []int32{0, 0, 0, 3, 4, 5}},
		{"all copies, beside one", map[string]string{"v0": "g", "v1": "g", "v2": "g"}, []string{"aaab", "bbba"}, 60, true, []int32{0, 0, 0, 3}},
	} {
		b := newBook(&Options{First: 1 << 20})
		for i := range c.decisions {
			var cast []consensus.Vote
			for j, said := range c.says[i%len(c.says)] {
				cast = append(cast, vote(j, string(said)))
			}
			ballots, err := consensus.NewBallots(&consensus.Options{Groups: c.of}, letters(3), cast)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Observe("", ballots); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.lesson().dominated(&b.batch, c.copies, nil); got != c.dominated {
			t.Errorf("%s: dominated %v, want %v", c.name, got, c.dominated)
		}
	}
}

func TestGroupsRemainWhenOtherVotersAreForgotten(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(8, 1))
	b := newBook(&Options{Window: 40})
	for i := range 60 {
		passer := vote(1000+i, "a")
		o.Groups[passer.Voter] = "passers"
		x, _ := six(r, o, true)
		x, err := consensus.NewBallots(o, letters(3), append(slices.Collect(x.Votes()), passer))
		if err := errors.Join(err, b.Observe("", x)); err != nil {
			t.Fatal(err)
		}
	}
	l := b.lesson()
	for j, name := range l.names {
		if l.groups[j] != o.Groups[name] {
			t.Errorf("%s is in group %q, want %q", name, l.groups[j], o.Groups[name])
		}
	}
	if n := len(l.names); n >= 60 || len(b.groups) != n {
		t.Errorf("%d voters are kept, and the groups of %d", n, len(b.groups))
	}
}

func TestCopiesShareWithEachOtherAndNotWithNewcomers(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(9, 1))
	b := newBook(nil)
	for i := range 60 {
		x, right := six(r, o, true)
		if err := observe(b, fmt.Sprint(i), x, right, true); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"v0", "v5", true},
		{"v6", "v7", false},
		{"v0", "new", false},
		{"new", "newer", true},
	} {
		if got := m.together(c.a, "g") == m.together(c.b, "g"); got != c.same {
			t.Errorf("%s and %s of one group share: %v, want %v", c.a, c.b, got, c.same)
		}
	}
	if m.together("new", "g") == m.together("new", "h") {
		t.Error("newcomers of two groups share")
	}
}

func TestNewcomersOfOneGroupShareTheirVotes(t *testing.T) {
	w := newWorld(5, 3, even(5, 0.8, 0.8)...)
	l := newLedger(t, nil)
	w.show(t, l, 60, 0)
	decide := func(n int, o *consensus.Options) consensus.Decision {
		cast := []consensus.Vote{vote(0, "a"), vote(1, "a")}
		for j := range n {
			cast = append(cast, vote(100+j, "b"))
		}
		x, err := consensus.NewBallots(o, letters(2), cast)
		if err != nil {
			t.Fatal(err)
		}
		return l.Strategy().Decide(x)
	}
	o := &consensus.Options{Groups: map[string]string{"v0": "zero"}}
	for j := range 8 {
		o.Groups[fmt.Sprint("v", 100+j)] = "one"
	}
	one, two, eight := decide(1, nil), decide(2, nil), decide(8, o)
	if !eight.Learned || one.Choice != "a" || eight.Support > one.Support || eight.Support < two.Support {
		t.Errorf("eight of a group: %v; want between two %v and one %v", eight, two, one)
	}
	if d := decide(8, nil); d.Choice != "b" {
		t.Errorf("eight newcomers on their own: %v", d)
	}
}

func TestGroupsShareAVoteOnOneProposal(t *testing.T) {
	o := ofTwoKinds()
	l := newLedger(t, &Options{Stances: true})
	r := rand.New(rand.NewPCG(6, 1))
	ballots := func(o *consensus.Options, copies int, stance func(j int) consensus.Stance) consensus.Ballots {
		var cast []consensus.Vote
		for j := range 9 {
			v := vote(j, "a")
			v.Stance = stance(j)
			if 0 < j && j < copies {
				v.Stance = cast[0].Stance
			}
			cast = append(cast, v)
		}
		b, err := consensus.NewBallots(o, []string{"a"}, cast)
		if err != nil {
			t.Fatal(err)
		}
		return b.Close()
	}
	camps := func(j int) consensus.Stance { return consensus.Stance(1 + j/6) }
	alone := newLedger(t, &Options{Stances: true})
	for range 60 {
		truth := consensus.Stance(1 + r.IntN(2))
		says := func(int) consensus.Stance {
			if r.Float64() < 0.8 {
				return truth
			}
			return 3 - truth
		}
		if d := l.Strategy().Decide(ballots(o, 0, camps)); d.Choice == "a" {
			t.Fatalf("%v, want no choice of six copies against three", d)
		}
		if err := l.Observe("", ballots(o, 6, says)); err != nil {
			t.Fatal(err)
		}
		if err := alone.Observe("", ballots(o, 0, says)); err != nil {
			t.Fatal(err)
		}
	}
	if d := alone.Strategy().Decide(ballots(o, 0, camps)); d.Choice != "a" {
		t.Errorf("%v, want the choice of six who err independently", d)
	}
}

func TestGroupsAreSaved(t *testing.T) {
	o, r := ofTwoKinds(), rand.New(rand.NewPCG(7, 1))
	l, again := newLedger(t, &Options{First: 30}), new(Ledger)
	for i := range 40 {
		if i == 19 {
			saved, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(saved, again); err != nil {
				t.Fatal(err)
			}
		}
		b, _ := six(r, o, true)
		if err := l.Observe("", b); err != nil {
			t.Fatal(err)
		}
		if i >= 19 {
			if err := again.Observe("", b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := again.Strategy().Decide(nine(t, o)), l.Strategy().Decide(nine(t, o)); !got.Equal(want) {
		t.Errorf("restored %v, want %v", got, want)
	}
	if err := again.Observe("", nineOf(t, nine(t, o))); err != nil || len(again.several.groups) != 0 {
		t.Errorf("%v: voters whom the options no longer name are in %v", err, again.several.groups)
	}
}
