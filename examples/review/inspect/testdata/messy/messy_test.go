package messy

import "testing"

func TestTangle(t *testing.T) {
	if got := Tangle([][]int{{4}}, 1); got == 0 {
		t.Error("nothing summed")
	}
	if Name(3) != "n3" {
		t.Error("misnamed")
	}
}
