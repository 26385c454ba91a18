package reports

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Status is how far a task is.
type Status string

// The statuses.
const (
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Blocked   Status = "blocked"
)

// EscalationKind is what a worker wants of the conductor.
type EscalationKind string

// The kinds of escalations.
const (
	Blocker  EscalationKind = "blocker"  // it cannot go on without something that is missing
	Help     EscalationKind = "help"     // it can go on, and guidance would make that better
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

// ArtifactKind is what an artifact is.
type ArtifactKind string

// The kinds of artifacts.
const (
	ReportArtifact  ArtifactKind = "report"
	NoteArtifact    ArtifactKind = "note"
	DatasetArtifact ArtifactKind = "dataset"
	FileArtifact    ArtifactKind = "file"
)

// Part is a part of a report that is accepted or rejected by itself.
type Part string

// The parts. A whole report is rejected if it cannot be read, or says who and
// what it is in a way that is not valid.
const (
	PartReport     Part = "report"
	PartFinding    Part = "finding"
	PartLearning   Part = "learning"
	PartEscalation Part = "escalation"
	PartArtifact   Part = "artifact"
)

// Reason is why a part of a report was rejected.
type Reason string

// The reasons.
const (
	ReasonDuplicate       Reason = "duplicate"        // said before, within the window
	ReasonLowConfidence   Reason = "low_confidence"   // the worker is not sure enough
	ReasonMissingEvidence Reason = "missing_evidence" // a finding without evidence, a learning without findings
	ReasonCooldown        Reason = "cooldown"         // the worker escalated the same a moment ago
	ReasonCap             Reason = "cap"              // more than a report, or a worker, may have
	ReasonInvalid         Reason = "invalid"          // not as the schema has it, or out of bounds
)

// Verdict is what was decided on an escalation.
type Verdict string

// The verdicts.
const (
	Approved Verdict = "approved"
	Refused  Verdict = "refused"
	Answered Verdict = "answered" // with an option, or in words
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

// oneOf refuses a word that is not in the list.
func oneOf[W ~string](field string, word W, all []W) error {
	if slices.Contains(all, word) {
		return nil
	}
	return &signals.FieldError{Field: field, Value: clip(string(word)), Problem: fmt.Sprintf("not one of %q", all)}
}
