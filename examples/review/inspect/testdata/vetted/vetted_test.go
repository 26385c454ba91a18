package vetted

import "testing"

func TestPrint(t *testing.T) {
	if Print("x") == "" {
		t.Errorf("no text for %d", "x")
	}
}
