package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"

	"github.com/swarmbus/swarmbus/internal/votes"
)

// load reads every set in dir of which teams can be drawn, by name.
func load(dir fs.FS) ([]*votes.Set, error) {
	names, err := votes.Find(dir)
	if err != nil {
		return nil, err
	}
	var sets []*votes.Set
	for _, name := range names {
		sub, err := fs.Sub(dir, name)
		if err != nil {
			return nil, err
		}
		set, refused, err := votes.Read(sub, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(refused) > 0 {
			return nil, fmt.Errorf("%s: %w", name, refused[0])
		}
		if len(regulars(set)) >= sizes[len(sizes)-1] {
			sets = append(sets, set)
		}
	}
	return sets, nil
}

var sizes = []int{3, 5, 7, 9}

// regulars are the voters who vote on more than nine tasks in ten.
func regulars(set *votes.Set) []string {
	count := map[string]int{}
	for _, t := range set.Tasks {
		for _, v := range t.Votes {
			count[v.Voter]++
		}
	}
	var all []string
	for voter, n := range count {
		if 10*n > 9*len(set.Tasks) {
			all = append(all, voter)
		}
	}
	slices.Sort(all)
	return all
}

// drawn is a random team of a set's voters, with random tasks on which at most one of them said nothing.
func drawn(set *votes.Set, size int, r *rand.Rand) *world {
	team := regulars(set)
	r.Shuffle(len(team), func(i, j int) { team[i], team[j] = team[j], team[i] })
	w := &world{voters: team[:size]}
	for _, at := range r.Perm(len(set.Tasks)) {
		t := set.Tasks[at]
		cast := slices.DeleteFunc(slices.Clone(t.Votes), func(v votes.Vote) bool { return !slices.Contains(w.voters, v.Voter) })
		if t.Truth == "" || len(cast) < size-1 {
			continue
		}
		if w.tasks = append(w.tasks, task{cast, t.Truth}); len(w.tasks) == decisions {
			break
		}
	}
	return w
}
