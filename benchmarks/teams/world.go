package main

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

// world has the tasks that one team decides, one after the other.
type world struct {
	labels []string  // what every task is between; nil: whatever its voters name
	tasks  []task    // in the order in which they are decided
	right  []float64 // how often each voter is right, where that was planted
	voters []string
	groups map[string]string // by voter, if copies are stated; nil: they are not
}

// task is one decision: the answer of each voter, and the right one.
type task struct {
	cast  []votes.Vote
	truth string
}

// form defines how answers become votes on proposals.
type form struct {
	name     string
	approval bool // one proposal, the label "1" of two; voters agree with it or not
	rejects  bool // who agrees with a label disagrees with the others
}

var forms = []form{
	{name: "for one of several"},
	{name: "for one, against the others", rejects: true},
	{name: "on one proposal", approval: true},
}

// ballots returns the votes on a task, closed.
func (f form) ballots(w *world, t task) consensus.Ballots {
	proposals := f.proposals(w, t)
	var said []consensus.Vote
	for _, v := range t.cast {
		for _, p := range proposals {
			x := consensus.Vote{Voter: v.Voter, ProposalID: p, Stance: consensus.Agree, Weight: v.Confidence}
			if p != v.Label {
				x.Stance = consensus.Disagree
			}
			if p == v.Label || f.approval || f.rejects {
				said = append(said, x)
			}
		}
	}
	b, err := consensus.NewBallots(&consensus.Options{Groups: w.groups}, proposals, said)
	if err != nil {
		panic(err) // every vote was made above
	}
	return b.Close()
}

func (f form) proposals(w *world, t task) []string {
	switch {
	case f.approval:
		return []string{"1"}
	case w.labels != nil:
		return w.labels
	}
	var named []string
	for _, v := range t.cast {
		named = append(named, v.Label)
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// suits reports whether a world can be voted on in this form: only labels 0 and 1 are approval.
func (f form) suits(w *world) bool {
	if !f.approval {
		return true
	}
	for _, t := range w.tasks {
		for _, v := range t.cast {
			if v.Label != "0" && v.Label != "1" {
				return false
			}
		}
	}
	return true
}
