package removeall

import "testing"

func TestName(t *testing.T) {
	if Name("a") == "" {
		t.Error("no name")
	}
}
