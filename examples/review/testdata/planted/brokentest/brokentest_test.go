package brokentest

import "testing"

func TestDouble(t *testing.T) {
	if got := Double(2, 3); got != 4 {
		t.Errorf("got %d, want 4", got)
	}
}
