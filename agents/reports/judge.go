package reports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Judge decides on a report as JSON, at the time now, or at the log's time if that is
// later. It changes nothing: apply the signals once they are in the log. The turn is the
// id of the [Turn] in which the agent sent the report, to which the first signal replies;
// zero: there is none, and that signal keeps the report.
//
// The checks are made in this order: validity of worker, task, turn, status and
// summary; repetition of the turn; and for each item the number of items, its
// form, its texts, evidence, confidence, and repetition. An item that does not conform
// to [Schema] is rejected, and the others are judged.
func (g *Gate) Judge(w Worker, data []byte, turn signals.ID, now time.Time) Judgement {
	r, err := read(data)
	j := judging{
		gate: g, ledger: g.ledger(w.ID), research: w.Research, now: later(g.now, now), sent: &r, turn: turn,
		origin: Origin{r.TurnID, cmp.Or(w.Model, r.Model)}, accepted: Tally[Part]{},
		header: signals.Header{Source: w.ID, Thread: cmp.Or(w.Task, r.TaskID), Confidence: 1, TTL: -1},
	}
	if turn.IsZero() {
		j.raw = string(data)
	}
	if err = cmp.Or(err, g.checkReport(w, &r.Report)); err != nil {
		return j.refuse(ReasonInvalid, err)
	}
	t, known := j.ledger.turns.get(r.TurnID)
	switch {
	case !known:
		return j.judge()
	case t.digest != r.digest:
		return j.refuse(ReasonDuplicate, problem("turn_id", clip(r.TurnID), "another report has it"))
	}
	again := ReceiptOf(t.signals...)
	again.Repeated = true
	return Judgement{Receipt: again}
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
		return problem("summary", clip(r.Summary), "has no words")
	}
	return cmp.Or(
		limits.Name("worker_id", r.WorkerID), limits.Name("task_id", r.TaskID), limits.Name("turn_id", r.TurnID),
		limits.Name("model", cmp.Or(r.Model, "none")), limits.Text("summary", r.Summary),
	)
}

// A judging is the state of judging one report.
type judging struct {
	gate     *Gate
	ledger   *ledger
	research bool
	sent     *sent
	turn     signals.ID
	origin   Origin
	header   signals.Header // of all signals
	raw      string         // the report, if no signal has it
	now      time.Time

	signals  []signals.Any // the first is the report's own
	claims   []claim       // accepted in this report
	found    []string      // ids of its accepted findings
	vain     []string      // ids of its rejected ones, unless they repeat one
	accepted Tally[Part]
}

// held is the reason why an item is rejected.
type held struct {
	reason Reason
	detail string
	of     signals.ID
}

func invalid(err error) *held { return &held{reason: ReasonInvalid, detail: err.Error()} }

func (j *judging) judge() Judgement {
	o, r := &j.gate.opts, &j.sent.Report
	j.signals = append(make([]signals.Any, 1, 8), j.step(r))
	each(j, o.Findings, r.Findings)
	each(j, o.Learnings, r.Learnings)
	each(j, o.Escalations, r.Escalations)
	each(j, o.Artifacts, r.Artifacts)
	received := Received{
		j.origin, r.Status, r.Summary, j.sent.digest, len(j.signals) - 1, j.accepted[PartFinding] + j.accepted[PartLearning], j.raw,
	}
	if err := received.Check(signals.Limits{}); err != nil {
		return j.refuse(ReasonInvalid, err) // it is too long
	}
	j.header.ReplyTo = j.turn
	j.signals[0] = emit(j, 1, received)
	return Judgement{Signals: j.signals, Receipt: ReceiptOf(j.signals...)}
}

// refuse rejects the report as a whole. Names that are invalid are left out.
func (j *judging) refuse(why Reason, err error) Judgement {
	var l signals.Limits
	turn := j.origin.TurnID
	for _, name := range []*string{&j.origin.TurnID, &j.origin.Model, &j.header.Thread} {
		if l.Name("name", *name) != nil {
			*name = ""
		}
	}
	j.header.ReplyTo = j.turn
	s := emit(j, 1, Rejected{
		Origin: j.origin, Part: PartReport, Ref: clip(turn), Reason: why, Detail: clipTo(err.Error(), 512), Count: 1, Report: clipTo(j.raw, 4096),
	})
	return Judgement{[]signals.Any{s}, ReceiptOf(s), &RefusedError{j.header.Source, turn, why, err}}
}

// emit returns a signal of the worker. It never expires, because the gate's state
// must not depend on lifetimes.
func emit[P signals.Payload](j *judging, confidence float64, p P) *signals.Signal[P] {
	h := j.header
	h.Confidence = confidence
	return signals.New(h, p)
}

