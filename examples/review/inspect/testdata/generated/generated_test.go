package generated

import "testing"

func TestGeneratedThing(t *testing.T) {
	if GeneratedThing(1) != 1 {
		t.Error("not 1")
	}
	Written()
}

func Example() {
	// Output:
}
