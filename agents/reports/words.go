package reports

import (
	"fmt"
	"slices"

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

// Urgency is how soon an escalation has to be answered.
type Urgency string

// The urgencies.
const (
	Low    Urgency = "low"
	Medium Urgency = "medium"
	High   Urgency = "high"
)

// ArtifactKind is the sort of an artifact.
type ArtifactKind string

// The kinds of artifacts.
const (
	ReportArtifact  ArtifactKind = "report"
	NoteArtifact    ArtifactKind = "note"
	DatasetArtifact ArtifactKind = "dataset"
	FileArtifact    ArtifactKind = "file"
)

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
	ReasonLowConfidence   Reason = "low_confidence"   // the worker is not sure enough
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

var (
	statuses        = []Status{Running, Completed, Failed, Blocked}
	escalationKinds = []EscalationKind{Blocker, Help, Approval, Conflict}
	urgencies       = []Urgency{Low, Medium, High}
	artifactKinds   = []ArtifactKind{ReportArtifact, NoteArtifact, DatasetArtifact, FileArtifact}
	parts           = []Part{PartReport, PartFinding, PartLearning, PartEscalation, PartArtifact}
	reasons         = []Reason{ReasonDuplicate, ReasonLowConfidence, ReasonMissingEvidence, ReasonCooldown, ReasonCap, ReasonInvalid}
	verdicts        = []Verdict{Approved, Refused, Answered}
	concerns        = []Concern{FailureSpike, Stall, RetryStorm}
)

// oneOf refuses a word that is not in a list.
func oneOf[W ~string](field string, word W, all []W) error {
	if slices.Contains(all, word) {
		return nil
	}
	return &signals.FieldError{Field: field, Value: clip(string(word)), Problem: fmt.Sprintf("not one of %q", all)}
}
