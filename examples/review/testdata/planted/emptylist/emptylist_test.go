package emptylist

import "testing"

func TestMean(t *testing.T) {
	for _, test := range []struct {
		all  []int
		want int
	}{{[]int{1, 3}, 2}, {nil, 0}} {
		if got := Mean(test.all); got != test.want {
			t.Errorf("got %d, want %d", got, test.want)
		}
	}
}
