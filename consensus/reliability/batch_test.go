package reliability

import (
	"reflect"
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

func TestSomeVotesOfABatchAreABatchAlike(t *testing.T) {
	b := newBatch(3, false)
	b.add(votes{voter: []int32{0, 1, 2}, said: []int32{2, 0, 1}, stated: []float64{1, 0.7, 0.6}, field: 3})
	b.add(votes{voter: []int32{1}, said: []int32{2}, stated: []float64{0.8}, field: 3})
	b.Known[1], b.Answers, b.Stances = 2, 7, true
	all := b.only(b.Voters, func(v votes, i int) int32 { return v.voter[i] })
	if !reflect.DeepEqual(*all, b) {
		t.Errorf("all votes are %+v, want %+v", *all, b)
	}
	got := b.only(2, func(v votes, i int) int32 { return v.voter[i] - 1 }) // without those of the first voter
	want := b
	want.Voters, want.Start = 2, []int32{0, 2, 3}
	want.Voter, want.Said, want.Stated = []int32{0, 1, 0}, []int32{0, 1, 2}, []float64{0.7, 0.6, 0.8}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("without a voter they are %+v, want %+v", *got, want)
	}
	if none := b.only(2, func(votes, int) int32 { return -1 }); none.size() != 2 || none.Start[2] != 0 || none.Known[1] != 2 {
		t.Errorf("without votes they are %+v", *none)
	}
}
