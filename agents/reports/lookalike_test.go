package reports

import (
	"testing"
	"time"
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
	w.At(begin)
	w.outcome(job{"ann", "t"}, true)
	w.sign(job{"ann", "t"})
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
