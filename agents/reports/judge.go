package reports

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A judging is the state of judging one report.
type judging struct {
	gate   *Gate
	ledger *ledger
	worker Worker
	report *Report
	origin Origin
	now    time.Time

	signals  []signals.Any
	text     string     // normalized text of the current item
	accepted []string   // ids of findings
	refused  []string   // and of those that were rejected, not as known
	said     []claimKey // accepted in this report
	asked    []reasonKey
}

// held is the reason why an item is rejected.
type held struct {
	reason Reason
	detail string
	of     signals.ID
}

func invalid(err error) *held { return &held{reason: ReasonInvalid, detail: err.Error()} }

func (j *judging) judge(digest string) Judgement {
	r, o := j.report, &j.gate.opts
	j.signals = make([]signals.Any, 1, 8)
	j.signals = append(j.signals, j.step())
	each(j, PartFinding, o.Findings, r.Findings, j.finding)
	each(j, PartLearning, o.Learnings, r.Learnings, j.learning)
	each(j, PartEscalation, o.Escalations, r.Escalations, j.escalation)
	each(j, PartArtifact, o.Artifacts, r.Artifacts, j.artifact)
	j.signals[0] = say(j, 1, Received{j.origin, r.Status, r.Summary, digest, len(j.signals) - 1})
	return Judgement{Signals: j.signals, Receipt: ReceiptOf(j.signals...)}
}

// say returns a signal of the worker. It never expires, because the gate's state
// must not depend on lifetimes.
func say[P signals.Payload](j *judging, confidence float64, p P) *signals.Signal[P] {
	return signals.New(signals.Header{Source: j.worker.ID, Thread: j.report.TaskID, Confidence: confidence, TTL: -1}, p)
}

// step returns the signal on the state of the task.
func (j *judging) step() signals.Any {
	s := Step{j.origin, j.report.Summary}
	switch j.report.Status {
	case Completed:
		return say(j, 1, Completion{s})
	case Failed:
		return say(j, 1, Failure{s})
	case Blocked:
		return say(j, 1, Block{s})
	}
	return say(j, 1, Progress{s})
}

// each judges the items of one part. Excess items are only counted: otherwise a
// flood of items would cause a flood of rejections.
func each[T any](j *judging, part Part, most int, items []T, judge func(*T) (string, signals.Any, *held)) {
	most = max(most, 0)
	for i := range items[:min(most, len(items))] {
		ref, said, why := judge(&items[i])
		if broken, bad := j.report.malformed[place{part, i}]; bad {
			why = &held{reason: ReasonInvalid, detail: broken}
		}
		if why != nil {
			if part == PartFinding && why.reason != ReasonDuplicate {
				j.refused = append(j.refused, ref)
			}
			j.reject(part, i, ref, 1, why)
			continue
		}
		j.signals = append(j.signals, said)
		j.accept(&items[i])
	}
	for i := range items[min(most, len(items)):] {
		if f, ok := any(&items[most+i]).(*Finding); ok {
			j.refused = append(j.refused, f.FindingID)
		}
	}
	if more := len(items) - most; more > 0 {
		j.reject(part, most, "", more, &held{reason: ReasonCap, detail: fmt.Sprintf("%d, more than %d in a report", len(items), most)})
	}
}

func (j *judging) reject(part Part, at int, ref string, count int, why *held) {
	j.signals = append(j.signals, say(j, 1, Rejected{
		Origin: j.origin, Part: part, Position: at, Ref: clip(ref), Reason: why.reason,
		Detail: clipTo(why.detail, 512), Count: count, Of: why.of,
	}))
}

// accept records what later items of the same report may refer to or repeat.
func (j *judging) accept(item any) {
	switch item := item.(type) {
	case *Finding:
		j.accepted = append(j.accepted, item.FindingID)
		j.said = append(j.said, claimKey{j.report.TaskID, PartFinding, hashNormal(j.text)})
	case *Learning:
		j.said = append(j.said, claimKey{j.report.TaskID, PartLearning, hashNormal(j.text)})
	case *Escalation:
		j.asked = append(j.asked, reasonKey{item.Kind, hashNormal(j.text)})
	}
}

func (j *judging) finding(f *Finding) (string, signals.Any, *held) {
	why := firstHeld(
		func() *held { return j.texts("claim", f.Claim, f.texts) },
		func() *held { return j.evidence(f) },
		func() *held { return j.sure(f.Confidence) },
		func() *held { return j.repeated(PartFinding) },
	)
	if why != nil {
		return f.FindingID, nil, why
	}
	if j.worker.Research {
		return f.FindingID, say(j, f.Confidence, ResearchFinding{j.origin, *f}), nil
	}
	return f.FindingID, say(j, f.Confidence, WorkerFinding{j.origin, *f}), nil
}

