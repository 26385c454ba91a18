package bus

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestMasksAgreeWithALoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b [slots]uint8
		for i := range b {
			b[i] = uint8(rapid.IntRange(0, 255).Draw(t, "byte"))
		}
		v := rapid.SampledFrom(b[:]).Draw(t, "v")
		want := uint64(0)
		for i, x := range b {
			if x == v {
				want |= 1 << i
			}
		}
		if got := equalTo(&b, v); got != want {
			t.Fatalf("equalTo(%v, %d) = %064b, want %064b", b, v, got, want)
		}
		want = 0
		for i := range b {
			b[i] &= 127
			if b[i] >= v&127 {
				want |= 1 << i
			}
		}
		if got := atLeast(&b, v&127); got != want {
			t.Fatalf("atLeast(%v, %d) = %064b, want %064b", b, v&127, got, want)
		}
		n := rapid.IntRange(-1, 65).Draw(t, "n")
		want = 0
		for i := range min(max(n, 0), 64) {
			want |= 1 << i
		}
		if got := below(n); got != want {
			t.Fatalf("below(%d) = %064b, want %064b", n, got, want)
		}
	})
}

func TestHundredthsRoundDownAtTheNumbersThatPeopleWrite(t *testing.T) {
	for i := range 101 {
		x, _ := strconv.ParseFloat(fmt.Sprintf("%d.%02d", i/100, i%100), 64)
		if got := hundredths(x); got != uint8(i) || edges[i] != x {
			t.Errorf("%v is in %d, from %v", x, got, edges[got])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1).Draw(t, "x")
		if i := hundredths(x); edges[i] > x || edges[i+1] <= x {
			t.Fatalf("%v is in %d, from %v to %v", x, i, edges[i], edges[i+1])
		}
	})
}
