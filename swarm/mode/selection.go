package mode

import (
	"cmp"
	"fmt"
	"slices"
)

// A Candidate is an agent with something new to hear.
type Candidate struct {
	Agent     string  `json:"agent"`
	Relevance float64 `json:"relevance"`           // in [0,1]
	Record    float64 `json:"record"`              // in [0,1]
	Level     float64 `json:"level,omitempty"`     // in [0,1]
	Waited    int     `json:"waited,omitempty"`    // rounds since its last turn
	Addressed bool    `json:"addressed,omitempty"` // something open is addressed to it
	Broke     bool    `json:"broke,omitempty"`     // it cannot pay for a turn
}

// A Speaker says of a candidate whether it speaks, and why.
type Speaker struct {
	Candidate
	Speaks bool `json:"speaks,omitempty"`
}

// score returns by what candidates go that are alike otherwise.
func (c Candidate) score() float64 {
	return (c.Relevance+c.Record+c.Level)/3 + float64(c.Waited)/4
}

// String says why a candidate speaks or waits.
func (c Speaker) String() string {
	verb := "waits"
	if c.Speaks {
		verb = "speaks"
	}
	why := fmt.Sprintf("relevance %.2f, record %.2f, causal level %.2f, waited %d", c.Relevance, c.Record, c.Level, c.Waited)
	if c.Addressed {
		why += ", something open is addressed to it"
	}
	if c.Broke {
		why += ", it cannot pay for a turn"
	}
	return fmt.Sprintf("%s %s (%.2f: %s)", c.Agent, verb, c.score(), why)
}

// Speakers returns the choices of all candidates, in their order; most of them speak at most.
// 0: all do.
func Speakers(most int, all []Candidate) []Speaker {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := all[i], all[j]
		return cmp.Or(first(a.Broke, b.Broke, 1), first(a.Addressed, b.Addressed, -1), cmp.Compare(b.score(), a.score()))
	})
	if most <= 0 {
		most = len(all)
	}
	choices := make([]Speaker, len(all))
	for n, i := range order {
		choices[i] = Speaker{all[i], n < most}
	}
	return choices
}

// first compares two flags, of which those that are set come first for -1, last for 1.
func first(a, b bool, sign int) int {
	switch {
	case a == b:
		return 0
	case a:
		return sign
	}
	return -sign
}
