package lockedmap

import "testing"

func TestFetch(t *testing.T) {
	got := Fetch([]string{"a", "b"}, func(a string) string { return a + a })
	if len(got) != 2 || got["a"] != "aa" {
		t.Errorf("got %v", got)
	}
}
