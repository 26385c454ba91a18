package reports

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

func TestLettersThatLookAlikeMakeNoNewClaim(t *testing.T) {
	const claim = "The cache has a copy of each page, so it works"
	for _, same := range []string{
		"Тhe сасhe hаs а сору оf еасh раgе, ѕо іt wоrkѕ", // Cyrillic
		"ТНЕ САСНЕ НАS А СОРУ ОF ЕАСН РАGЕ, SО ІТ WОRКS",
		"The cαche hαs a cοpy οf each page, sο it wοrks", // Greek
		"The cache has a copy of each paɡe, so ıt works",
	} {
		if got, want := normal(same), normal(claim); got != want {
			t.Errorf("%q is %q, want %q", same, got, want)
		}
	}
	for a, b := range map[string]string{
		"it takes 5 μm":  "it takes 5 mm",
		"ρ = 0.3":        "p = 0.3",
		"α is the least": "a is the least",
		"Вода":           "Года",
	} {
		if normal(a) == normal(b) {
			t.Errorf("%q and %q are one claim", a, b)
		}
	}
	if normal("ВОДА ТЕЧЁТ") != normal("вода течёт") {
		t.Error("case makes two claims in Cyrillic")
	}
}

// A claim that was put again counts once.
func TestRecentKeepsTheNewestHoweverOftenTheyArePut(t *testing.T) {
	var r recent[string, int]
	for i, k := range []string{"a", "b", "b", "b"} {
		r.put(k, i, 2)
	}
	for k, want := range map[string]int{"a": 0, "b": 3} {
		if got, ok := r.get(k); !ok || got != want {
			t.Errorf("%s: got %d %v, want %d", k, got, ok, want)
		}
	}
	r.put("c", 4, 2)
	if _, ok := r.get("a"); ok || len(r.held) != 2 {
		t.Errorf("%d kept, a: %v, want the newest two", len(r.held), ok)
	}
}

// A watcher forgets what has left its windows.
func TestWatcherForgetsReportsOutsideItsWindows(t *testing.T) {
	w, err := NewWatcher(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		h := signals.Header{Source: "ann", Thread: "t", Time: time.Unix(int64(i), 0)}
		w.Watch(signals.New(h, Progress{Step{Summary: fmt.Sprint("step ", i)}}))
	}
	if n := len(w.kept); n != 2*600+1 || len(w.holds) > 0 { // one a second for two windows
		t.Errorf("%d events kept and %v, want those of two windows", n, w.holds)
	}
}

// A watcher has something to say at the earlier of two times.
func TestAWatcherIsDueWhenAWorkerStallsOrAReportLeavesTheWindow(t *testing.T) {
	w, err := NewWatcher(&WatchOptions{Window: 3 * time.Minute, Silence: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if due := w.Due(); !due.IsZero() {
		t.Errorf("due %v before anything was said", due)
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w.Watch(signals.New(signals.Header{Source: "ann", Thread: "t", Time: begin}, Progress{}))
	for _, want := range []time.Duration{3*time.Minute + 1, 5*time.Minute + 1} {
		if due := w.Due(); due.Sub(begin) != want {
			t.Errorf("due after %v, want %v", due.Sub(begin), want)
		}
		w.At(w.Due())
	}
	if due := w.Due(); !due.IsZero() {
		t.Errorf("due %v though nothing is running", due)
	}
}
