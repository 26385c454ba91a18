package reliability_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// said returns ballots from voters and the proposal each is for, two strings for each.
func said(pairs ...string) consensus.Ballots {
	var proposals []string
	var votes []consensus.Vote
	for i := 0; i < len(pairs); i += 2 {
		votes = append(votes, agree(pairs[i], pairs[i+1]))
		proposals = append(proposals, pairs[i+1])
	}
	slices.Sort(proposals)
	return closed(nil, slices.Compact(proposals), votes)
}

// trio has the votes of ada, bo and cy: ada is right in nineteen of twenty decisions, the others together in 20 of 40.
func trio(i int) (b consensus.Ballots, right string) {
	says := func(wrong bool) string {
		if wrong {
			return "no"
		}
		return "yes"
	}
	return said("ada", says(i == 7), "bo", says(i%9 > 3), "cy", says(i%10 > 4)), "yes"
}

func taught(t *testing.T, n int, outcomes bool) *reliability.Ledger {
	t.Helper()
	l := new(reliability.Ledger)
	for i := range n {
		b, right := trio(i)
		observe(t, l, fmt.Sprint(i), b)
		if outcomes {
			resolve(t, l, fmt.Sprint(i), right)
		}
	}
	return l
}

func refused(t *testing.T, err error, field string) {
	t.Helper()
	var f *consensus.FieldError
	if !errors.As(err, &f) || f.Field != field {
		t.Errorf("got %v, want %q refused", err, field)
	}
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	for field, o := range map[string]reliability.Options{
		"choices": {Choices: []string{"only"}},
		"stances": {Choices: []string{"a", "b"}, Stances: true},
		"window":  {Window: -1},
		"first":   {First: 1 << 30},
	} {
		_, err := reliability.NewLedger(&o)
		refused(t, err, field)
	}
	for _, choices := range [][]string{{"a", "a"}, {"a", ""}, {"a", "\xff"}, slices.Repeat([]string{"a"}, 65)} {
		_, err := reliability.NewLedger(&reliability.Options{Choices: choices})
		refused(t, err, "choices")
	}
	if _, err := reliability.NewLedger(nil); err != nil {
		t.Error(err)
	}
}

func TestALedgerCopiesItsOptions(t *testing.T) {
	choices := []string{"no", "yes"}
	l := ledger(t, &reliability.Options{Choices: choices})
	choices[0] = "maybe"
	l.Options().Choices[1] = "maybe"
	if got, want := l.Options().Choices, []string{"no", "yes"}; !slices.Equal(got, want) {
		t.Errorf("choices %q, want %q", got, want)
	}
}

func TestALedgerRefusesDecisionsItCannotKeep(t *testing.T) {
	l := ledger(t, &reliability.Options{Choices: []string{"yes", "no"}})
	observe(t, l, "first", said("ada", "yes", "bo", "no"))
	abstains := closed(nil, []string{"yes"}, []consensus.Vote{{Voter: "ada", ProposalID: "yes", Stance: consensus.Abstain}})
	for field, err := range map[string]error{
		"id":        l.Observe("first", said("ada", "yes")),
		"proposals": l.Observe("other", said("ada", "maybe")),
		"ballots":   l.Observe("silent", abstains),
		"voter":     l.Observe("bytes", said("\xff", "yes")),
		"outcome":   l.Resolve("first", "maybe"),
	} {
		refused(t, err, field)
	}
	refused(t, l.Resolve("unknown", "yes"), "id")
	refused(t, l.Check("first", said("ada", "yes")), "id")
	if l.Len() != 1 || !l.Holds("first") || l.Holds("other") {
		t.Errorf("holds %d decisions after refusals", l.Len())
	}
}

