package reliability

import (
	"slices"
	"testing"
)

func TestUnnamedProposalsAreMerged(t *testing.T) {
	for _, c := range []struct {
		said  []int32
		field int32
		known int32

		want  []int32
		among int32
		is    int32
	}{
		{[]int32{3, 1, 5}, 6, 4, []int32{1, 0, 3}, 4, 2},
		{[]int32{3, 1, 5}, 6, 1, []int32{1, 0, 3}, 4, 0},
		{[]int32{1, 0, 2}, 3, 2, []int32{1, 0, 2}, 3, 2},
		{[]int32{1, 1}, 2, -1, []int32{1, 1}, 2, -1},
		{nil, 3001, 7, nil, 2, 0},
		{nil, 3001, 3000, nil, 2, 1},
	} {
		b := newBatch(2, true)
		b.add(votes{voter: []int32{0, 1, 2}[:len(c.said)], said: c.said, field: c.field})
		b.Known[0] = c.known
		got := b.narrow()
		if !slices.Equal(got.Said, c.want) || got.Field[0] != c.among || got.Known[0] != c.is || got.Choices != int(max(2, c.among)) {
			t.Errorf("%v of %d, %d is right: %v of %d, %d is right of %d", c.said, c.field, c.known, got.Said, got.Field[0], got.Known[0], got.Choices)
		}
	}
}
