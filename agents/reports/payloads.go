package reports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Origin is the turn that a signal comes from. Worker and task are the header's
// source and thread.
type Origin struct {
	TurnID string `json:"turn_id"` // required, except for a report that could not be read
	Model  string `json:"model,omitempty"`
}

func (o Origin) origin() Origin { return o }

// Received says that a report was accepted, and keeps it. The signals of the report
// follow it directly.
type Received struct {
	Origin
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	Digest  string `json:"digest"`           // SHA-256 of the report's content, in hexadecimal
	Signals int    `json:"signals"`          // number of signals that follow
	News    int    `json:"news,omitempty"`   // number of findings and learnings among them
	Report  string `json:"report,omitempty"` // as the worker sent it; "": in the [Turn] that the signal replies to
}

// Kind returns "worker.report.received".
func (Received) Kind() signals.Kind { return "worker.report.received" }

// Check implements [signals.Checker].
func (p Received) Check(l signals.Limits) error {
	return cmp.Or(oneOf("status", p.Status, Running, Completed, Failed, Blocked), l.Required("summary", p.Summary), asRaw(l, p))
}

// asRaw limits the length of a payload with a report to that of one text, as a reader
// without [Payloads] does.
func asRaw(l signals.Limits, p signals.Payload) error {
	whole, _ := json.Marshal(p) // of texts and numbers, which cannot fail
	return l.Text("report", string(whole))
}

// String returns the signal in one line.
func (p Received) String() string {
	return fmt.Sprintf("reports turn %s (%s): %s", p.TurnID, p.Status, p.Summary)
}

// Step is the content of the four signals on the state of a task.
type Step struct {
	Origin
	Summary string `json:"summary"`
}

// Check implements [signals.Checker].
func (p Step) Check(l signals.Limits) error { return l.Required("summary", p.Summary) }

// Progress says that the task continues.
type Progress struct{ Step }

// Kind returns "worker.task.progress".
func (Progress) Kind() signals.Kind { return "worker.task.progress" }

// String returns the signal in one line.
func (p Progress) String() string { return "goes on with the task: " + p.Summary }

// Completion says that the task is done.
type Completion struct{ Step }

// Kind returns "worker.task.completed".
func (Completion) Kind() signals.Kind { return "worker.task.completed" }

// String returns the signal in one line.
func (p Completion) String() string { return "has completed the task: " + p.Summary }

// Failure says that the task has failed.
type Failure struct{ Step }

// Kind returns "worker.task.failed".
func (Failure) Kind() signals.Kind { return "worker.task.failed" }

// String returns the signal in one line.
func (p Failure) String() string { return "has failed at the task: " + p.Summary }

// Block says that the task cannot go on without a decision.
type Block struct{ Step }

// Kind returns "worker.task.blocked".
func (Block) Kind() signals.Kind { return "worker.task.blocked" }

// String returns the signal in one line.
func (p Block) String() string { return "is blocked: " + p.Summary }

// ResearchFinding is an accepted finding of a worker that does research. The header's
// confidence is the finding's.
type ResearchFinding struct {
	Origin
	Finding
}

// Kind returns "research.finding.created".
func (ResearchFinding) Kind() signals.Kind { return "research.finding.created" }

// WorkerFinding is an accepted finding of any other worker.
type WorkerFinding ResearchFinding

// Kind returns "worker.finding.created".
func (WorkerFinding) Kind() signals.Kind { return "worker.finding.created" }

// ResearchLearning is an accepted learning of a worker that does research. The header's
// confidence is the learning's.
type ResearchLearning struct {
	Origin
	Learning
}

// Kind returns "research.learning.created".
func (ResearchLearning) Kind() signals.Kind { return "research.learning.created" }

// WorkerLearning is an accepted learning of any other worker.
type WorkerLearning ResearchLearning

// Kind returns "worker.learning.created".
func (WorkerLearning) Kind() signals.Kind { return "worker.learning.created" }

// Requested is an accepted escalation, which waits for a [Decided].
type Requested struct {
	Origin
	Escalation
	Expires time.Time `json:"expires"` // deadline for the decision, inclusive
}

// Kind returns "worker.signal.escalation_requested".
func (Requested) Kind() signals.Kind { return "worker.signal.escalation_requested" }

// Decided is the decision on an escalation. It replies to the request and is
// addressed to the worker. Its source is the decider.
type Decided struct {
	Decision
	EscalationID string `json:"escalation_id"` // the worker's name for it
}

// Kind returns "worker.signal.escalation_decided".
func (Decided) Kind() signals.Kind { return "worker.signal.escalation_decided" }

// String returns the signal in one line.
func (p Decided) String() string {
	return fmt.Sprintf("decides on escalation %s: %s", p.EscalationID, answer(p.Verdict, p.Option, p.Text))
}

func answer(v Verdict, words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return strings.Join(append([]string{string(v)}, words...), ", ")
}

// Created refers to what a worker made.
type Created struct {
	Origin
	Artifact
}

// Kind returns "artifact.created".
func (Created) Kind() signals.Kind { return "artifact.created" }

// Rejected says which part of a report was rejected, and why.
type Rejected struct {
	Origin
	Part     Part       `json:"part"`
	Position int        `json:"position"`         // in the report, from 0; of the first, if several
	Ref      string     `json:"ref"`              // the worker's id for it, cut to 64 bytes
	Reason   Reason     `json:"reason"`           // one of six
	Detail   string     `json:"detail"`           // description with field and value
	Count    int        `json:"count"`            // number of items; more than 1 only for ReasonCap
	Of       signals.ID `json:"of,omitzero"`      // the signal that it would repeat, if that is in the log
	Report   string     `json:"report,omitempty"` // a whole report as the worker sent it, cut to 4 KiB; "": in the [Turn] that the signal replies to
}

// Kind returns "worker.signal.rejected".
func (Rejected) Kind() signals.Kind { return "worker.signal.rejected" }

// Check implements [signals.Checker].
func (p Rejected) Check(l signals.Limits) error {
	return cmp.Or(l.Text("ref", p.Ref), l.Text("detail", p.Detail), l.Text("report", p.Report))
}

// String returns the signal in one line.
func (p Rejected) String() string {
	what := string(p.Part)
	if p.Count > 1 {
		what = fmt.Sprintf("%d %ss", p.Count, p.Part)
	} else if p.Ref != "" {
		what += " " + p.Ref
	}
	return fmt.Sprintf("%s rejected, %s: %s", what, p.Reason, p.Detail)
}

// Advisory is an observation of a [Watcher]. It requires no action.
type Advisory struct {
	Concern Concern   `json:"concern"`
	Workers List      `json:"workers"` // the workers concerned, sorted
	Since   time.Time `json:"since"`   // when the problem began
	Count   int       `json:"count"`   // number of failures, repetitions or rejections; 0 for a stall
	Text    string    `json:"text"`    // in one line
}

// Kind returns "worker.advisory".
func (Advisory) Kind() signals.Kind { return "worker.advisory" }

// Check implements [signals.Checker].
func (p Advisory) Check(l signals.Limits) error {
	return cmp.Or(oneOf("concern", p.Concern, FailureSpike, Stall, RetryStorm, Trend), p.Workers.check(l, "workers"), l.Required("text", p.Text))
}

// String returns the signal in one line.
func (p Advisory) String() string { return fmt.Sprintf("advises of a %s: %s", p.Concern, p.Text) }
