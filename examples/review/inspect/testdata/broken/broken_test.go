package broken

import "testing"

func TestNumber(t *testing.T) {
	if Number() != 1 {
		t.Error("not 1")
	}
}
