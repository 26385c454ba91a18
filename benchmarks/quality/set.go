package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

// set is the votes on many tasks in flat slices: task t's are voter[start[t]:start[t+1]], and label
// likewise. Labels are numbered in the order of their integers.
type set struct {
	name   string
	labels []string
	place  map[string]int // of labels
	own    bool           // labels only number each task's own answers
	start  []int32
	voter  []int32
	label  []int32
	weight []float64
	truth  []int32 // -1: not known
	names  []string
}

func (s *set) tasks() int  { return len(s.truth) }
func (s *set) voters() int { return len(s.names) }
func (s *set) k() int      { return len(s.labels) }

// load reads every set in dir, by name.
func load(dir fs.FS) ([]*set, error) {
	names, err := votes.Find(dir)
	if err != nil {
		return nil, err
	}
	var sets []*set
	for _, name := range names {
		sub, err := fs.Sub(dir, name)
		if err != nil {
			return nil, err
		}
		v, refused, err := votes.Read(sub, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(refused) > 0 {
			return nil, fmt.Errorf("%s: %w and %d more rows", name, refused[0], len(refused)-1)
		}
		s := flatten(v)
		if err := s.stated(sub); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// stated reads what the set's manifest, set.json, says of its labels: "shared", the same choices in every task, or
// "own", which only number each task's answers. Without a manifest, it is guessed.
func (s *set) stated(dir fs.FS) error {
	text, err := fs.ReadFile(dir, "set.json")
	if errors.Is(err, fs.ErrNotExist) {
		s.own = s.numbered()
		return nil
	}
	var m struct{ Labels string }
	if err = cmp.Or(err, json.Unmarshal(text, &m)); err != nil {
		return fmt.Errorf("set.json: %w", err)
	}
	if m.Labels != "shared" && m.Labels != "own" {
		return fmt.Errorf(`set.json: labels is %q, want "shared" or "own"`, m.Labels)
	}
	s.own = m.Labels == "own"
	return nil
}

func flatten(v *votes.Set) *set {
	s := &set{name: v.Name, start: []int32{0}, place: map[string]int{}}
	number := s.number(v)
	voters := map[string]int32{}
	for _, t := range v.Tasks {
		for _, x := range t.Votes {
			j, ok := voters[x.Voter]
			if !ok {
				j = int32(len(s.names))
				voters[x.Voter] = j
				s.names = append(s.names, x.Voter)
			}
			s.voter = append(s.voter, j)
			s.label = append(s.label, number[x.Label])
			s.weight = append(s.weight, x.Confidence)
		}
		s.start = append(s.start, int32(len(s.voter)))
		truth := int32(-1)
		if t.Truth != "" {
			truth = number[t.Truth]
		}
		s.truth = append(s.truth, truth)
	}
	return s
}

// number gives every label its number.
func (s *set) number(v *votes.Set) map[string]int32 {
	var all []int
	for _, t := range v.Tasks {
		for _, x := range t.Votes {
			n, _ := strconv.Atoi(x.Label)
			all = append(all, n)
		}
		if n, err := strconv.Atoi(t.Truth); err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	number := map[string]int32{}
	for i, n := range slices.Compact(all) {
		s.labels = append(s.labels, strconv.Itoa(n))
		number[s.labels[i]] = int32(i)
		s.place[s.labels[i]] = i
	}
	return number
}

// numbered reports whether labels only tell a task's own answers apart: with more than two labels, 99 of 100
// tasks use exactly the first few.
func (s *set) numbered() bool {
	if s.k() <= 2 || s.k() > 64 {
		return false
	}
	gaps := 0
	for t := range s.tasks() {
		var seen uint64
		for _, l := range s.label[s.start[t]:s.start[t+1]] {
			seen |= 1 << uint(l)
		}
		if y := s.truth[t]; y >= 0 {
			seen |= 1 << uint(y)
		}
		if seen&(seen+1) != 0 {
			gaps++
		}
	}
	return gaps*100 <= s.tasks()
}

// ballots are some votes of a task, as indices of votes; each is for its label.
func (s *set) ballots(o *consensus.Options, which []int32) consensus.Ballots {
	proposals := s.labels
	if s.own {
		proposals = nil
		for _, i := range which {
			proposals = append(proposals, s.labels[s.label[i]])
		}
	}
	cast := make([]consensus.Vote, len(which))
	for n, i := range which {
		cast[n] = consensus.Vote{
			Seq: uint64(n + 1), Voter: s.names[s.voter[i]], ProposalID: s.labels[s.label[i]],
			Stance: consensus.Agree, Weight: s.weight[i],
		}
	}
	b, err := consensus.NewBallots(o, proposals, cast)
	if err != nil {
		panic(err) // sets are read with every field checked
	}
	return b
}

// votesOn are the indices of a task's votes.
func (s *set) votesOn(t int) []int32 {
	which := make([]int32, 0, s.start[t+1]-s.start[t])
	for i := s.start[t]; i < s.start[t+1]; i++ {
		which = append(which, i)
	}
	return which
}
