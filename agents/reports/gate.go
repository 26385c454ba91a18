package reports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Worker describes the sender of a report, as known to the program that runs
// it. The worker and task stated in the report have to agree with it.
type Worker struct {
	ID       string // required
	Task     string // the only task that it may report on; "": any
	Model    string // the model it runs on; "": as its reports say
	Research bool   // its findings and learnings are research
}

// A Judgement is the result of a report.
type Judgement struct {
	// Signals are to be published contiguously. There are none for a report that
	// was judged before.
	Signals []signals.Any
	Receipt Receipt
	// Err is a [*RefusedError] if the report as a whole was rejected. Signals has
	// that rejection, too.
	Err error
}

// A RefusedError is returned for a report that was rejected as a whole.
type RefusedError struct {
	Worker, Turn string
	Reason       Reason
	Err          error // the reason; never nil
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("reports: report %q of %q is refused (%s): %v", clip(e.Turn), e.Worker, e.Reason, e.Err)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// A Gate decides which parts of a report become signals. It is a fold: only
// [Gate.Apply] changes its state, not [Gate.Judge] or [Gate.Decide]. It has no
// clock and notifies no one. It is not safe for concurrent use.
type Gate struct {
	opts    Options
	now     time.Time // the latest time applied
	workers map[string]*ledger
}

// NewGate returns an empty gate. Its error is a [*signals.FieldError] for
// invalid options.
func NewGate(o *Options) (*Gate, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return &Gate{opts: opts, workers: map[string]*ledger{}}, nil
}

// Judge decides on a report at the time now, or at the log's time if that is
// later. It changes nothing: apply the signals once they are in the log. r must
// not be modified afterwards.
//
// The checks are made in this order: validity of worker, task, turn, status and
// summary; repetition of the turn; and for each item the number of items, its
// form, its texts, evidence, confidence, and repetition.
func (g *Gate) Judge(w Worker, r *Report, now time.Time) Judgement {
	if err := g.checkReport(w, r); err != nil {
		return g.Refuse(w, r, err)
	}
	l, digest := g.ledger(w.ID), r.digest()
	if t, known := l.turns.get(r.TurnID); known {
		if t.digest == digest {
			again := t.receipt.clone()
			again.Repeated = true
			return Judgement{Receipt: again}
		}
		return g.refuse(w, r, ReasonDuplicate, problem("turn_id", clip(r.TurnID), "another report has it"))
	}
	if now.Before(g.now) {
		now = g.now
	}
	j := judging{gate: g, ledger: l, worker: w, report: r, now: now, origin: Origin{r.TurnID, cmp.Or(w.Model, r.Model)}}
	return j.judge(digest)
}

// Refuse returns the judgement on an invalid report, such as one for which
// [Decode] returned an error. r may be nil, or hold what is known of the
// report.
func (g *Gate) Refuse(w Worker, r *Report, err error) Judgement {
	return g.refuse(w, r, ReasonInvalid, err)
}

func (g *Gate) refuse(w Worker, r *Report, why Reason, err error) Judgement {
	if r == nil {
		r = &Report{TaskID: w.Task}
	}
	refused := Rejected{
		Origin: Origin{nameOr(r.TurnID, ""), nameOr(cmp.Or(w.Model, r.Model), "")},
		Part:   PartReport, Ref: clip(r.TurnID), Reason: why, Detail: clipTo(err.Error(), 512), Count: 1,
	}
	h := signals.Header{Source: w.ID, Thread: nameOr(cmp.Or(w.Task, r.TaskID), ""), Confidence: 1, TTL: -1}
	receipt := Receipt{Worker: w.ID, Task: h.Thread, Origin: refused.Origin}
	said := signals.New(h, refused)
	receipt.add(said)
	return Judgement{[]signals.Any{said}, receipt, &RefusedError{w.ID, r.TurnID, why, err}}
}

// nameOr returns name if it is valid, or else other.
func nameOr(name, other string) string {
	if (signals.Limits{}).Name("name", name) != nil {
		return other
	}
	return name
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
		limits.Name("worker_id", r.WorkerID), limits.Name("task_id", r.TaskID), limits.Name("turn_id", r.TurnID),
		optionalName(limits, "model", r.Model), oneOf("status", r.Status, statuses), limits.Text("summary", r.Summary),
	)
}

func (g *Gate) limits() signals.Limits { return signals.Limits{TextBytes: g.opts.TextBytes} }

// ledger returns the state of a worker; an empty one is not stored.
func (g *Gate) ledger(worker string) *ledger {
	if l := g.workers[worker]; l != nil {
		return l
	}
	return new(ledger)
}

// Counts returns the numbers of accepted and rejected parts, by worker and
// model.
func (g *Gate) Counts() map[Account]Counts {
	all := map[Account]Counts{}
	for worker, l := range g.workers {
		for model, c := range l.counts {
			all[Account{worker, model}] = *c
		}
	}
	return all
}

// Receipt returns the receipt of a turn, as it was when the report was judged,
// and whether the gate knows it.
func (g *Gate) Receipt(worker, turn string) (Receipt, bool) {
	t, known := g.ledger(worker).turns.get(turn)
	if !known {
		return Receipt{}, false
	}
	return t.receipt.clone(), true
}

// Open returns the escalations that wait for a decision at that time, in log
// order.
func (g *Gate) Open(now time.Time) []Request {
	if now.Before(g.now) {
		now = g.now
	}
	var open []Request
	for _, l := range g.workers {
		for _, r := range l.open {
			if !r.expired(now) {
				open = append(open, *r)
			}
		}
	}
	slices.SortFunc(open, func(a, b Request) int { return cmp.Compare(a.Seq, b.Seq) })
	return open
}
