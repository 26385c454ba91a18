package verdict

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A Table is what settling the conflicts of a solve depends on.
type Table struct {
	Thread *runlog.Thread
	Policy settle.Policy
	Rounds int // that debates may still take

	CanArgue func(agent string, over, against agents.Standing) bool
	IsFree   func(agent string) bool // reports whether an agent can take a turn
}

// A Resolution ends a conflict.
type Resolution struct {
	Pair   conflict.Pair
	How    conflict.How
	Winner signals.ID // zero: nobody won
	Reason string
}

// Signal returns the signal that records the resolution.
func (r *Resolution) Signal() signals.Any {
	return signals.New(
		signals.Header{Confidence: 1, ReplyTo: r.Pair.B.Signal},
		conflict.Resolution{SignalA: r.Pair.A.Signal, SignalB: r.Pair.B.Signal, How: r.How, Winner: r.Winner, Reason: r.Reason, DetectedAt: r.Pair.DetectedAt},
	)
}

// SideOf returns the signal of the side of a conflict that goes by that id; zero if
// neither does.
func (t *Table) SideOf(p conflict.Pair, id string) signals.ID {
	switch side := t.Thread.Votes.Of(id); {
	case side == nil:
	case side.Is(p.A.ProposalID):
		return p.A.Signal
	case side.Is(p.B.ProposalID):
		return p.B.Signal
	}
	return signals.ID{}
}

// Needless returns the resolutions of conflicts between proposals that are the same.
func (t *Table) Needless() (all []*Resolution) {
	for _, p := range t.Thread.Conflicts.Needless() {
		all = append(all, &Resolution{Pair: p, How: conflict.BySameness, Reason: "both propose the same"})
	}
	return all
}

// Lost returns the resolution of a conflict one side of which has already lost to another
// proposal; nil if there is none.
func (t *Table) Lost() *Resolution {
	for _, p := range t.Thread.Conflicts.Open() {
		switch pair := t.Thread.Pair(p); {
		case pair.A.Lost && pair.B.Lost:
			return &Resolution{p, conflict.BySameness, signals.ID{}, "both have lost already"}
		case pair.A.Lost:
			return &Resolution{p, conflict.BySameness, p.B.Signal, p.A.ProposalID + " proposes what has lost already"}
		case pair.B.Lost:
			return &Resolution{p, conflict.BySameness, p.A.Signal, p.B.ProposalID + " proposes what has lost already"}
		}
	}
	return nil
}

// Majority returns the resolution of a conflict that a majority decides, of those that
// were open when the round began: all who were asked have had them before them. It is nil
// if there is none. After it there may be others: whoever was in conflict with the loser
// has another rival.
func (t *Table) Majority() *Resolution {
	began := t.Thread.Turns.Began
	if t.Policy != settle.ByMajority || began == nil {
		return nil
	}
	_, options := t.Thread.Votes.Terms()
	for _, p := range t.Thread.Conflicts.Open() {
		winner, n, ok := t.Thread.Pair(p).Majority(options.Electorate)
		if ok && p.B.Seq < began.Seq {
			return &Resolution{p, conflict.ByMajority, t.SideOf(p, winner.ID()), fmt.Sprintf("%d for %s, %d for %s", n.A, p.A.ProposalID, n.B, p.B.ProposalID)}
		}
	}
	return nil
}

// Answered returns the resolution, by an answer from outside, of the oldest conflict that
// it settles, of those that are open here and on the bus; nil if there is none. A vote for
// one side settles a conflict for that side. Any other answer settles only the conflict
// about which the question was, and for nobody. A conflict that the answer opened stays.
func (t *Table) Answered(said signals.Any, onBus []conflict.Pair) *Resolution {
	h, choice := said.Head(), ""
	if v, ok := signals.As[signals.Vote](said); ok && v.Payload.Stance == signals.Agree {
		choice = v.Payload.ProposalID
	}
	for _, p := range t.Thread.Conflicts.Open() {
		winner := t.SideOf(p, choice)
		if settles := !winner.IsZero() || t.Thread.Stage.AsksAbout(h.ReplyTo, p); settles && p.B.Signal != h.ID && slices.Contains(onBus, p) {
			return &Resolution{p, conflict.ByAnswer, winner, h.Source + " was asked"}
		}
	}
	return nil
}

// Reached returns the resolution of a conflict one side of which was chosen, of those that
// are open here and on the bus; nil if there is none.
func (t *Table) Reached(choice string, onBus []conflict.Pair) *Resolution {
	for _, p := range t.Thread.Conflicts.Open() {
		if winner := t.SideOf(p, choice); !winner.IsZero() && slices.Contains(onBus, p) {
			return &Resolution{p, conflict.ByConsensus, winner, "the votes chose " + choice}
		}
	}
	return nil
}

// Disputed reports whether an open conflict withholds a decision: one that a majority
// still has to settle, or one whose debate may still change the choice. more says that
// agents may still propose in the round.
func (t *Table) Disputed(d consensus.Decision, more bool) bool {
	open := t.Thread.Conflicts.Open()
	switch {
	case t.Policy == settle.ByMajority:
		return more || len(open) > 0
	case t.Policy != settle.ByDebate || d.Outcome != consensus.Reached:
		return false
	}
	return slices.ContainsFunc(open, func(p conflict.Pair) bool {
		pair := t.Thread.Pair(p)
		if !pair.A.Is(d.Choice) && !pair.B.Is(d.Choice) || isCertain(t.probability(pair)) {
			return false
		}
		_, end := t.debate(p)
		return end == ""
	})
}
