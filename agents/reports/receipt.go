package reports

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// A Receipt is the result of a report for its worker. It is derived from the
// signals only, so that a reader of the log can show the same receipt: see
// [ReceiptOf].
type Receipt struct {
	Worker string
	Task   string
	Origin
	Status  Status // "" if the report was rejected as a whole
	Summary string
	Report  string // as the worker sent it; "" if it is in the [Turn] that the first signal replies to

	Seq      uint64 // sequence number of the first signal; 0: not in a log
	Signals  int    // number of signals, including rejections
	Accepted []Accepted
	Rejected []Rejected

	// Repeated says that the report was judged before and that this is the
	// receipt from then.
	Repeated bool
}

// Accepted is an item that was accepted.
type Accepted struct {
	Part Part
	Ref  string     // the worker's id for it
	Text string     // the claim, insight, reason or reference
	ID   signals.ID // id of the signal; zero: not in a log
}

// ReceiptOf returns the receipt of the report with these signals, in log order.
// Other signals are skipped.
func ReceiptOf(all ...signals.Any) (r Receipt) {
	for _, s := range all {
		s = Typed(s)
		from, ok := s.Body().(interface{ origin() Origin })
		if !ok {
			continue
		}
		h := s.Head()
		if r.Signals == 0 {
			r.Worker, r.Task, r.Origin, r.Seq = h.Source, h.Thread, from.origin(), h.Seq
		}
		r.Signals++
		switch p := s.Body().(type) {
		case Received:
			r.Status, r.Summary, r.Report = p.Status, p.Summary, p.Report
		case Rejected:
			if p.Part == PartReport {
				r.Report = p.Report
			}
			r.Rejected = append(r.Rejected, p)
		case item:
			part, id, text := p.about()
			r.Accepted = append(r.Accepted, Accepted{part, id, text, h.ID})
		}
	}
	return r
}

// String returns the receipt in one line.
func (r Receipt) String() string {
	line, sep := strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Worker, r.TurnID, r.Status)), ": "
	for _, a := range r.Accepted {
		line += fmt.Sprintf("%s%s %s", sep, a.Part, a.Ref)
		sep = ", "
	}
	sep = "; held back: "
	for _, a := range r.Rejected {
		line += fmt.Sprintf("%s%s %s", sep, a.Part, a.Reason)
		if a.Count > 1 {
			line += fmt.Sprintf(" %d times", a.Count)
		}
		sep = ", "
	}
	return line
}
