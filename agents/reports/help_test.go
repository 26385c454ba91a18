package reports_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// ids lets go-cmp compare ids.
var ids = cmpopts.EquateComparable(signals.ID{})

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A desk is a gate with a log: what is judged is applied, with ids and times as
// a bus gives them.
type desk struct {
	t    testing.TB
	gate *reports.Gate
	mint *signals.Mint
	now  time.Time
	log  []signals.Any
}

func newDesk(t testing.TB, o *reports.Options) *desk {
	t.Helper()
	g, err := reports.NewGate(o)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, gate: g, mint: signals.SeededMint("test"), now: start}
}

var ann = reports.Worker{ID: "ann", Task: "latency", Research: true}

func (d *desk) publish(all ...signals.Any) {
	d.t.Helper()
	for _, s := range all {
		if err := signals.Validate(s); err != nil {
			d.t.Fatalf("a signal of the gate is not valid: %v", err)
		}
		h := s.Head()
		h.Seq = uint64(len(d.log) + 1)
		h.ID, h.Time = d.mint.ID(h.Seq, d.now), d.now
		s = signals.With(s, h)
		d.log = append(d.log, s)
		d.gate.Apply(s)
	}
}

// file judges a report and publishes what comes of it.
func (d *desk) file(w reports.Worker, r *reports.Report) (reports.Judgement, reports.Receipt) {
	d.t.Helper()
	from := len(d.log)
	j := d.gate.Judge(w, encode(d.t, r), signals.ID{}, d.now)
	d.publish(j.Signals...)
	if len(j.Signals) == 0 {
		return j, j.Receipt
	}
	return j, reports.ReceiptOf(d.log[from:]...)
}

// judge is what the gate says of ann's report.
func (d *desk) judge(r *reports.Report, at time.Time) reports.Judgement {
	return d.gate.Judge(ann, encode(d.t, r), signals.ID{}, at)
}

// quiet is a report with nothing but a summary.
func quiet(turn string) *reports.Report {
	return &reports.Report{
		TurnID: turn, WorkerID: "ann", TaskID: "latency", Model: "m", Status: reports.Running, Summary: "read on in " + turn,
	}
}

func finding(id, claim string) reports.Finding {
	return reports.Finding{FindingID: id, Claim: claim, Confidence: 0.9, EvidenceRefs: reports.List{"https://traces.example/17"}, Novel: true}
}

func found(turn string, all ...reports.Finding) *reports.Report {
	r := quiet(turn)
	r.Findings = all
	return r
}

func learned(turn string, confidence float64, insight string, supports ...string) *reports.Report {
	r := quiet(turn)
	r.Learnings = []reports.Learning{{LearningID: "l-" + turn, Insight: insight, Confidence: confidence, Supports: supports, ChangesPlan: true}}
	return r
}

func escalation(id string, kind reports.EscalationKind, reason string) reports.Escalation {
	return reports.Escalation{EscalationID: id, Kind: kind, Reason: reason, Urgency: reports.High, Options: reports.List{"yes", "no"}, RecommendedOption: "no"}
}

func escalated(turn string, e ...reports.Escalation) *reports.Report {
	r := quiet(turn)
	r.Status, r.Escalations = reports.Blocked, e
	return r
}

// why returns the reasons of a receipt's rejections, in order.
func why(r reports.Receipt) string {
	var all []reports.Reason
	for _, h := range r.Rejected {
		all = append(all, h.Reason)
	}
	return fmt.Sprint(all)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func turn(n int) string { return fmt.Sprintf("t%d", n) }
