package reports

import "encoding/json"

// A Report is a worker's report at the end of a turn: its status, and what it
// found, learned, needs and made. It is only content: the [Gate] decides which
// parts become signals. The JSON names of its members are those of [Schema].
type Report struct {
	TurnID   string `json:"turn_id"`   // required; a report with the same id is the same report
	WorkerID string `json:"worker_id"` // required
	TaskID   string `json:"task_id"`   // required; the thread that its signals go to
	Model    string `json:"model"`     // the model that wrote it; "": none
	Status   Status `json:"status"`    // required
	Summary  string `json:"summary"`   // required; a sentence or two

	Findings    []Finding    `json:"findings"`
	Learnings   []Learning   `json:"learnings"`
	Escalations []Escalation `json:"escalations"`
	Artifacts   []Artifact   `json:"artifacts"`

	malformed map[place]string // errors of items that Decode could not read
}

// A place is the position of an item in a report.
type place struct {
	part  Part
	index int
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

// List is an array of texts, never null as JSON. It must not be modified once
// it is part of a judged report.
type List []string

// MarshalJSON writes an array.
func (l List) MarshalJSON() ([]byte, error) { return json.Marshal(orEmpty(l)) }

// MarshalJSON writes a report that conforms to [Schema], with every member.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report // without this method
	r.Findings, r.Learnings = orEmpty(r.Findings), orEmpty(r.Learnings)
	r.Escalations, r.Artifacts = orEmpty(r.Escalations), orEmpty(r.Artifacts)
	return json.Marshal(plain(r))
}

// UnmarshalJSON is [Decode].
func (r *Report) UnmarshalJSON(data []byte) error {
	read, err := Decode(data)
	if err == nil {
		*r = *read
	}
	return err
}

func orEmpty[S ~[]E, E any](s S) []E {
	if s == nil {
		return []E{}
	}
	return s
}
