package consensus

import (
	"math"
	"testing"
)

func TestDecayIsExpToA40thBit(t *testing.T) {
	prev := int64(one)
	for x := 0.0; x > -40; x -= 0.000317 {
		got, want := decay(x), math.Exp(x)*one
		if math.Abs(float64(got)-want) > 0.7 {
			t.Fatalf("decay(%v) = %d, want %.1f", x, got, want)
		}
		if got > prev {
			t.Fatalf("decay rises to %d at %v", got, x)
		}
		prev = got
	}
	for _, x := range []float64{math.Inf(-1), -1e300, -31} {
		if got := decay(x); got != 0 {
			t.Errorf("decay(%v) = %d, want 0", x, got)
		}
	}
}
