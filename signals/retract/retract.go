package retract

import (
	"cmp"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// Kind is the kind of [Retraction].
const Kind signals.Kind = "retraction"

// system is the source of the operator's retractions.
const system = "system"

// A Retraction takes a signal back.
type Retraction struct {
	TargetSignalID signals.ID `json:"targetSignalId"` // required
	Reason         string     `json:"reason"`         // required
	By             string     `json:"by,omitempty"`   // the person who asked the operator's program for it
}

// Of returns a retraction of a signal.
func Of(target signals.ID, reason string) signals.Any {
	return signals.New(signals.Header{Confidence: 1, ReplyTo: target}, Retraction{TargetSignalID: target, Reason: reason})
}

// Kind returns [Kind].
func (Retraction) Kind() signals.Kind { return Kind }

// Check implements [signals.Checker].
func (p Retraction) Check(l signals.Limits) error {
	switch {
	case p.TargetSignalID.IsZero():
		return &signals.FieldError{Kind: Kind, Field: "targetSignalId", Problem: "required"}
	case p.Reason == "":
		return &signals.FieldError{Kind: Kind, Field: "reason", Problem: "required"}
	case p.By != "":
		return cmp.Or(l.Name("by", p.By), l.Text("reason", p.Reason))
	}
	return l.Text("reason", p.Reason)
}

// Check returns a [*signals.FieldError] if a signal published after a log retracts one that
// it may not retract; nil if it is no retraction.
func Check(log []signals.Any, s signals.Any) error {
	r, ok := signals.As[Retraction](s)
	if !ok {
		return nil
	}
	refuse := func(problem string) error {
		return &signals.FieldError{Kind: Kind, Field: "targetSignalId", Value: r.Payload.TargetSignalID.String(), Problem: problem}
	}
	target := find(log, r.Payload.TargetSignalID)
	switch {
	case target == nil:
		return refuse("no signal of the thread")
	case !retractable(target):
		return refuse(fmt.Sprintf("a %s cannot be taken back", target.Kind()))
	case r.Source != system && r.Source != author(target):
		return refuse(fmt.Sprintf("only %s or the operator may take it back", author(target)))
	}
	return nil
}

func find(log []signals.Any, id signals.ID) signals.Any {
	for i := len(log) - 1; i >= 0; i-- {
		if log[i].Head().ID == id {
			return log[i]
		}
	}
	return nil
}

// author returns the author of a signal. The author of a tool's result is its caller.
func author(s signals.Any) string {
	if p, ok := s.Body().(signals.ToolResult); ok {
		return p.TriggeredBy
	}
	return s.Head().Source
}

func retractable(s signals.Any) bool {
	switch s.Kind() {
	case signals.KindDiscovery, signals.KindMemory, signals.KindToolResult, signals.KindProposal, signals.KindVote, signals.KindDoubt, signals.KindChallenge:
		return true
	}
	return false
}
