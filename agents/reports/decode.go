package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/signals"
)

// MaxBytes is the maximum size of a report as JSON.
const MaxBytes = 256 << 10

// Decode reads a report that must conform to [Schema]: all members, no others,
// of the right types. A finding, learning, escalation or artifact that does not
// conform is set aside for the [Gate] to reject, and the rest is read: see
// [Report.Malformed]. For any other violation, for more than [MaxBytes] and for
// bytes that are not UTF-8, Decode returns a [*signals.FieldError]. The report
// keeps no reference to data.
//
// Names of members are compared byte for byte; of two with the same name the
// last counts.
func Decode(data []byte) (*Report, error) {
	switch {
	case len(data) > MaxBytes:
		return nil, problem("report", clip(string(data[:64])), fmt.Sprintf("%d bytes, more than %d", len(data), MaxBytes))
	case !utf8.Valid(data):
		return nil, problem("report", clip(string(data)), "not UTF-8")
	}
	r := &Report{malformed: map[place]string{}}
	o := newObject("", data)
	r.TurnID, r.WorkerID, r.TaskID = o.text("turn_id"), o.text("worker_id"), o.text("task_id")
	r.Model, r.Summary = o.text("model"), o.text("summary")
	r.Status = word(o, "status", statuses)
	r.Findings = items(r, PartFinding, o.array("findings"), readFinding)
	r.Learnings = items(r, PartLearning, o.array("learnings"), readLearning)
	r.Escalations = items(r, PartEscalation, o.array("escalations"), readEscalation)
	r.Artifacts = items(r, PartArtifact, o.array("artifacts"), readArtifact)
	if err := o.end(); err != nil {
		return nil, err
	}
	return r, nil
}

// Malformed returns the errors of the items that [Decode] set aside; nil if the
// whole report conforms to the schema.
func (r *Report) Malformed() error {
	var all []error
	for _, part := range parts {
		for _, at := range slices.SortedFunc(maps.Keys(r.malformed), func(a, b place) int { return a.index - b.index }) {
			if at.part == part {
				all = append(all, problem(fmt.Sprintf("%ss[%d]", part, at.index), "", r.malformed[at]))
			}
		}
	}
	return errors.Join(all...)
}

func readFinding(o *object) Finding {
	return Finding{
		FindingID: o.text("finding_id"), Claim: o.text("claim"), Confidence: o.number("confidence"),
		EvidenceRefs: o.texts("evidence_refs"), Novel: o.truth("novel"),
	}
}

func readLearning(o *object) Learning {
	return Learning{
		LearningID: o.text("learning_id"), Insight: o.text("insight"), Confidence: o.number("confidence"),
		Supports: o.texts("supports"), ChangesPlan: o.truth("changes_plan"),
	}
}

func readEscalation(o *object) Escalation {
	return Escalation{
		EscalationID: o.text("escalation_id"), Kind: word(o, "kind", escalationKinds), Reason: o.text("reason"),
		Urgency: word(o, "urgency", urgencies), Options: o.texts("options"),
		RecommendedOption: o.text("recommended_option"), RequiresHuman: o.truth("requires_human"),
	}
}

func readArtifact(o *object) Artifact {
	return Artifact{ArtifactID: o.text("artifact_id"), Kind: word(o, "kind", artifactKinds), Ref: o.text("ref")}
}

// items reads an array of objects, one by one.
func items[T any](r *Report, part Part, raw []json.RawMessage, read func(*object) T) []T {
	all := make([]T, len(raw))
	for i := range raw {
		o := newObject("", raw[i])
		all[i] = read(o)
		if err := o.end(); err != nil {
			r.malformed[place{part, i}] = err.Error()
		}
	}
	return all
}

// An object is a JSON object whose members are taken out one by one. It keeps
// the first error.
type object struct {
	members map[string]json.RawMessage
	err     error
}

func newObject(field string, data []byte) *object {
	o := new(object)
	if err := json.Unmarshal(data, &o.members); err != nil || o.members == nil {
		o.err = problem(field, clip(string(data)), "not a JSON object")
	}
	return o
}

func (o *object) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// take moves a member to v. JSON null, which encoding/json accepts for any
// type, is an error.
func (o *object) take(name string, v any, kind string) {
	raw, there := o.members[name]
	delete(o.members, name)
	switch {
	case !there:
		o.fail(problem(name, "", "required"))
	case string(raw) == "null" || json.Unmarshal(raw, v) != nil:
		o.fail(problem(name, clip(string(raw)), "not "+kind))
	}
}

func (o *object) text(name string) (s string)    { o.take(name, &s, "a string"); return s }
func (o *object) number(name string) (x float64) { o.take(name, &x, "a number"); return x }
func (o *object) truth(name string) (b bool)     { o.take(name, &b, "true or false"); return b }

func (o *object) array(name string) (all []json.RawMessage) {
	o.take(name, &all, "an array")
	return all
}

func (o *object) texts(name string) List {
	all := List{}
	for i, raw := range o.array(name) {
		var s string
		if string(raw) == "null" || json.Unmarshal(raw, &s) != nil {
			o.fail(problem(name+"["+strconv.Itoa(i)+"]", clip(string(raw)), "not a string"))
		}
		all = append(all, s)
	}
	return all
}

func word[W ~string](o *object, name string, all []W) W {
	w := W(o.text(name))
	if o.err == nil {
		o.fail(oneOf(name, w, all))
	}
	return w
}

// end returns the first error, or an error if there are other members.
func (o *object) end() error {
	if o.err == nil && len(o.members) > 0 {
		o.err = problem(clip(slices.Min(slices.Collect(maps.Keys(o.members)))), "", "not a member of the schema")
	}
	return o.err
}

func problem(field, value, what string) error {
	return &signals.FieldError{Field: field, Value: value, Problem: what}
}

// clip cuts a text to the length for errors.
func clip(s string) string { return clipTo(s, 64) }

func clipTo(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
