package messy

import "testing"

func TestFile(t *testing.T) {
	if got := File("a", NewSession()); got == "a/.json" {
		t.Errorf("no session in %s", got)
	}
}