func (j *judging) learning(e *Learning) (string, signals.Any, *held) {
	why := firstHeld(
		func() *held { return j.texts("insight", e.Insight, e.texts) },
		func() *held { return j.supported(e) },
		func() *held { return j.sure(e.Confidence) },
		func() *held { return j.repeated(PartLearning) },
	)
	if why != nil {
		return e.LearningID, nil, why
	}
	if j.worker.Research {
		return e.LearningID, say(j, e.Confidence, ResearchLearning{j.origin, *e}), nil
	}
	return e.LearningID, say(j, e.Confidence, WorkerLearning{j.origin, *e}), nil
}

func (j *judging) escalation(e *Escalation) (string, signals.Any, *held) {
	why := firstHeld(
		func() *held { return j.texts("reason", e.Reason, e.check) },
		func() *held { return askable(e) },
		func() *held { return j.cooldown(e) },
		j.waiting,
	)
	if why != nil {
		return e.EscalationID, nil, why
	}
	s := say(j, 1, Requested{j.origin, *e, j.now.Add(j.gate.opts.Expiry)})
	s.Priority = e.Urgency.priority()
	return e.EscalationID, s, nil
}

func (j *judging) artifact(a *Artifact) (string, signals.Any, *held) {
	if why := j.texts("ref", a.Ref, a.check); why != nil {
		return a.ArtifactID, nil, why
	}
	return a.ArtifactID, say(j, 1, Created{j.origin, *a}), nil
}

// maxEscalation is the maximum size of an escalation as JSON. What is passed on of it
// has to fit in one text.
const maxEscalation = 48 << 10

func askable(e *Escalation) *held {
	if data, err := json.Marshal(e); err != nil || len(data) > maxEscalation {
		return invalid(problem("escalation", clip(e.Reason), fmt.Sprintf("%d bytes, more than %d", len(data), maxEscalation)))
	}
	return nil
}

func firstHeld(checks ...func() *held) *held {
	for _, check := range checks {
		if why := check(); why != nil {
			return why
		}
	}
	return nil
}

// texts checks the form of an item, whose main text must not be empty once
// normalized.
func (j *judging) texts(field, main string, check func(signals.Limits) error) *held {
	if err := check(j.gate.limits()); err != nil {
		return invalid(err)
	}
	if j.text = normal(main); j.text == "" {
		return invalid(problem(field, clip(main), "says nothing"))
	}
	return nil
}

func (j *judging) evidence(f *Finding) *held {
	if slices.ContainsFunc(f.EvidenceRefs, func(ref string) bool { return normal(ref) != "" }) {
		return nil
	}
	return &held{reason: ReasonMissingEvidence, detail: "no evidence_refs"}
}

// supported requires that a learning names findings, and that all of them were
// accepted.
func (j *judging) supported(e *Learning) *held {
	if len(e.Supports) == 0 {
		return &held{reason: ReasonMissingEvidence, detail: "supports names no finding"}
	}
	for _, ref := range e.Supports {
		here := slices.Contains(j.accepted, ref)
		if !here && (slices.Contains(j.refused, ref) || !j.gate.accepted(j.worker.ID, j.report.TaskID, ref)) {
			return &held{reason: ReasonMissingEvidence, detail: fmt.Sprintf("supports %q, which is no accepted finding", clip(ref))}
		}
	}
	return nil
}

func (j *judging) sure(confidence float64) *held {
	if err := signals.Unit("confidence", confidence); err != nil {
		return invalid(err)
	}
	if least := j.gate.opts.Confidence; confidence < least {
		return &held{reason: ReasonLowConfidence, detail: fmt.Sprintf("confidence = %v, below %v", confidence, least)}
	}
	return nil
}

// repeated looks for the same claim in this report and in earlier ones within
// the window, which is counted from the accepted claim.
func (j *judging) repeated(part Part) *held {
	key, window := claimKey{j.report.TaskID, part, hashNormal(j.text)}, j.gate.opts.Window
	if window < 0 {
		return nil
	}
	if slices.Contains(j.said, key) {
		return &held{reason: ReasonDuplicate, detail: "said in the same report"}
	}
	if m, known := j.ledger.claims.get(key); known && !j.now.After(m.at.Add(window)) {
		return &held{ReasonDuplicate, fmt.Sprintf("said %v before", j.now.Sub(m.at)), m.id}
	}
	return nil
}

func (j *judging) cooldown(e *Escalation) *held {
	key, span := reasonKey{e.Kind, hashNormal(j.text)}, j.gate.opts.Cooldown
	if span < 0 {
		return nil
	}
	if slices.Contains(j.asked, key) {
		return &held{reason: ReasonCooldown, detail: "the same is in the report"}
	}
	m, known := j.ledger.reasons.get(key)
	if !known || j.now.After(m.at.Add(span)) {
		return nil
	}
	return &held{ReasonCooldown, fmt.Sprintf("the same %s was accepted %v before", e.Kind, j.now.Sub(m.at)), m.id}
}

// waiting limits a worker's open escalations, whatever their text.
func (j *judging) waiting() *held {
	open := len(j.asked)
	for _, r := range j.ledger.open {
		if !r.expired(j.now) {
			open++
		}
	}
	if open < j.gate.opts.Open {
		return nil
	}
	return &held{reason: ReasonCap, detail: fmt.Sprintf("%d escalations of the worker wait for a decision", open)}
}
