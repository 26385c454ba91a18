package reports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Judge decides on a report as JSON, at the time now, or at the log's time if that is
// later. It changes nothing: apply the signals once they are in the log. The turn is the
// id of the [Turn] that the report was said in, to which the first signal replies; zero:
// there is none, and that signal keeps the report.
//
// The checks are made in this order: validity of worker, task, turn, status and
// summary; repetition of the turn; and for each item the number of items, its
// form, its texts, evidence, confidence, and repetition. An item that does not conform
// to [Schema] is rejected, and the others are judged.
func (g *Gate) Judge(w Worker, data []byte, turn signals.ID, now time.Time) Judgement {
	malformed := map[place]error{}
	r, err := decode(data, func(array string, i int, err error) error {
		malformed[place{Part(array[:len(array)-1]), i}] = err
		return nil
	})
	if err == nil {
		err = g.checkReport(w, r)
	}
	j := judging{
		gate: g, ledger: g.ledger(w.ID), research: w.Research, now: g.after(now), origin: Origin{r.TurnID, cmp.Or(w.Model, r.Model)},
		header: signals.Header{Source: w.ID, Thread: cmp.Or(w.Task, r.TaskID), Confidence: 1, TTL: -1}, malformed: malformed,
	}
	if turn.IsZero() {
		j.raw = string(data)
	}
	if err != nil {
		return j.refuse(turn, ReasonInvalid, err)
	}
	digest := digestOf(data)
	if t, known := j.ledger.turns.get(r.TurnID); known {
		if t.digest != digest {
			return j.refuse(turn, ReasonDuplicate, problem("turn_id", clip(r.TurnID), "another report has it"))
		}
		again := t.receipt.clone()
		again.Repeated = true
		return Judgement{Receipt: again}
	}
	return j.judge(r, turn, digest)
}

// checkReport checks everything except the items.
func (g *Gate) checkReport(w Worker, r *Report) error {
	limits := g.limits()
	switch {
	case r.WorkerID != w.ID:
		return problem("worker_id", clip(r.WorkerID), fmt.Sprintf("the worker is %q", w.ID))
	case w.Task != "" && r.TaskID != w.Task:
		return problem("task_id", clip(r.TaskID), fmt.Sprintf("the worker's task is %q", w.Task))
	case normal(r.Summary) == "":
		return problem("summary", clip(r.Summary), "says nothing")
	}
	return first(
		limits.Name("worker_id", r.WorkerID), limits.Name("task_id", r.TaskID), Origin{r.TurnID, r.Model}.named(limits), limits.Text("summary", r.Summary),
	)
}

