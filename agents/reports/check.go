package reports

import (
	"errors"

	"github.com/swarmbus/swarmbus/signals"
)

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *Origin) check(l signals.Limits) error {
	return first(l.Name("turn_id", o.TurnID), optionalName(l, "model", o.Model))
}

func optionalName(l signals.Limits, field, name string) error {
	if name == "" {
		return nil
	}
	return l.Name(field, name)
}

func (f *Finding) check(l signals.Limits) error {
	return first(f.texts(l), signals.Unit("confidence", f.Confidence))
}

func (f *Finding) texts(l signals.Limits) error {
	return first(l.Name("finding_id", f.FindingID), l.Required("claim", f.Claim), f.EvidenceRefs.check(l, "evidence_refs"))
}

func (e *Learning) check(l signals.Limits) error {
	return first(e.texts(l), signals.Unit("confidence", e.Confidence))
}

func (e *Learning) texts(l signals.Limits) error {
	return first(l.Name("learning_id", e.LearningID), l.Required("insight", e.Insight), e.Supports.check(l, "supports"))
}

func (e *Escalation) check(l signals.Limits) error {
	return first(
		l.Name("escalation_id", e.EscalationID), oneOf("kind", e.Kind, escalationKinds), l.Required("reason", e.Reason),
		oneOf("urgency", e.Urgency, urgencies), e.Options.check(l, "options"), e.recommends(),
	)
}

func (a *Artifact) check(l signals.Limits) error {
	return first(l.Name("artifact_id", a.ArtifactID), oneOf("kind", a.Kind, artifactKinds), l.Required("ref", a.Ref))
}

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

// MaxList is the maximum number of evidence references, supports or options of
// an item.
const MaxList = 16

// Check implements [signals.Checker].
func (p *Received) Check(l signals.Limits) error {
	return first(
		p.check(l), oneOf("status", p.Status, statuses), l.Required("summary", p.Summary),
		l.Name("digest", p.Digest), signals.AtLeastZero("signals", float64(p.Signals)),
	)
}

// Check implements [signals.Checker].
func (p *Step) Check(l signals.Limits) error {
	return first(p.check(l), l.Required("summary", p.Summary))
}

// Check implements [signals.Checker].
func (p *ResearchFinding) Check(l signals.Limits) error {
	return first(p.Origin.check(l), p.Finding.check(l))
}

// Check implements [signals.Checker].
func (p *WorkerFinding) Check(l signals.Limits) error {
	return first(p.Origin.check(l), p.Finding.check(l))
}

// Check implements [signals.Checker].
func (p *ResearchLearning) Check(l signals.Limits) error {
	return first(p.Origin.check(l), p.Learning.check(l))
}

// Check implements [signals.Checker].
func (p *WorkerLearning) Check(l signals.Limits) error {
	return first(p.Origin.check(l), p.Learning.check(l))
}

// Check implements [signals.Checker].
func (p *Requested) Check(l signals.Limits) error {
	if p.Expires.IsZero() {
		return problem("expires", "", "required")
	}
	return first(p.Origin.check(l), p.Escalation.check(l))
}

// Check implements [signals.Checker].
func (p *Decided) Check(l signals.Limits) error {
	return first(
		l.Name("escalation_id", p.EscalationID), l.Ref("request", p.Request), oneOf("verdict", p.Verdict, verdicts),
		l.Name("by", p.By), l.Text("option", p.Option), l.Text("text", p.Text),
	)
}

// Check implements [signals.Checker].
func (p *Created) Check(l signals.Limits) error {
	return first(p.Origin.check(l), p.Artifact.check(l))
}

// Check implements [signals.Checker].
func (p *Rejected) Check(l signals.Limits) error {
	var turn error
	if p.Part != PartReport {
		turn = l.Name("turn_id", p.TurnID)
	}
	if p.Position < 0 || p.Count < 1 {
		return errors.New("reports: a rejection without a position or count")
	}
	return first(
		turn, oneOf("part", p.Part, parts), oneOf("reason", p.Reason, reasons),
		l.Text("ref", p.Ref), l.Text("detail", p.Detail),
	)
}