// step returns the signal on the state of the task.
func (j *judging) step(r *Report) signals.Any {
	s := Step{j.origin, r.Summary}
	switch r.Status {
	case Completed:
		return emit(j, 1, Completion{s})
	case Failed:
		return emit(j, 1, Failure{s})
	case Blocked:
		return emit(j, 1, Block{s})
	}
	return emit(j, 1, Progress{s})
}

// each judges the items of one part. Excess items are one rejection: otherwise a flood
// of items would cause a flood of rejections.
func each[T item](j *judging, most int, items []T) {
	most = min(most, len(items))
	for i, it := range items {
		part, id, _ := it.about()
		why := &held{reason: ReasonCap, detail: fmt.Sprintf("%d, more than %d in a report", len(items), most)}
		switch {
		case i < most:
			if why = j.item(i, it); why != nil {
				j.reject(part, i, id, 1, why)
			}
		case i == most:
			j.reject(part, i, "", len(items)-most, why)
		}
		if why != nil && part == PartFinding && why.reason != ReasonDuplicate {
			j.vain = append(j.vain, id)
		}
	}
}

func (j *judging) reject(part Part, at int, ref string, count int, why *held) {
	j.signals = append(j.signals, emit(j, 1, Rejected{
		Origin: j.origin, Part: part, Position: at, Ref: clip(ref), Reason: why.reason,
		Detail: clipTo(why.detail, 512), Count: count, Of: why.of,
	}))
}

// item adds the signal of an item, or returns why the item is rejected.
func (j *judging) item(i int, it item) *held {
	part, id, text := it.about()
	if err := cmp.Or(j.sent.at(part, i), it.Check(j.gate.limits())); err != nil {
		return invalid(err)
	}
	if normal(text) == "" {
		return invalid(problem(string(part), clip(text), "has no words"))
	}
	scope := j.header.Thread
	if e, ok := it.(Escalation); ok {
		scope = string(e.Kind)
	}
	key := claimOf(scope, part, text)
	s, why := j.judged(it, key)
	if why != nil {
		return why
	}
	j.signals, j.claims = append(j.signals, s), append(j.claims, key)
	if j.accepted[part]++; part == PartFinding {
		j.found = append(j.found, id)
	}
	return nil
}

// judged returns the signal of a well-formed item, and why it is rejected, or nil.
func (j *judging) judged(it item, key claim) (signals.Any, *held) {
	o := &j.gate.opts
	switch it := it.(type) {
	case Finding:
		why := cmp.Or(evident(it), j.confident(it.Confidence), j.repeated(key, ReasonDuplicate, o.Window))
		if j.research {
			return emit(j, it.Confidence, ResearchFinding{j.origin, it}), why
		}
		return emit(j, it.Confidence, WorkerFinding{j.origin, it}), why
	case Learning:
		why := cmp.Or(j.supported(it), j.confident(it.Confidence), j.repeated(key, ReasonDuplicate, o.Window))
		if j.research {
			return emit(j, it.Confidence, ResearchLearning{j.origin, it}), why
		}
		return emit(j, it.Confidence, WorkerLearning{j.origin, it}), why
	case Escalation:
		s := emit(j, 1, Requested{j.origin, it, j.now.Add(o.Expiry)})
		s.Priority = it.Urgency.priority()
		return s, cmp.Or(j.repeated(key, ReasonCooldown, o.Cooldown), j.waiting())
	case Artifact:
		return emit(j, 1, Created{j.origin, it}), nil
	}
	panic(fmt.Sprintf("reports: %T is no item", it))
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
	if least := j.gate.opts.Confidence; confidence < least {
		return &held{reason: ReasonLowConfidence, detail: fmt.Sprintf("confidence = %v, below %v", confidence, least)}
	}
	return nil
}

// repeated looks for the same text in this report and in accepted ones within
// the span.
func (j *judging) repeated(key claim, why Reason, span time.Duration) *held {
	m, known := j.ledger.claims.get(key)
	switch {
	case span < 0:
		return nil
	case slices.Contains(j.claims, key):
		return &held{reason: why, detail: "the same is in the report"}
	case !known || j.now.After(m.at.Add(span)):
		return nil
	}
	return &held{why, fmt.Sprintf("the same was accepted %v before", j.now.Sub(m.at)), m.id}
}

// waiting limits a worker's open escalations, whatever their text.
func (j *judging) waiting() *held {
	open := j.accepted[PartEscalation]
	for _, r := range j.ledger.requests {
		if r.waits(j.now) {
			open++
		}
	}
	if open < j.gate.opts.Open {
		return nil
	}
	return &held{reason: ReasonCap, detail: fmt.Sprintf("%d escalations of the worker wait for a decision", open)}
}
