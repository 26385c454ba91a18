package reports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/internal/text"
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
		return j.refuse(ReasonDuplicate, problem("turn_id", r.TurnID, "another report has it"))
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
		return problem("worker_id", r.WorkerID, fmt.Sprintf("want %q", w.ID))
	case w.Task != "" && r.TaskID != w.Task:
		return problem("task_id", r.TaskID, fmt.Sprintf("want %q", w.Task))
	}
	return cmp.Or(
		hasWords("summary", r.Summary), limits.Name("worker_id", r.WorkerID), limits.Name("task_id", r.TaskID), limits.Name("turn_id", r.TurnID),
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
		Origin: j.origin, Part: PartReport, Ref: clip(turn), Reason: why, Detail: text.Cut(err.Error(), 512), Count: 1, Report: text.Cut(j.raw, 4096),
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
	for i, it := range items {
		part, id, _ := it.about()
		why := &Rejected{Reason: ReasonCap, Detail: fmt.Sprintf("%d, more than %d in a report", len(items), most), Count: len(items) - most}
		if i < most {
			if why = j.item(i, it); why == nil {
				continue
			}
			why.Ref, why.Count = clip(id), 1
		}
		if i <= most {
			why.Origin, why.Part, why.Position = j.origin, part, i
			j.signals = append(j.signals, emit(j, 1, *why))
		}
		if part == PartFinding && why.Reason != ReasonDuplicate {
			j.vain = append(j.vain, id)
		}
	}
}

// unless returns a rejection with its reason, or nil if the item is good.
func unless(good bool, why Reason, format string, args ...any) *Rejected {
	if good {
		return nil
	}
	return &Rejected{Reason: why, Detail: text.Cut(fmt.Sprintf(format, args...), 512)}
}

// item adds the signal of an item, or returns why the item is rejected.
func (j *judging) item(i int, it item) *Rejected {
	part, id, text := it.about()
	err := cmp.Or(j.sent.malformed[place(string(part)+"s", i)], it.Check(j.gate.limits()), hasWords(string(part), text))
	if why := unless(err == nil, ReasonInvalid, "%v", err); why != nil {
		return why
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

func hasWords(field, text string) error {
	if normal(text) == "" {
		return problem(field, text, "has no words")
	}
	return nil
}

// judged returns the signal of a well-formed item, and why it is rejected, or nil.
func (j *judging) judged(it item, key claim) (signals.Any, *Rejected) {
	switch it := it.(type) {
	case Finding:
		evident := slices.ContainsFunc(it.EvidenceRefs, func(ref string) bool { return normal(ref) != "" })
		why := cmp.Or(unless(evident, ReasonMissingEvidence, "no evidence_refs"), j.claimed(key, it.Confidence))
		if j.research {
			return emit(j, it.Confidence, ResearchFinding{j.origin, it}), why
		}
		return emit(j, it.Confidence, WorkerFinding{j.origin, it}), why
	case Learning:
		why := cmp.Or(j.supported(it), j.claimed(key, it.Confidence))
		if j.research {
			return emit(j, it.Confidence, ResearchLearning{j.origin, it}), why
		}
		return emit(j, it.Confidence, WorkerLearning{j.origin, it}), why
	case Escalation:
		s := emit(j, 1, Requested{j.origin, it, j.now.Add(j.gate.opts.Expiry)})
		s.Priority = it.Urgency.Priority()
		return s, cmp.Or(j.repeated(key, ReasonCooldown, j.gate.opts.Cooldown), j.waiting())
	case Artifact:
		return emit(j, 1, Created{j.origin, it}), nil
	}
	panic(fmt.Sprintf("reports: %T is no item", it))
}

// supported requires that a learning names findings, and that all of them were
// accepted.
func (j *judging) supported(e Learning) *Rejected {
	why := unless(len(e.Supports) > 0, ReasonMissingEvidence, "supports names no finding")
	for _, ref := range e.Supports {
		accepted := slices.Contains(j.found, ref) || !slices.Contains(j.vain, ref) && j.gate.accepted(j.ledger, j.header.Thread, ref)
		why = cmp.Or(why, unless(accepted, ReasonMissingEvidence, "supports %q, which is no accepted finding", clip(ref)))
	}
	return why
}

// claimed requires that the worker is sure of a claim, and that it is new.
func (j *judging) claimed(key claim, confidence float64) *Rejected {
	least := j.gate.opts.Confidence
	unsure := unless(confidence >= least, reasonLowConfidence, "confidence = %v, below %v", confidence, least)
	return cmp.Or(unsure, j.repeated(key, ReasonDuplicate, j.gate.opts.Window))
}

// repeated looks for the same text in this report and in accepted ones within
// the span.
func (j *judging) repeated(key claim, why Reason, span time.Duration) *Rejected {
	m, known := j.ledger.claims.get(key)
	switch {
	case span < 0:
		return nil
	case slices.Contains(j.claims, key):
		return &Rejected{Reason: why, Detail: "the same is in the report"}
	case !known || j.now.After(m.at.Add(span)):
		return nil
	}
	return &Rejected{Reason: why, Detail: fmt.Sprintf("the same was accepted %v before", j.now.Sub(m.at)), Of: m.id}
}

// waiting limits a worker's open escalations, whatever their text.
func (j *judging) waiting() *Rejected {
	open := j.accepted[PartEscalation]
	for _, r := range j.ledger.requests {
		if r.waits(j.now) {
			open++
		}
	}
	return unless(open < j.gate.opts.Open, ReasonCap, "%d escalations of the worker wait for a decision", open)
}