func TestFirstDecisionsTeachNothing(t *testing.T) {
	l := ledger(t, &reliability.Options{First: 8})
	for i := range 12 {
		want := "default"
		if i < 8 {
			want = consensus.ConfidenceWeighted{}.Name()
		}
		if got := l.Strategy().Name(); got != want {
			t.Errorf("after %d decisions %s decides, want %s", i, got, want)
		}
		if (l.Reliabilities() != nil) != (i >= 8) {
			t.Errorf("after %d decisions: %v", i, l.Reliabilities())
		}
		b, _ := trio(i)
		observe(t, l, "", b)
	}
}

func TestAStrategyDoesNotChange(t *testing.T) {
	l := taught(t, 30, true)
	s, b := l.Strategy(), said("ada", "no", "bo", "yes", "cy", "yes")
	before := s.Decide(b)
	for i := 30; i < 90; i++ {
		observe(t, l, fmt.Sprint(i), said("ada", "no", "bo", "yes"))
		resolve(t, l, fmt.Sprint(i), "yes")
	}
	if after := s.Decide(b); !before.Equal(after) {
		t.Errorf("%v, then %v", before, after)
	}
	if after := l.Strategy().Decide(b); before.Equal(after) {
		t.Errorf("nothing was learned: %v", after)
	}
}

func TestLedgerThatDefersLearningLearnsOnRequest(t *testing.T) {
	l := new(reliability.Ledger)
	l.DeferLearning()
	for i := range 30 {
		b, _ := trio(i)
		observe(t, l, "", b)
		l.Strategy()
	}
	if l.Reliabilities() != nil {
		t.Error("it learned by itself")
	}
	undo := l.Learn()
	if l.Reliabilities() == nil {
		t.Error("it did not learn")
	}
	undo()
	if l.Reliabilities() != nil {
		t.Error("it still knows what was undone")
	}
}

