package otel

import "testing"

func TestTooManyWordsAreOther(t *testing.T) {
	var w words
	for i := range maxWords {
		word := string(rune('a' + i))
		if got := w.few(word); got != word {
			t.Fatalf("word %d: got %q, want %q", i, got, word)
		}
	}
	if got := w.few("one more"); got != other {
		t.Errorf("got %q, want %q", got, other)
	}
	if got := w.few("a"); got != "a" {
		t.Errorf("a known word became %q", got)
	}
}

func TestRecentForgetsTheOldest(t *testing.T) {
	r := newRecent[int, string](3)
	for _, k := range []int{1, 2, 3, 1, 4, 5, 6, 7} {
		r.add(k, "x")
		if len(r.entries) > 3 {
			t.Fatalf("holds %d entries, want 3", len(r.entries))
		}
	}
	for k, want := range map[int]bool{4: false, 5: true, 6: true, 7: true} {
		if _, known := r.entries[k]; known != want {
			t.Errorf("%d: known %v, want %v", k, known, want)
		}
	}
}
