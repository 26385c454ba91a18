package main

import (
	"os"
	"testing"
)

// loaded are the sets in the repository.
func loaded(t *testing.T) []*set {
	t.Helper()
	sets, err := load(os.DirFS(vendored))
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func TestWithoutOutcomesNeverAPointBelowMajority(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	for _, s := range loaded(t) {
		least := max(0.01, 1/float64(s.tasks())+1e-9) // of 25 tasks, one is four points
		gold := s.known(0, 1)
		got := measure(s.score(byPosterior(learned)(s, gold), nil), false).Accuracy
		if want := measure(s.score(byPosterior(majority)(s, gold), nil), false).Accuracy; got < want-least {
			t.Errorf("%s: right in %.1f %%, majority in %.1f %%", s.name, 100*got, 100*want)
		}
	}
}

// A stream claims to be right when it is surer than it is right.
func TestNoStreamEndsBehindMajorityClaimingToBeRight(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	for _, s := range loaded(t) {
		if s.name == "sp" || len(s.voter) < streamLeast*s.tasks() { // sp takes a minute
			continue
		}
		for seed := range uint64(2) {
			x := s.stream(s.streams()["learned"], s.known(0, seed), seed)
			if least := max(0.03, 1/float64(s.tasks())+1e-9); x.Accuracy < x.Majority-least && x.Gap > 0 {
				t.Errorf("%s: right in %.1f %%, majority in %.1f %%, and %.1f points surer than right", s.name, 100*x.Accuracy, 100*x.Majority, 100*x.Gap)
			}
		}
	}
}
