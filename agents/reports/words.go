package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// Status is the state of a task.
type Status string

// The statuses.
const (
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Blocked   Status = "blocked"
)

// EscalationKind says what a worker needs from the conductor.
type EscalationKind string

// The kinds of escalations.
const (
	Blocker  EscalationKind = "blocker"  // it cannot continue without something
	Help     EscalationKind = "help"     // it can continue, but guidance would help
	Approval EscalationKind = "approval" // it wants to do something risky
	Conflict EscalationKind = "conflict" // evidence or options contradict each other
)

func (k EscalationKind) known() error { return oneOf("kind", k, Blocker, Help, Approval, Conflict) }

// Urgency is how soon an escalation has to be answered.
type Urgency string

// The urgencies.
const (
	Low    Urgency = "low"
	Medium Urgency = "medium"
	High   Urgency = "high"
)

// Priority returns that of signals: 1 for high, -1 for low.
func (u Urgency) Priority() int16 { return map[Urgency]int16{Low: -1, High: 1}[u] }

func (u Urgency) known() error { return oneOf("urgency", u, Low, Medium, High) }

// ArtifactKind is the sort of an artifact: report, note, dataset or file.
type ArtifactKind string

// Part is a part of a report that is accepted or rejected separately.
type Part string

// The parts. A whole report is rejected if it cannot be read, or if its
// identification or status is invalid.
const (
	PartReport     Part = "report"
	PartFinding    Part = "finding"
	PartLearning   Part = "learning"
	PartEscalation Part = "escalation"
	PartArtifact   Part = "artifact"
)

// Reason is the reason why a part of a report was rejected.
type Reason string

// The reasons.
const (
	ReasonDuplicate       Reason = "duplicate"        // repeated within the window
	reasonLowConfidence   Reason = "low_confidence"   // the worker is not sure enough
	ReasonMissingEvidence Reason = "missing_evidence" // a finding without evidence, a learning without findings
	ReasonCooldown        Reason = "cooldown"         // the worker made the same escalation a moment ago
	ReasonCap             Reason = "cap"              // more than a report or a worker may have
	ReasonInvalid         Reason = "invalid"          // does not conform to the schema, or out of bounds
)

// Verdict is the decision on an escalation.
type Verdict string

// The verdicts.
const (
	Approved Verdict = "approved"
	Refused  Verdict = "refused"
	Answered Verdict = "answered" // by an option or in words
)

// The words with which the answer to an [Approval] begins.
const (
	Approve = "approve"
	Refuse  = "refuse"
)

// VerdictOf returns what a person's answer says of an escalation; "": it is to an [Approval], and
// is no text that begins with [Approve] or [Refuse].
func VerdictOf(kind EscalationKind, answer signals.Any) Verdict {
	if kind != Approval {
		return Answered
	}
	said, ok := signals.As[signals.Memory](answer)
	if !ok {
		return ""
	}
	switch word, _, _ := strings.Cut(strings.TrimSpace(said.Payload.Content), " "); strings.ToLower(strings.Trim(word, ".,:;!")) {
	case Approve, string(Approved):
		return Approved
	case Refuse, string(Refused):
		return Refused
	}
	return ""
}

func (v Verdict) known() error { return oneOf("verdict", v, Approved, Refused, Answered) }

// Concern is what a [Watcher] points out.
type Concern string

// The concerns.
const (
	FailureSpike Concern = "failure_spike" // many turns fail at once
	Stall        Concern = "stall"         // a worker has gone silent
	RetryStorm   Concern = "retry_storm"   // a worker repeats the same report
	Trend        Concern = "trend"         // more of the turns fail, or of the items are rejected, than before
)

// oneOf refuses a word that is not one of those listed.
func oneOf[W ~string](field string, word W, all ...W) error {
	if slices.Contains(all, word) {
		return nil
	}
	return problem(field, string(word), fmt.Sprintf("not one of %q", all))
}
