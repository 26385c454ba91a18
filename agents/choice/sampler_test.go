package choice_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/choice"
	"github.com/swarmbus/swarmbus/signals"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func sampler(t *testing.T, names ...string) *choice.Sampler {
	t.Helper()
	s, err := choice.New(names...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play lets a sampler choose so often, where each strategy pays by chance.
func play(s *choice.Sampler, r *rand.Rand, times int, pays map[string]float64) map[string]int {
	chosen := map[string]int{}
	for range times {
		name := s.Choose(r)
		chosen[name]++
		reward := 0.0
		if r.Float64() < pays[name] {
			reward = 1
		}
		if err := s.Learn(name, reward); err != nil {
			panic(err)
		}
	}
	return chosen
}

func TestTheBestStrategyIsChosenMostAndEveryOneIsTried(t *testing.T) {
	pays := map[string]float64{"bad": 0.2, "good": 0.8, "fair": 0.5}
	for seed := range uint64(20) {
		s := sampler(t, "bad", "good", "fair")
		chosen := play(s, rng(seed), 500, pays)
		if chosen["good"] < 350 || chosen["bad"] == 0 || chosen["fair"] == 0 {
			t.Errorf("seed %d: chosen %v, want mostly good and all of them", seed, chosen)
		}
		for _, a := range s.Arms() {
			if got := a.Gains + a.Losses; math.Abs(got-float64(chosen[a.Name])) > 1e-9 {
				t.Errorf("seed %d: %s learned from %v of %d", seed, a.Name, got, chosen[a.Name])
			}
		}
	}
}

func TestChoicesRepeat(t *testing.T) {
	run := func() (all []string) {
		s, r := sampler(t, "a", "b", "c"), rng(7)
		for i := range 50 {
			name := s.Choose(r)
			all = append(all, name)
			s.Learn(name, float64(i%2))
		}
		return all
	}
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Error(diff)
	}
}

func TestBeforeAnythingIsKnownAllAreEquallyLikely(t *testing.T) {
	s, r, chosen := sampler(t, "a", "b", "c"), rng(3), map[string]int{}
	for range 3000 {
		chosen[s.Choose(r)]++
	}
	for name, n := range chosen {
		if n < 900 || n > 1100 {
			t.Errorf("%s was chosen %d times of 3000, want about a third", name, n)
		}
	}
}

func TestRewardsInBetweenCountInPart(t *testing.T) {
	s := sampler(t, "a")
	s.Learn("a", 0.25)
	if diff := cmp.Diff([]choice.Arm{{Name: "a", Gains: 0.25, Losses: 0.75}}, s.Arms()); diff != "" {
		t.Error(diff)
	}
	if m := s.Arms()[0].Mean(); math.Abs(m-1.25/3) > 1e-12 {
		t.Errorf("mean %v", m)
	}
}

func TestInvalidInputIsRefusedAndChangesNothing(t *testing.T) {
	for _, names := range [][]string{nil, {""}, {"a", "a"}} {
		if _, err := choice.New(names...); !isField(err) {
			t.Errorf("%q: got %v", names, err)
		}
	}
	s := sampler(t, "a")
	for name, reward := range map[string]float64{"a": 1.1, "b": 0.5} {
		if err := s.Learn(name, reward); !isField(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, text := range []string{`[]`, `[{"name":"x","gains":-1}]`, `{}`, `[{"name":"x","losses":-1}]`} {
		if json.Unmarshal([]byte(text), s) == nil {
			t.Errorf("%s was read", text)
		}
	}
	if diff := cmp.Diff([]choice.Arm{{Name: "a"}}, s.Arms()); diff != "" {
		t.Error(diff)
	}
}

func isField(err error) bool {
	var field *signals.FieldError
	return errors.As(err, &field)
}

func TestSamplerStateIsSaved(t *testing.T) {
	s := sampler(t, "a", "b")
	s.Learn("b", 0.75)
	text, err := json.Marshal(s)
	var back choice.Sampler
	if err != nil || json.Unmarshal(text, &back) != nil {
		t.Fatal(string(text), err)
	}
	if diff := cmp.Diff(s.Arms(), back.Arms()); diff != "" || back.Choose(rng(1)) != s.Choose(rng(1)) {
		t.Error(diff)
	}
}

// A sampler that finds out which of three strategies pays.
func ExampleSampler() {
	s, err := choice.New("search first", "ask for evidence", "propose at once")
	if err != nil {
		fmt.Println(err)
		return
	}
	pays := map[string]float64{"search first": 0.8, "ask for evidence": 0.6, "propose at once": 0.3}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		name := s.Choose(r)
		reward := 0.0
		if r.Float64() < pays[name] {
			reward = 1
		}
		if err := s.Learn(name, reward); err != nil {
			fmt.Println(err)
		}
	}
	for _, a := range s.Arms() {
		fmt.Printf("%-16s chosen %3.0f times, pays about %.2f\n", a.Name, a.Gains+a.Losses, a.Mean())
	}
	// Output:
	// search first     chosen 170 times, pays about 0.81
	// ask for evidence chosen  18 times, pays about 0.45
	// propose at once  chosen  12 times, pays about 0.36
}
