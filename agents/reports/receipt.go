package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// A Receipt says what became of a report. It is made of the signals alone, so
// that what a reader of the log shows is what the worker was told; see
// [ReceiptOf].
type Receipt struct {
	Worker string
	Task   string
	Origin
	Status  Status // "" if the report was rejected as a whole
	Summary string

	Seq      uint64 // of the first signal; 0: not in a log
	Signals  int    // how many the report became, with those that say what was rejected
	Accepted []Accepted
	Rejected []Rejected

	// Repeated says that the report was judged before: this is what was said then.
	Repeated bool
}

// Accepted is an item that became a signal.
type Accepted struct {
	Part Part
	Ref  string     // the worker's id for it
	Text string     // the claim, insight, reason or reference
	ID   signals.ID // of the signal; zero: not in a log
}

// ReceiptOf returns the receipt of a report whose signals these are, in log
// order. Other signals are passed over.
func ReceiptOf(all ...signals.Any) Receipt {
	var r Receipt
	for _, s := range all {
		r.add(s)
	}
	return r
}

func (r *Receipt) add(s signals.Any) {
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

// String is the receipt in one line.
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
