package main

import (
	"math/rand/v2"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/internal/votes"
)

// form is how a row of a set becomes votes on the labels of its task that the team named.
type form struct {
	name     string
	approval bool // one proposal, the label "1" of sets with two; voters agree with it or not
	rejects  bool // who agrees with a label disagrees with the others
}

var forms = []form{
	{name: "on one proposal", approval: true},
	{name: "for one of several"},
	{name: "for one, against the others", rejects: true},
}

// ballots returns what the team's votes on a task come to, closed.
func (f form) ballots(cast []votes.Vote) consensus.Ballots {
	proposals := []string{"1"}
	if !f.approval {
		proposals = nil
		for _, v := range cast {
			if !slices.Contains(proposals, v.Label) {
				proposals = append(proposals, v.Label)
			}
		}
	}
	var said []consensus.Vote
	for _, v := range cast {
		for _, p := range proposals {
			x := consensus.Vote{Voter: v.Voter, Proposal: p, Stance: consensus.Agree, Weight: v.Confidence}
			if p != v.Label {
				x.Stance = consensus.Disagree
			}
			if p == v.Label || f.approval || f.rejects {
				said = append(said, x)
			}
		}
	}
	b, err := consensus.NewBallots(nil, proposals, said)
	if err != nil {
		panic(err)
	}
	return b.Close()
}

// suits reports whether a set can be voted on in this form.
func (f form) suits(set *votes.Set) bool {
	if !f.approval {
		return true
	}
	for _, t := range set.Tasks {
		for _, v := range t.Votes {
			if v.Label != "0" && v.Label != "1" {
				return false
			}
		}
	}
	return true
}

// team draws whose votes on a task count: the same voters every time where enough of them vote on nearly all tasks,
// else others for each task. There are none where too few have voted.
type team struct {
	*rand.Rand
	size    int
	regular []string
}

func newTeam(r *rand.Rand, set *votes.Set, size int) *team {
	count := map[string]int{}
	for _, t := range set.Tasks {
		for _, v := range t.Votes {
			count[v.Voter]++
		}
	}
	var regular []string
	for voter, n := range count {
		if 10*n > 9*len(set.Tasks) {
			regular = append(regular, voter)
		}
	}
	slices.Sort(regular)
	r.Shuffle(len(regular), func(i, j int) { regular[i], regular[j] = regular[j], regular[i] })
	if len(regular) < size {
		return &team{Rand: r, size: size}
	}
	return &team{r, size, regular[:size]}
}

func (t *team) votes(task *votes.Task) []votes.Vote {
	cast := slices.Clone(task.Votes)
	if t.regular != nil {
		cast = slices.DeleteFunc(cast, func(v votes.Vote) bool { return !slices.Contains(t.regular, v.Voter) })
		if len(cast) < t.size-1 {
			return nil
		}
		return cast
	}
	if len(cast) < t.size {
		return nil
	}
	t.Shuffle(len(cast), func(i, j int) { cast[i], cast[j] = cast[j], cast[i] })
	return cast[:t.size]
}

// engine decides task after task.
type engine struct {
	name     string
	strategy func() consensus.Strategy
	learn    interface { // nil: it does not
		Observe(id string, b consensus.Ballots) error
		Resolve(id, right string) error
	}
}

// engines are what could be the default; each begins knowing nothing.
func engines() []engine {
	fixed := func(s consensus.Strategy) engine {
		return engine{s.Name(), func() consensus.Strategy { return s }, nil}
	}
	book, ledger := new(reliability.Book), new(reliability.Ledger)
	return []engine{
		fixed(consensus.ConfidenceWeighted{}),
		fixed(consensus.Bayesian{}),
		{"learned", func() consensus.Strategy { return reliability.Strategy{Model: book.Model()} }, book},
		{"default", ledger.Strategy, ledger},
	}
}
