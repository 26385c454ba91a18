package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	report := strings.TrimSuffix(fmt.Sprintf("report %q", clip(e.Turn)), ` ""`)
	why := strings.TrimPrefix(e.Err.Error(), "signals: ") // the field is one of the report
	return fmt.Sprintf("reports: %s of %q is refused (%s): %s", report, e.Worker, e.Reason, why)
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

func (g *Gate) limits() signals.Limits { return signals.Limits{TextBytes: g.opts.TextBytes} }

func later(a, b time.Time) time.Time {
	return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare)
}

// ledger returns the state of a worker; an empty one is not stored.
func (g *Gate) ledger(worker string) *ledger {
	if l := g.workers[worker]; l != nil {
		return l
	}
	return &ledger{counts: map[string]*Counts{}}
}

// A Reporter is a worker and model for which reports are counted.
type Reporter struct {
	Worker string
	Model  string // "" for none, "other" for those beyond the first 16 of a worker
}

// Counts are the results of a reporter's reports.
type Counts struct {
	Reports  int // accepted; those rejected as a whole are among Rejected
	Accepted Tally[Part]
	Rejected Tally[Reason]
}

// A Tally counts items by what became of them.
type Tally[K comparable] map[K]int

// Total returns the sum of all.
func (t Tally[K]) Total() (sum int) {
	for _, n := range t {
		sum += n
	}
	return sum
}

// Counts returns the numbers of accepted and rejected items, by worker and
// model.
func (g *Gate) Counts() map[Reporter]Counts {
	all := map[Reporter]Counts{}
	for worker, l := range g.workers {
		for model, c := range l.counts {
			all[Reporter{worker, model}] = Counts{c.Reports, maps.Clone(c.Accepted), maps.Clone(c.Rejected)}
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
	return ReceiptOf(t.signals...), true
}

// Open returns the escalations that wait for a decision at that time, in log
// order.
func (g *Gate) Open(now time.Time) (open []Request) {
	for _, l := range g.workers {
		for _, r := range l.requests {
			if r.waits(later(g.now, now)) {
				open = append(open, *r)
			}
		}
	}
	slices.SortFunc(open, func(a, b Request) int { return cmp.Compare(a.Seq, b.Seq) })
	return open
}
