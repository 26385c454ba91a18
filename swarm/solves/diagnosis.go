package solves

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A Diagnosis is what hearing each other changed: who changed its mind, whether agents were
// unanimous before and after it, and whether fewer challenged than expected.
//
// It is a function of the log, and nothing that decides reads it: as triggers within a solve
// none of its numbers pays (benchmarks/swarms/RESULTS.md). Over many solves they say what kind
// of task it is. Where talk moves facts or proofs, most flips go to what is right; where agents
// repeat each other, they are unanimous more often after it, and not more often right.
//
// An agent stands for the proposal that it agrees with most in the last turn in which it agrees
// with any; of equal ones for the one that it stood for, or else the first. One that disagrees
// with that, or with the first that it judges, stands for none of the proposals, which is a
// stand, too. One that abstains from it, or takes its vote back, has no stand. In a solve that
// does not deliberate answers are stands; otherwise proposals are not.
//
// A stand is independent if the agent had heard no proposal and no vote of another one when its
// turn began. Answers that a plan asks for are, since nobody is shown those of others; verdicts
// of judges are not.
//
// Those who could challenge are the agents whose turns began after they had heard another one's
// proposal. The log does not say who may: an agent that may not emit challenges counts as one
// that did not challenge. Result.Groupthink of a solve that ran in this process counts only those
// that may.
type Diagnosis struct {
	Before      Split             `json:"before"`          // the first stands of agents, as far as these are independent
	After       Split             `json:"after"`           // the last stands of all agents
	Flips       []Flip            `json:"flips,omitempty"` // in log order
	Challengers settle.Groupthink `json:"challengers"`
}

// A Split says how agents stand.
type Split struct {
	Agents int    `json:"agents"`        // that stand for something
	Most   int    `json:"most"`          // that stand for the same
	For    string `json:"for,omitempty"` // the proposal that the most stand for; "": none. Of equally many the first of these
}

// Unanimous reports whether all of at least two agents stand for the same.
func (s Split) Unanimous() bool { return s.Agents > 1 && s.Most == s.Agents }

// String describes s in words.
func (s Split) String() string {
	switch {
	case s.Agents == 0:
		return "nobody"
	case s.Unanimous():
		return fmt.Sprintf("%d of %d for %s, unanimous", s.Most, s.Agents, orNone(s.For))
	}
	return fmt.Sprintf("%d of %d for %s", s.Most, s.Agents, orNone(s.For))
}

func orNone(proposal string) string { return cmp.Or(proposal, "none of them") }

// A Flip is an agent's change from a stand to another one.
type Flip struct {
	Seq         uint64 `json:"seq"` // of the vote or answer
	Agent       string `json:"agent"`
	Round       int    `json:"round"`
	From        string `json:"from"`                  // a proposal; "": none
	To          string `json:"to"`                    // likewise
	Independent bool   `json:"independent,omitempty"` // it had heard nobody: it answered anew
}

// String describes f in words.
func (f Flip) String() string {
	line := fmt.Sprintf("[%d] %s from %s to %s in round %d", f.Seq, f.Agent, orNone(f.From), orNone(f.To), f.Round)
	if f.Independent {
		line += ", of its own accord"
	}
	return line
}

// Talk returns what hearing each other changed. It is derived from the log at each call.
func (r *Result) Talk() *Diagnosis { return diagnosis(r.Log) }

// diagnosis returns that of a log of one thread.
func diagnosis(log []signals.Any) *Diagnosis {
	r := readTalk(log)
	d := &Diagnosis{Before: r.split((*agent).first), After: r.split((*agent).last), Flips: r.flips}
	slices.SortFunc(d.Flips, func(a, b Flip) int { return cmp.Compare(a.Seq, b.Seq) })
	d.Challengers = settle.GroupthinkOf(r.able(), len(r.thread.Debates.Challengers))
	return d
}

// String describes d in words, in several lines.
func (d *Diagnosis) String() string {
	lines := []string{
		fmt.Sprintf("before       %v, of those who had heard no answer", d.Before),
		fmt.Sprintf("after        %v", d.After),
		fmt.Sprintf("flips        %d", len(d.Flips)),
	}
	for _, f := range d.Flips {
		lines = append(lines, "             "+f.String())
	}
	return strings.Join(append(lines, "challengers  "+d.Challengers.String()), "\n")
}
