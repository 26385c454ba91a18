package routing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/routing"
)

var began = time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return began.Add(d) }

func timers(t testing.TB, s routing.Strategy, own ...routing.Schedule) *routing.Timers {
	t.Helper()
	r, err := routing.New(routing.Config{Strategy: s, Timers: own})
	if err != nil {
		t.Fatal(err)
	}
	return r.Timers("a", 1, began)
}

// due returns what is due, and fires it.
func due(ts *routing.Timers, at time.Duration) (names []string) {
	for _, f := range ts.Due(after(at)) {
		names = append(names, f.Timer.Name)
		ts.Fired(f.Timer.Name, after(at))
	}
	return names
}

func TestATimerFiresOnceOrAgainAndAgain(t *testing.T) {
	t.Parallel()
	ts := timers(t, routing.Strategy{},
		routing.Schedule{Name: "once", After: 3 * time.Second},
		routing.Schedule{Name: "often", After: 2 * time.Second, Every: 2 * time.Second})
	var fired []string
	for s := range 8 {
		fired = append(fired, fmt.Sprintf("%d%v", s, due(ts, time.Duration(s)*time.Second)))
	}
	want := []string{"0[]", "1[]", "2[often]", "3[once]", "4[often]", "5[]", "6[often]", "7[]"}
	if !slices.Equal(fired, want) {
		t.Errorf("got %v, want %v", fired, want)
	}
	if at, running := ts.Next(); !running || at != after(8*time.Second) {
		t.Errorf("next at %v, %v", at, running)
	}
}

func TestATimerThatIsLateFiresOnceAndKeepsItsPace(t *testing.T) {
	t.Parallel()
	ts := timers(t, routing.Strategy{}, routing.Schedule{Name: "often", After: 2 * time.Second, Every: 2 * time.Second})
	if got := due(ts, 7*time.Second); !slices.Equal(got, []string{"often"}) {
		t.Errorf("late: %v", got)
	}
	if at, _ := ts.Next(); at != after(8*time.Second) {
		t.Errorf("next after %v", at.Sub(began))
	}
}

func TestTimersComeInTheOrderOfTheirTimes(t *testing.T) {
	t.Parallel()
	ts := timers(t, routing.Strategy{}, routing.Schedule{Name: "late", After: 2 * time.Second},
		routing.Schedule{Name: "early", After: time.Second}, routing.Schedule{Name: "second", After: time.Second})
	if got := due(ts, time.Minute); !slices.Equal(got, []string{"early", "second", "late"}) {
		t.Errorf("got %v", got)
	}
	if _, running := ts.Next(); running {
		t.Error("a timer runs after all have fired")
	}
}

// A timer of a state counts from entering the state, and stops when the state is left.
func TestATimerOfAStateRunsInIt(t *testing.T) {
	t.Parallel()
	ts := timers(t, routing.Strategy{
		States: []routing.State{"idle", "waiting", "asking"},
		Timers: []routing.Schedule{{Name: "patience", After: 5 * time.Second, In: []routing.State{"waiting", "asking"}}},
	})
	if got := due(ts, time.Hour); got != nil {
		t.Errorf("fired %v before its state", got)
	}
	ts.Enter("waiting", after(10*time.Second))
	ts.Enter("asking", after(12*time.Second)) // it runs in both, and does not begin anew
	if at, running := ts.Next(); !running || at != after(15*time.Second) {
		t.Errorf("next after %v, %v", at.Sub(began), running)
	}
	ts.Enter("idle", after(14*time.Second))
	if got := due(ts, time.Hour); got != nil {
		t.Errorf("fired %v after its state", got)
	}
	ts.Enter("waiting", after(20*time.Second))
	if got := due(ts, 25*time.Second); !slices.Equal(got, []string{"patience"}) {
		t.Errorf("in its state again: %v", got)
	}
	if got := due(ts, time.Hour); got != nil {
		t.Errorf("fired %v twice in one stay", got)
	}
	ts.Enter("idle", after(2*time.Hour))
	ts.Enter("waiting", after(2*time.Hour))
	if got := due(ts, 3*time.Hour); !slices.Equal(got, []string{"patience"}) {
		t.Errorf("in a later stay: %v", got)
	}
}

func TestTimersThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	for field, s := range map[string]routing.Schedule{
		"timers[1].name":   {Name: "x", After: 1},
		"timers[1].after":  {Name: "y"},
		"timers[1].every":  {Name: "y", After: 1, Every: -1},
		"timers[1].jitter": {Name: "y", After: 1, Every: 2, Jitter: 2},
		"timers[1].in":     {Name: "y", After: 1, In: []routing.State{"nowhere"}},
	} {
		_, err := routing.New(routing.Config{Strategy: routing.Strategy{Timers: []routing.Schedule{{Name: "x", After: 1}}}, Timers: []routing.Schedule{s}})
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A firing is never early, later by at most its jitter, and the same for the same seed;
// folding what fired gives the same timers as firing.
func TestJitterIsBoundedAndRepeatable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := routing.Schedule{
			Name: "x", After: time.Duration(rapid.IntRange(1, 100).Draw(r, "after")),
			Every: time.Duration(rapid.IntRange(10, 100).Draw(r, "every")), Jitter: time.Duration(rapid.IntRange(0, 9).Draw(r, "jitter")),
		}
		seed := rapid.Uint64().Draw(r, "seed")
		router, err := routing.New(routing.Config{Timers: []routing.Schedule{s}})
		if err != nil {
			r.Fatal(err)
		}
		a, b := router.Timers("a", seed, began), router.Timers("a", seed, began)
		for n := range 20 {
			at, _ := a.Next()
			exact := after(s.After + time.Duration(n)*s.Every)
			if at.Before(exact) || at.After(exact.Add(s.Jitter)) {
				r.Fatalf("firing %d at %v, due at %v with jitter %v", n, at.Sub(began), exact.Sub(began), s.Jitter)
			}
			if again, _ := b.Next(); again != at {
				r.Fatalf("firing %d at %v and %v", n, at.Sub(began), again.Sub(began))
			}
			if early := a.Due(at.Add(-1)); len(early) != 0 {
				r.Fatalf("due before its time: %v", early)
			}
			if now := a.Due(at); len(now) != 1 {
				r.Fatalf("not due at its time")
			}
			a.Fired("x", at)
			b.Fired("x", at)
		}
	})
}
