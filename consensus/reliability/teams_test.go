package reliability

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// sleepers is a world where six of eighteen vote better than the others until they agree on what is wrong, in
// three decisions of ten.
func sleepers(seed uint64) *world {
	w := newWorld(seed, 5, append(even(12, 0.75, 0.5), even(6, 0.85, 0.85)...)...)
	w.liars, w.sleeps = 6, 0.7
	return w
}

// teamed returns who is in a team, sorted.
func teamed(b *Book, copies []int32) (names []string) {
	for j, g := range teams(&b.batch, b.o, copies) {
		if g >= 0 {
			names = append(names, b.names[j])
		}
	}
	slices.Sort(names)
	return names
}

// attacked returns how many of 300 decisions in which the liars collude a model is right about.
func attacked(w *world, m *Model) int {
	hits := 0
	w.sleeps = 0
	for range 300 {
		b, truth := w.decision(nil)
		if (Strategy{m}).Decide(b).Leader() == truth {
			hits++
		}
	}
	return hits
}

func TestSleepersAreATeam(t *testing.T) {
	measures(t)
	for name, o := range map[string]*Options{"own": nil, "choices": {Choices: letters(5)}} {
		for every, want := range map[int]int{5: 255} {
			w := sleepers(81)
			b := newBook(o)
			w.fill(b, 700, every)
			if got, want := teamed(b, copies(&b.batch, b.o)), voters(12, 18); !slices.Equal(got, want) {
				t.Fatalf("%s: teams of %v, want %v", name, got, want)
			}
			if got := attacked(w, b.Model()); got < want {
				t.Errorf("%s, an outcome in %d: right in %d of 300, want %d", name, every, got, want)
			}
		}
	}
}

func TestColludersMakeNoTeamOfThoseTheyOutvote(t *testing.T) {
	w := newWorld(82, 5, append(even(12, 0.65, 0.55), make([]float64, 9)...)...)
	w.liars = 9
	b := newBook(nil)
	w.fill(b, 600, 0)
	if got := teamed(b, copies(&b.batch, b.o)); got != nil {
		t.Errorf("teams of %v, want none beside nine copies", got)
	}
	if teamed(b, nil) == nil {
		t.Error("no team of those outvoted where copies are not known: this tests nothing")
	}
}

func TestTwoChoicesTellNoTeam(t *testing.T) {
	w := newWorld(83, 2, even(12, 0.8, 0.6)...)
	w.liars, w.sleeps = 5, 0.7
	for name, o := range kinds(2) {
		b := newBook(o)
		w.fill(b, 400, 0)
		if got := teamed(b, nil); got != nil {
			t.Errorf("%s: teams of %v", name, got)
		}
	}
}

func TestTeamSpeaksAsOneWhenItAgrees(t *testing.T) {
	team := []int32{0, -1, 0, 0, 1, 1}
	for _, c := range []struct{ voter, said, want []int32 }{
		{[]int32{0, 1, 2}, []int32{4, 4, 4}, []int32{6, 1, -1}},
		{[]int32{0, 2, 3}, []int32{4, 4, 1}, []int32{0, 2, 3}},
		{[]int32{0, 4, 5}, []int32{4, 2, 2}, []int32{0, 7, -1}},
		{[]int32{1, 9}, []int32{0, 0}, []int32{1, 9}},
	} {
		if got := asOne(team, c.voter, func(i int) (int32, bool) { return c.said[i], true }); !slices.Equal(got, c.want) {
			t.Errorf("voters %v saying %v count as %v, want %v", c.voter, c.said, got, c.want)
		}
	}
}

func TestBookWithATeamIsRestored(t *testing.T) {
	measures(t)
	w := sleepers(84)
	a := newBook(nil)
	w.fill(a, 700, 5)
	m := a.Learn()
	if m.params.Team == nil {
		t.Fatal("no team")
	}
	saved, b := restored(t, a)
	ballots, _ := w.decision(nil)
	x, _ := m.Probabilities(ballots)
	if y, _ := b.Model().Probabilities(ballots); !slices.Equal(x, y) {
		t.Errorf("restored it says %v, before %v", y, x)
	}
	newcomer, _ := consensus.NewBallots(nil, letters(5), []consensus.Vote{vote(0, "a"), vote(77, "b")})
	if each, _ := m.Probabilities(newcomer); !(each[0] > each[1] && each[1] > 0) {
		t.Errorf("a known voter against a newcomer: %v", each)
	}
	for _, change := range []func([]int32) []int32{
		func(team []int32) []int32 { return team[1:] },
		func(team []int32) []int32 { return append(slices.Clone(team[1:]), 99) },
	} {
		var s state
		if err := json.Unmarshal(saved, &s); err != nil {
			t.Fatal(err)
		}
		s.Model.Team = change(s.Model.Team)
		broken, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(broken, new(Book)); err == nil {
			t.Errorf("accepted teams %v", s.Model.Team)
		}
	}
}
