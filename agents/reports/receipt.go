package reports

import (
	"fmt"
	"slices"
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
func ReceiptOf(all ...signals.Any) Receipt {
	var r Receipt
	for _, s := range all {
		r.add(s)
	}
	return r
}

func (r *Receipt) add(s signals.Any) {
	s = Typed(s)
	h := signals.HeadOf(s)
	if !ours(s.Kind()) || s.Kind() == KindAdvisory || s.Kind() == KindDecided {
		return
	}
	if r.Signals == 0 {
		r.Worker, r.Task, r.Seq = h.Source, h.Thread, h.Seq
	}
	r.Signals++
	accept := func(part Part, ref, text string) { r.Accepted = append(r.Accepted, Accepted{part, ref, text, h.ID}) }
	switch p := s.Body().(type) {
	case Received:
		r.Origin, r.Status, r.Summary = p.Origin, p.Status, p.Summary
	case ResearchFinding:
		accept(PartFinding, p.FindingID, p.Claim)
	case WorkerFinding:
		accept(PartFinding, p.FindingID, p.Claim)
	case ResearchLearning:
		accept(PartLearning, p.LearningID, p.Insight)
	case WorkerLearning:
		accept(PartLearning, p.LearningID, p.Insight)
	case Requested:
		accept(PartEscalation, p.EscalationID, p.Reason)
	case Created:
		accept(PartArtifact, p.ArtifactID, p.Ref)
	case Rejected:
		if p.Part == PartReport {
			r.Origin = p.Origin
		}
		r.Rejected = append(r.Rejected, p)
	}
}

func (r *Receipt) clone() Receipt {
	c := *r
	c.Accepted, c.Rejected = slices.Clone(r.Accepted), slices.Clone(r.Rejected)
	return c
}

// String returns the receipt in one line.
func (r Receipt) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Worker, r.TurnID)
	if r.Status != "" {
		fmt.Fprintf(&b, " %s", r.Status)
	}
	for i, a := range r.Accepted {
		fmt.Fprintf(&b, "%s%s %s", separator(i, ": ", ", "), a.Part, a.Ref)
	}
	for i, a := range r.Rejected {
		fmt.Fprintf(&b, "%s%s %s", separator(i, "; held back: ", ", "), a.Part, a.Reason)
		if a.Count > 1 {
			fmt.Fprintf(&b, " %d times", a.Count)
		}
	}
	return b.String()
}

func separator(i int, before, between string) string {
	if i == 0 {
		return before
	}
	return between
}
