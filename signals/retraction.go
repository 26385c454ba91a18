package signals

import (
	"cmp"
	"fmt"
)

// KindRetraction is the kind of [Retraction].
const KindRetraction Kind = "retraction"

// system is the source of the operator's retractions.
const system = "system"

// A Retraction takes a signal back. It is not built in: a [Codec] knows it by
// For[Retraction].
type Retraction struct {
	TargetSignalID ID     `json:"targetSignalId"` // required
	Reason         string `json:"reason"`         // required
	By             string `json:"by,omitempty"`   // the person who asked the operator's program for it
}

// Retract returns a retraction of a signal.
func Retract(target ID, reason string) Any {
	return New(Header{Confidence: 1, ReplyTo: target}, Retraction{TargetSignalID: target, Reason: reason})
}

// Kind returns [KindRetraction].
func (Retraction) Kind() Kind { return KindRetraction }

// Check implements [Checker].
func (p Retraction) Check(l Limits) error {
	switch {
	case p.TargetSignalID.IsZero():
		return &FieldError{Kind: KindRetraction, Field: "targetSignalId", Problem: "required"}
	case p.Reason == "":
		return &FieldError{Kind: KindRetraction, Field: "reason", Problem: "required"}
	case p.By != "":
		return cmp.Or(l.Name("by", p.By), l.Text("reason", p.Reason))
	}
	return l.Text("reason", p.Reason)
}

// CheckRetraction returns a [*FieldError] if a signal published after a log retracts one that
// it may not retract; nil if it is no retraction.
func CheckRetraction(log []Any, s Any) error {
	r, ok := As[Retraction](s)
	if !ok {
		return nil
	}
	refuse := func(problem string) error {
		return &FieldError{Kind: KindRetraction, Field: "targetSignalId", Value: r.Payload.TargetSignalID.String(), Problem: problem}
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

func find(log []Any, id ID) Any {
	for i := len(log) - 1; i >= 0; i-- {
		if log[i].Head().ID == id {
			return log[i]
		}
	}
	return nil
}

// author returns the author of a signal. The author of a tool's result is its caller.
func author(s Any) string {
	if p, ok := s.Body().(ToolResult); ok {
		return p.TriggeredBy
	}
	return s.Head().Source
}

func retractable(s Any) bool {
	switch s.Kind() {
	case KindDiscovery, KindMemory, KindToolResult, KindProposal, KindVote, KindDoubt, KindChallenge:
		return true
	}
	return false
}
