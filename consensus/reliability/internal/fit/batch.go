package fit

import (
	"cmp"
	"slices"
)

// Votes are the votes of one decision, and where they are learned from, at most one of each voter, in the order of their numbers. Candidates are numbered from 0. Where decisions have
// their own candidates, the last one is "none of these".
type Votes struct {
	Field  int       `json:"field"` // number of candidates
	Voter  []int32   `json:"voter"`
	Said   []int32   `json:"said"`             // candidates
	Stated []float64 `json:"stated,omitempty"` // confidence in [0,1]; nil: 1
	Known  int32     `json:"known"`            // the candidate that is right, or -1

	Times []float64 `json:"-"` // number of voters that each vote stands for; nil: 1
}

func (v *Votes) stated(i int) float64 { return or(v.Stated, i) }

func (v *Votes) times(i int) float64 { return or(v.Times, i) }

// parts returns for how much each vote counts before anything is known about its voter: its stated confidence.
func (v *Votes) parts() []float64 {
	part := make([]float64, len(v.Voter))
	for i := range part {
		part[i] = v.times(i) * v.stated(i)
	}
	return part
}

// or returns x[i], or 1 if x is nil.
func or(x []float64, i int) float64 {
	if x == nil {
		return 1
	}
	return x[i]
}

// Batch is what is learned from. Voters are numbered from 0 to Voters − 1.
type Batch struct {
	Own     bool // every decision has its own candidates; otherwise all are between the same Choices
	Choices int
	Voters  int
	Votes   []Votes
	Before  bool // learn as before votes were asked how far they tell of each other
}

// telling returns the decisions that teach something: a single vote whose outcome is not known does not. Their order does
// not depend on when they were made, because sums of floating-point numbers depend on their order.
func (b *Batch) telling() *Batch {
	t := *b
	t.Votes = slices.DeleteFunc(slices.Clone(b.Votes), func(v Votes) bool { return len(v.Voter) < 2 && v.Known < 0 })
	slices.SortStableFunc(t.Votes, func(x, y Votes) int {
		return cmp.Or(
			cmp.Compare(x.Field, y.Field), slices.Compare(x.Voter, y.Voter), slices.Compare(x.Said, y.Said),
			cmp.Compare(x.Known, y.Known), slices.Compare(x.Stated, y.Stated),
		)
	})
	return &t
}

func (b *Batch) outcomes() (n int) {
	for i := range b.Votes {
		if b.Votes[i].Known >= 0 {
			n++
		}
	}
	return n
}

// Cast returns how many votes each voter has cast.
func (b *Batch) Cast() []float64 {
	n := make([]float64, b.Voters)
	for i := range b.Votes {
		for _, j := range b.Votes[i].Voter {
			n[j]++
		}
	}
	return n
}

// shares returns each candidate's share of the votes, or the outcome if it is known: where a fit starts.
func (b *Batch) shares() [][]float64 {
	all := make([][]float64, len(b.Votes))
	for i := range b.Votes {
		v := &b.Votes[i]
		all[i] = make([]float64, v.Field)
		if v.Known >= 0 {
			all[i][v.Known] = 1
			continue
		}
		for _, l := range v.Said {
			all[i][l] += 1 / float64(len(v.Said))
		}
	}
	return all
}
