package reliability

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOfCopiesWhoeverVotesIsHeardOnce(t *testing.T) {
	b := newBatch(2, false)
	b.add(votes{voter: []int32{0, 1, 2}, said: []int32{0, 0, 1}, field: 2})
	b.add(votes{voter: []int32{1, 2}, said: []int32{1, 0}, field: 2}) // without the first of the copies
	b.add(votes{voter: []int32{1, 3}, said: []int32{1, 0}, stated: []float64{0.7, 1}, field: 2})
	b.Known[1] = 1
	one := b.oneOfEach([]int32{0, 0, 2, 0})
	want := []votes{
		{voter: []int32{0, 2}, said: []int32{0, 1}},
		{voter: []int32{0, 2}, said: []int32{1, 0}},
		{voter: []int32{0}, said: []int32{1}, stated: []float64{0.7}},
	}
	for i, w := range want {
		v := one.votes(i)
		if !slices.Equal(v.voter, w.voter) || !slices.Equal(v.said, w.said) || w.stated != nil && v.sure(0) != w.stated[0] {
			t.Errorf("decision %d has %v, want %v", i, v, w)
		}
	}
	if one.Voters != 4 || !slices.Equal(one.Known, b.Known) {
		t.Errorf("of %d voters and outcomes %v, there are %d and %v", 4, b.Known, one.Voters, one.Known)
	}
}

func TestGroupsAreConnectedWhateverTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		n := 1 + r.IntN(12)
		alike := make([][]bool, n)
		for i := range alike {
			alike[i] = make([]bool, n)
		}
		pairs := r.IntN(n + 1)
		for range pairs {
			i, j := r.IntN(n), r.IntN(n)
			alike[i][j], alike[j][i] = true, true
		}
		want := connected(alike)
		got := group(n, func(j, g int) bool { return alike[j][g] })
		if got == nil {
			got = identity(n)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("groups of %v are %v, want %v", alike, got, want)
		}
	}
}

// connected returns the first item that each can be reached from.
func connected(alike [][]bool) []int32 {
	of := identity(len(alike))
	for range alike {
		for i := range alike {
			for j := range alike {
				if alike[i][j] {
					of[i] = min(of[i], of[j])
				}
			}
		}
	}
	return of
}

func identity(n int) []int32 {
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i)
	}
	return of
}
