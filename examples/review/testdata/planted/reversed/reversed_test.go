package reversed

import (
	"slices"
	"testing"
)

func TestReverse(t *testing.T) {
	got := Reverse([]int{1, 2, 3})
	if !slices.Equal(got, []int{3, 2, 1}) {
		t.Fatalf("got %v", got)
	}
}
