package wrongcase

import "testing"

func TestSame(t *testing.T) {
	if !Same("Ann", "ANN") {
		t.Error("Ann is not ANN")
	}
}
