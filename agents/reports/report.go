package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Report is a worker's report at the end of a turn: its status, and what it
// found, learned, needs and made. It is only content: the [Gate] decides which
// parts become signals. The JSON names of its members are those of [Schema].
type Report struct {
	TurnID   string `json:"turn_id"`   // required; a report with the same id is the same report
	WorkerID string `json:"worker_id"` // required
	TaskID   string `json:"task_id"`   // required; the thread that its signals go to
	Model    string `json:"model"`     // the model that wrote it; "": none, or that of the [Worker]
	Status   Status `json:"status"`    // required
	Summary  string `json:"summary"`   // required; a sentence or two

	Findings    []Finding    `json:"findings"`
	Learnings   []Learning   `json:"learnings"`
	Escalations []Escalation `json:"escalations"`
	Artifacts   []Artifact   `json:"artifacts"`
}

// Finding is a fact with evidence.
type Finding struct {
	FindingID    string  `json:"finding_id"` // required
	Claim        string  `json:"claim"`      // required
	Confidence   float64 `json:"confidence"` // in [0,1]
	EvidenceRefs List    `json:"evidence_refs"`
	Novel        bool    `json:"novel"` // the worker believes that it is new; not checked
}

// Learning is a synthesis of findings that changes the plan or the
// understanding.
type Learning struct {
	LearningID  string  `json:"learning_id"` // required
	Insight     string  `json:"insight"`     // required
	Confidence  float64 `json:"confidence"`  // in [0,1]
	Supports    List    `json:"supports"`    // the findings it is based on: the worker's ids of its own, or ids of signals
	ChangesPlan bool    `json:"changes_plan"`
}

// Escalation asks the conductor for a decision or an action.
type Escalation struct {
	EscalationID      string         `json:"escalation_id"` // required
	Kind              EscalationKind `json:"kind"`          // required
	Reason            string         `json:"reason"`        // required
	Urgency           Urgency        `json:"urgency"`       // required
	Options           List           `json:"options"`
	RecommendedOption string         `json:"recommended_option"` // one of Options, or ""
	RequiresHuman     bool           `json:"requires_human"`     // only a person may decide it
}

// Artifact refers to something that the worker made.
type Artifact struct {
	ArtifactID string       `json:"artifact_id"` // required
	Kind       ArtifactKind `json:"kind"`        // required
	Ref        string       `json:"ref"`         // required; a path, a URI or a hash
}

// An item is what is accepted or rejected by itself. Signals of accepted items
// embed theirs.
type item interface {
	about() (part Part, id, text string)
	Check(signals.Limits) error
}

func (f Finding) about() (part Part, id, text string) { return PartFinding, f.FindingID, f.Claim }

func (e Learning) about() (part Part, id, text string) { return PartLearning, e.LearningID, e.Insight }

func (e Escalation) about() (part Part, id, text string) {
	return PartEscalation, e.EscalationID, e.Reason
}

func (a Artifact) about() (part Part, id, text string) { return PartArtifact, a.ArtifactID, a.Ref }

// Check implements [signals.Checker].
func (f Finding) Check(l signals.Limits) error {
	return cmp.Or(
		l.Name("finding_id", f.FindingID), l.Required("claim", f.Claim), f.EvidenceRefs.check(l, "evidence_refs"), signals.Unit("confidence", f.Confidence),
	)
}

// Check implements [signals.Checker].
func (e Learning) Check(l signals.Limits) error {
	return cmp.Or(
		l.Name("learning_id", e.LearningID), l.Required("insight", e.Insight), e.Supports.check(l, "supports"), signals.Unit("confidence", e.Confidence),
	)
}

// Check implements [signals.Checker].
func (e Escalation) Check(l signals.Limits) error {
	if e.RecommendedOption != "" && !slices.Contains(e.Options, e.RecommendedOption) {
		return problem("recommended_option", e.RecommendedOption, "not one of the options")
	}
	return cmp.Or(
		l.Name("escalation_id", e.EscalationID), e.Kind.known(), l.Required("reason", e.Reason), e.Urgency.known(), e.Options.check(l, "options"),
	)
}

// Check implements [signals.Checker].
func (a Artifact) Check(l signals.Limits) error {
	return cmp.Or(l.Name("artifact_id", a.ArtifactID), oneOf("kind", a.Kind, "report", "note", "dataset", "file"), l.Required("ref", a.Ref))
}

// String returns the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("found: %s (%.0f%% sure)", f.Claim, 100*f.Confidence)
}

// String returns the learning in one line.
func (e Learning) String() string {
	return fmt.Sprintf("learned: %s (%.0f%% sure)", e.Insight, 100*e.Confidence)
}

// String returns the escalation in one line.
func (e Escalation) String() string {
	return fmt.Sprintf("asks the conductor (%s, %s urgency): %s", e.Kind, e.Urgency, e.Reason)
}

// String returns the artifact in one line.
func (a Artifact) String() string { return fmt.Sprintf("made a %s: %s", a.Kind, a.Ref) }

// List is an array of texts, never null as JSON. It must not be modified once
// it is part of a judged report.
type List []string

// MaxList is the maximum number of evidence references, supports or options of
// an item.
const MaxList = 16

// check limits the length of each text of a list, and their number.
func (l List) check(limits signals.Limits, field string) error {
	for _, text := range l {
		if err := limits.Text(field, text); err != nil {
			return err
		}
	}
	if len(l) > MaxList {
		return problem(field, "", "too many texts")
	}
	return nil
}

// MarshalJSON writes an array.
func (l List) MarshalJSON() ([]byte, error) { return json.Marshal(append([]string{}, l...)) }

// MarshalJSON writes a report that conforms to [Schema], with every member.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report // without this method
	r.Findings, r.Learnings = append([]Finding{}, r.Findings...), append([]Learning{}, r.Learnings...)
	r.Escalations, r.Artifacts = append([]Escalation{}, r.Escalations...), append([]Artifact{}, r.Artifacts...)
	return json.Marshal(plain(r))
}