func TestALedgerIsSafeForConcurrentUse(t *testing.T) {
	l := new(reliability.Ledger)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 40 {
				b, right := trio(i)
				id := fmt.Sprint(worker, ".", i)
				if l.Observe(id, b) != nil || l.Resolve(id, right) != nil {
					t.Error("refused")
				}
				l.Strategy().Decide(b)
				if _, err := json.Marshal(l); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if l.Len() != 160 {
		t.Errorf("%d decisions", l.Len())
	}
}

// continued returns the decisions of a ledger over another sixty tasks.
func continued(t *testing.T, l *reliability.Ledger) (all []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	for i := 100; i < 160; i++ {
		b, right := trio(r.IntN(1000))
		d := l.Strategy().Decide(b)
		all = append(all, fmt.Sprintf("%v %v %v", d, d.Support, d.Confidence))
		observe(t, l, fmt.Sprint(i), b)
		if i%4 == 0 {
			resolve(t, l, fmt.Sprint(i-r.IntN(20)), right)
		}
	}
	return all
}

func restored(t *testing.T, saved []byte) *reliability.Ledger {
	t.Helper()
	l := new(reliability.Ledger)
	if err := json.Unmarshal(saved, l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestARestoredLedgerContinuesAsTheSavedOne(t *testing.T) {
	for _, o := range []*reliability.Options{nil, {Choices: []string{"no", "yes"}}, {Stances: true}, {Window: 44}} {
		l := ledger(t, o)
		for i := range 100 {
			b, right := trio(i)
			observe(t, l, fmt.Sprint(i), b)
			if i%9 == 0 {
				l.Strategy()
				resolve(t, l, fmt.Sprint(i-i/20), right)
			}
		}
		saved, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		again := restored(t, saved)
		if diff := cmp.Diff(l.Options(), again.Options()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(continued(t, l), continued(t, again)); diff != "" {
			t.Errorf("with %+v: %s", o, diff)
		}
	}
}

// Votes and outcomes are all that is needed of a ledger that another version saved.
func TestALedgerOfAnotherVersionLoads(t *testing.T) {
	l := taught(t, 40, true)
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var saved map[string]any
	if err := json.Unmarshal(data, &saved); err != nil {
		t.Fatal(err)
	}
	saved["parameters"] = map[string]any{"rho": 0.5}
	delete(saved, "learned")
	if data, err = json.Marshal(saved); err != nil {
		t.Fatal(err)
	}
	b := said("ada", "no", "bo", "yes", "cy", "yes")
	if got, want := restored(t, data).Strategy().Decide(b), l.Strategy().Decide(b); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Nothing has been released: a ledger that was saved before the form had a version is refused, and so are later forms.
func TestALedgerSavedInAnotherFormIsRefusedByItsVersion(t *testing.T) {
	for saved, version := range map[string]int{
		`{"options":{"choices":["no","yes"]},"known":{"rho":0.5},"several":{"voters":["ada"]}}`: 0,
		`{"version":3,"options":{},"votes":"in another form"}`:                                  3,
	} {
		l := taught(t, 8, false)
		err := json.Unmarshal([]byte(saved), l)
		if !errors.Is(err, reliability.ErrVersion) || !strings.Contains(err.Error(), fmt.Sprintf("form %d,", version)) || l.Len() != 8 {
			t.Errorf("%s: %v, and %d decisions", saved, err, l.Len())
		}
	}
}

func TestInvalidSavedLedgersAreRefused(t *testing.T) {
	for _, saved := range []string{
		`7`, `{}`, `{"version":2}`, `{"version":2,"options":{"window":-1}}`, `{"version":2,"options":{},"decisions":{}}`,
		`{"version":2,"options":{},"decisions":[{"names":["x"],"rows":[]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":[],"rows":[{"voter":["a"],"said":[0]}]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":["x"],"rows":[{"voter":["a","a"],"said":[0,0]}]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":["x"],"rows":[{"voter":["a"],"said":[2]}]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":["x"],"rows":[{"voter":["a"],"said":[]}]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":["x"],"rows":[{"voter":["a"],"said":[0],"stated":[2]}]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":["x"],"rows":[{"voter":["a"],"said":[0],"stated":[0]}]}]}`,
		`{"version":2,"options":{},"decisions":[{"names":["x","y"],"single":true,"rows":[{"voter":["a"],"said":[2]}]}]}`,
		`{"version":2,"options":{"choices":["x","y"]},"decisions":[{"names":["x"],"rows":[{"voter":["a"],"said":[0]}],"right":"z"}]}`,
		`{"version":2,"options":{},"learned":[["x"],null]}`,
	} {
		l := taught(t, 8, false)
		if err := json.Unmarshal([]byte(saved), l); err == nil || l.Len() != 8 {
			t.Errorf("%s: %v, and %d decisions", saved, err, l.Len())
		}
	}
}

func TestASavedLedgerAboveItsWindowIsRefused(t *testing.T) {
	for window, fits := range map[int]bool{7: false, 8: true, 0: true} {
		data, err := json.Marshal(taught(t, 8, false))
		if err != nil {
			t.Fatal(err)
		}
		var saved map[string]any
		if err := json.Unmarshal(data, &saved); err != nil {
			t.Fatal(err)
		}
		saved["options"].(map[string]any)["window"] = window
		if data, err = json.Marshal(saved); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, new(reliability.Ledger)); (err == nil) != fits {
			t.Errorf("8 decisions with a window of %d: %v", window, err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	l := new(reliability.Ledger)
	for i := range 12 {
		b, _ := trio(i)
		if err := l.Observe(fmt.Sprint(i), b); err != nil {
			f.Fatal(err)
		}
	}
	l.Strategy()
	saved, err := json.Marshal(l)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(saved)
	f.Fuzz(func(t *testing.T, p []byte) {
		l := new(reliability.Ledger)
		if json.Unmarshal(p, l) == nil {
			l.Strategy().Decide(said("ada", "no", "bo", "yes"))
			if _, err := json.Marshal(l); err != nil {
				t.Error(err)
			}
		}
	})
}