// digestOf returns a hash of the report's content, whatever its form.
func digestOf(data []byte) string {
	var v any
	_ = json.Unmarshal(data, &v)    // it has been read
	canonical, _ := json.Marshal(v) // what was read can be written
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// A judging is the state of judging one report.
type judging struct {
	gate      *Gate
	ledger    *ledger
	research  bool
	origin    Origin
	header    signals.Header // of all signals
	raw       string         // the report, if no signal has it
	now       time.Time
	malformed map[place]error

	signals []signals.Any
	key     claim    // of the item that is judged
	said    []claim  // accepted in this report
	found   []string // ids of its accepted findings
	vain    []string // ids of its rejected ones, unless they repeat one
	asked   int      // accepted escalations
	news    int      // accepted findings and learnings
}

// A place is the position of an item in a report.
type place struct {
	part  Part
	index int
}

// held is the reason why an item is rejected.
type held struct {
	reason Reason
	detail string
	of     signals.ID
}

func invalid(err error) *held { return &held{reason: ReasonInvalid, detail: err.Error()} }

func (j *judging) judge(r *Report, turn signals.ID, digest string) Judgement {
	o := &j.gate.opts
	j.signals = append(make([]signals.Any, 1, 8), j.step(r))
	each(j, o.Findings, r.Findings)
	each(j, o.Learnings, r.Learnings)
	each(j, o.Escalations, r.Escalations)
	each(j, o.Artifacts, r.Artifacts)
	h := j.header
	h.ReplyTo = turn
	received := Received{j.origin, r.Status, r.Summary, digest, len(j.signals) - 1, j.news, j.raw}
	if err := received.Check(signals.Limits{}); err != nil {
		return j.refuse(turn, ReasonInvalid, err) // it is too long
	}
	j.signals[0] = signals.New(h, received)
	return Judgement{Signals: j.signals, Receipt: ReceiptOf(j.signals...)}
}

// refuse rejects the report as a whole. Names that are invalid are left out.
func (j *judging) refuse(turn signals.ID, why Reason, err error) Judgement {
	var l signals.Limits
	at, h := j.origin, j.header
	for _, name := range []*string{&at.TurnID, &at.Model, &h.Thread} {
		if l.Name("name", *name) != nil {
			*name = ""
		}
	}
	h.ReplyTo = turn
	said := signals.New(h, Rejected{
		Origin: at, Part: PartReport, Ref: clip(j.origin.TurnID), Reason: why, Detail: clipTo(err.Error(), 512), Count: 1, Report: clipTo(j.raw, 4096),
	})
	return Judgement{[]signals.Any{said}, ReceiptOf(said), &RefusedError{h.Source, j.origin.TurnID, why, err}}
}

// say returns a signal of the worker. It never expires, because the gate's state
// must not depend on lifetimes.
func say[P signals.Payload](j *judging, p P) *signals.Signal[P] { return signals.New(j.header, p) }

// sure is say with a confidence.
func sure[P signals.Payload](j *judging, confidence float64, p P) *signals.Signal[P] {
	h := j.header
	h.Confidence = confidence
	return signals.New(h, p)
}

// step returns the signal on the state of the task.
func (j *judging) step(r *Report) signals.Any {
	s := Step{j.origin, r.Summary}
	switch r.Status {
	case Completed:
		return say(j, Completion{s})
	case Failed:
		return say(j, Failure{s})
	case Blocked:
		return say(j, Block{s})
	}
	return say(j, Progress{s})
}

// each judges the items of one part. Excess items are only counted: otherwise a
// flood of items would cause a flood of rejections.
func each[T item](j *judging, most int, items []T) {
	most = min(max(most, 0), len(items))
	for i, it := range items {
		part, id, _ := it.about()
		var said signals.Any
		var why *held
		switch bad := j.malformed[place{part, i}]; {
		case i >= most:
			why = &held{reason: ReasonCap, detail: fmt.Sprintf("%d, more than %d in a report", len(items), most)}
		case bad != nil:
			why = invalid(bad)
		default:
			said, why = j.item(it)
		}
		switch {
		case why == nil:
			j.accept(part, id, said)
			continue
		case part == PartFinding && why.reason != ReasonDuplicate:
			j.vain = append(j.vain, id)
		}
		if i == most {
			j.reject(part, i, "", len(items)-most, why)
		} else if i < most {
			j.reject(part, i, id, 1, why)
		}
	}
}

func (j *judging) reject(part Part, at int, ref string, count int, why *held) {
	j.signals = append(j.signals, say(j, Rejected{
		Origin: j.origin, Part: part, Position: at, Ref: clip(ref), Reason: why.reason,
		Detail: clipTo(why.detail, 512), Count: count, Of: why.of,
	}))
}

// accept records what later items of the same report may refer to or repeat.
func (j *judging) accept(part Part, id string, said signals.Any) {
	j.signals = append(j.signals, said)
	j.said = append(j.said, j.key)
	switch part {
	case PartFinding:
		j.found = append(j.found, id)
		j.news++
	case PartLearning:
		j.news++
	case PartEscalation:
		j.asked++
	}
}

// item returns the signal of an item, and the reason why it is rejected, or nil.
func (j *judging) item(it item) (signals.Any, *held) {
	o := &j.gate.opts
	switch it := any(it).(type) {
	case Finding:
		why := cmp.Or(j.wellFormed(it, j.header.Thread), evident(it), j.confident(it.Confidence), j.repeated(ReasonDuplicate, o.Window))
		if j.research {
			return sure(j, it.Confidence, ResearchFinding{j.origin, it}), why
		}
		return sure(j, it.Confidence, WorkerFinding{j.origin, it}), why
	case Learning:
		why := cmp.Or(j.wellFormed(it, j.header.Thread), j.supported(it), j.confident(it.Confidence), j.repeated(ReasonDuplicate, o.Window))
		if j.research {
			return sure(j, it.Confidence, ResearchLearning{j.origin, it}), why
		}
		return sure(j, it.Confidence, WorkerLearning{j.origin, it}), why
	case Escalation:
		s := say(j, Requested{j.origin, it, j.now.Add(o.Expiry)})
		s.Priority = it.Urgency.priority()
		return s, cmp.Or(j.wellFormed(it, string(it.Kind)), j.repeated(ReasonCooldown, o.Cooldown), j.waiting())
	case Artifact:
		return say(j, Created{j.origin, it}), j.wellFormed(it, "")
	}
	panic(fmt.Sprintf("reports: %T is no item", it))
}

// wellFormed checks the form of an item, whose main text must not be empty once
// normalized.
func (j *judging) wellFormed(it item, scope string) *held {
	if err := it.check(j.gate.limits()); err != nil {
		return invalid(err)
	}
	part, _, text := it.about()
	words := normal(text)
	if words == "" {
		return invalid(problem(string(part), clip(text), "says nothing"))
	}
	j.key = claim{scope, part, sha256.Sum256([]byte(words))}
	return nil
}

func evident(f Finding) *held {
	if slices.ContainsFunc(f.EvidenceRefs, func(ref string) bool { return normal(ref) != "" }) {
		return nil
	}
	return &held{reason: ReasonMissingEvidence, detail: "no evidence_refs"}
}

// supported requires that a learning names findings, and that all of them were
// accepted.
func (j *judging) supported(e Learning) *held {
	if len(e.Supports) == 0 {
		return &held{reason: ReasonMissingEvidence, detail: "supports names no finding"}
	}
	for _, ref := range e.Supports {
		if !slices.Contains(j.found, ref) && (slices.Contains(j.vain, ref) || !j.gate.accepted(j.ledger, j.header.Thread, ref)) {
			return &held{reason: ReasonMissingEvidence, detail: fmt.Sprintf("supports %q, which is no accepted finding", clip(ref))}
		}
	}
	return nil
}

func (j *judging) confident(confidence float64) *held {
	if err := signals.Unit("confidence", confidence); err != nil {
		return invalid(err)
	}
	if least := j.gate.opts.Confidence; confidence < least {
		return &held{reason: ReasonLowConfidence, detail: fmt.Sprintf("confidence = %v, below %v", confidence, least)}
	}
	return nil
}

// repeated looks for the same text in this report and in accepted ones within
// the span.
func (j *judging) repeated(why Reason, span time.Duration) *held {
	m, known := j.ledger.claims.get(j.key)
	switch {
	case span < 0:
		return nil
	case slices.Contains(j.said, j.key):
		return &held{reason: why, detail: "the same is in the report"}
	case !known || j.now.After(m.at.Add(span)):
		return nil
	}
	return &held{why, fmt.Sprintf("the same was accepted %v before", j.now.Sub(m.at)), m.id}
}

// waiting limits a worker's open escalations, whatever their text.
func (j *judging) waiting() *held {
	open := j.asked
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
