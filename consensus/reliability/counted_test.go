package reliability

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// agreeing returns ballots of voters who agree with a choice each, in pairs of a voter and what it says.
func agreeing(t *testing.T, o *consensus.Options, cast ...string) consensus.Ballots {
	t.Helper()
	var votes []consensus.Vote
	for i := 0; i < len(cast); i += 2 {
		votes = append(votes, consensus.Vote{Voter: cast[i], ProposalID: cast[i+1], Stance: consensus.Agree, Weight: 1})
	}
	b, err := consensus.NewBallots(o, letters(3), votes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// says returns what a voter says who is right so often.
func (w *world) says(truth int, right float64) string {
	if w.Float64() > right {
		truth += 1 + w.IntN(len(w.choices)-1)
	}
	return w.choices[truth%len(w.choices)]
}

// cast returns the votes of v0, v1 and so on.
func (w *world) cast(truth int) (cast []string) {
	for j, right := range w.right {
		cast = append(cast, fmt.Sprint("v", j), w.says(truth, right))
	}
	return cast
}

// A voter could otherwise paralyse a team by names that copy it, or by names that vote once.
func TestNeitherCopiesNorPassersByMakeACrowd(t *testing.T) {
	weights := map[string]map[string]float64{}
	for _, with := range []string{"nobody", "copies", "passers-by"} {
		w, b := newWorld(81, 3, even(5, 0.7, 0.5)...), newBook(&Options{Choices: letters(3)})
		for range 300 {
			cast := w.cast(w.IntN(3))
			if with == "copies" {
				for i := range 20 {
					cast = append(cast, fmt.Sprint("w", i), cast[1])
				}
			}
			if err := b.Observe("", agreeing(t, nil, cast...)); err != nil {
				t.Fatal(err)
			}
		}
		if with == "passers-by" {
			for i := range 20 {
				if err := b.Observe("", agreeing(t, nil, fmt.Sprint("passer-by ", i), "a")); err != nil {
					t.Fatal(err)
				}
			}
		}
		m := b.Learn()
		weights[with] = map[string]float64{}
		for _, s := range m.Structures(agreeing(t, nil, "v0", "a", "v1", "b")) {
			weights[with][s.Name] = s.Weight
		}
		if m.params.Crowd != 0.1 {
			t.Errorf("%s: five voters are %.2f of a crowd", with, m.params.Crowd)
		}
		if !maps.Equal(weights[with], weights["nobody"]) {
			t.Errorf("weights beside %s %v, beside nobody %v", with, weights[with], weights["nobody"])
		}
	}
}

func TestASpecialistIsNotConstant(t *testing.T) {
	w, b := newWorld(82, 3, fill(5, 0.7)...), newBook(&Options{Choices: letters(3)})
	for range 300 {
		truth := w.IntN(3)
		cast := w.cast(truth)
		if truth == 0 && w.Float64() < 0.95 || w.Float64() < 0.01 { // it only speaks where it recognizes a
			cast = append(cast, "specialist", "a")
		}
		if err := b.Observe("", agreeing(t, nil, cast...)); err != nil {
			t.Fatal(err)
		}
	}
	if r, _ := b.Learn().Reliability("specialist", 3); r.Sensitivity < 0.5 {
		t.Errorf("right in nearly all of its votes, held to be right in %.2f", r.Sensitivity)
	}
}

func TestVotersWhoTeachNothingChangeNothingAboutGroups(t *testing.T) {
	w, o := newWorld(83, 3, fill(5, 0.7)...), &consensus.Options{Groups: map[string]string{}}
	fill := func(b *Book) {
		for range 200 {
			if err := b.Observe("", agreeing(t, o, w.cast(w.IntN(3))...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	beside := newBook(nil)
	for i := range 6 {
		name := fmt.Sprint("passer-by ", i)
		o.Groups[name] = "g"
		if err := beside.Observe("", agreeing(t, o, name, "a")); err != nil {
			t.Fatal(err)
		}
	}
	if fill(beside); beside.Learn().Certificate().Group {
		t.Error("a group dominates whose voters have voted once, alone")
	}
	for j := range 5 {
		o.Groups[fmt.Sprint("v", j)] = "g"
	}
	one := newBook(nil)
	fill(one)
	if err := one.Observe("", agreeing(t, nil, "stranger", "a")); err != nil {
		t.Fatal(err)
	}
	if m := one.Learn(); !m.params.OneGroup {
		t.Error("a stranger's vote, alone in its decision, hides that all others are of one group")
	}
	if err := one.Observe("", agreeing(t, o, "stranger", "a", "v0", "b")); err != nil {
		t.Fatal(err)
	}
	if m := one.Learn(); m.params.OneGroup {
		t.Error("a stranger who votes with the others is of their group")
	}
}

func TestWhoCopiesAGroupMemberMayHaveAnyName(t *testing.T) {
	dominates := map[string]bool{}
	for _, name := range []string{"a copy", "z copy"} {
		w, b := newWorld(84, 3, 0.7, 0.7, 0.7), newBook(nil)
		o := &consensus.Options{Groups: map[string]string{"g1": "g", "g2": "g", "g3": "g"}}
		for range 200 {
			truth := w.IntN(3)
			model, cast := w.says(truth, 0.6), w.cast(truth)
			for _, v := range []string{"g1", "g2", "g3"} {
				said := model
				if w.Float64() < 0.45 {
					said = w.says(truth, 0.6)
				}
				if cast = append(cast, v, said); v == "g1" {
					cast = append(cast, name, said)
				}
			}
			if err := b.Observe("", agreeing(t, o, cast...)); err != nil {
				t.Fatal(err)
			}
		}
		dominates[name] = b.Learn().Certificate().Group
	}
	if dominates["a copy"] != dominates["z copy"] {
		t.Errorf("a group dominates: %v", dominates)
	}
}

func TestACopyOfTheOnlyVoterAddsNothing(t *testing.T) {
	w, b := newWorld(85, 3, fill(12, 0.6)...), newBook(nil)
	for range 300 {
		cast := w.cast(w.IntN(3))
		if err := b.Observe("", agreeing(t, nil, append(cast, "copy", cast[1])...)); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	one, _ := m.Probabilities(agreeing(t, nil, "v0", "a"))
	two, _ := m.Probabilities(agreeing(t, nil, "v0", "a", "copy", "a"))
	if two[0] > one[0]+0.02 {
		t.Errorf("with its copy %.3f, alone %.3f", two[0], one[0])
	}
}

func TestAVotersGroupIsThatOfItsLatestBallot(t *testing.T) {
	b := newBook(nil)
	observe := func(group string, votes ...consensus.Vote) {
		x, err := consensus.NewBallots(&consensus.Options{Groups: map[string]string{"v0": group}}, letters(3), append(votes, vote(1, "c")))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Observe("", x); err != nil {
			t.Fatal(err)
		}
	}
	observe("first", vote(0, "a"))
	observe("second", vote(0, "a"), vote(0, "b")) // for either: it is not learned from
	if got := b.groups["v0"]; got != "second" {
		t.Errorf("group %q after a ballot for two proposals", got)
	}
	weightless := vote(0, "a")
	weightless.Weight = 0
	observe("third", weightless)
	if got := b.groups["v0"]; got != "third" {
		t.Errorf("group %q after a ballot without weight", got)
	}
	if n := len(b.batch.Voter); n != 4 { // v0 once, v1 three times
		t.Errorf("%d votes are learned from, want 4", n)
	}
}

func TestWhatManyVotesPerVoterTaughtIsRestored(t *testing.T) {
	b := newBook(nil)
	newWorld(86, 3, 0.9, 0.7, 0.6).fill(b, 40, 0)
	b.Learn().params.PerVoter = 1 << 24
	p, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(p, new(Book)); err != nil {
		t.Error(err)
	}
}

func TestYoungIsByDecisionsLearnedFrom(t *testing.T) {
	b := newBook(nil)
	newWorld(87, 3, 0.9, 0.7, 0.6).fill(b, 20, 0)
	for i := range 500 {
		if err := b.Observe("", agreeing(t, nil, "v0", letters(3)[i%3])); err != nil { // alone
			t.Fatal(err)
		}
	}
	if n := b.Learn().params.Decisions; n > 40 {
		t.Errorf("learned from %d decisions, want about the twenty with several votes", n)
	}
}
