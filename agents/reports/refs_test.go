package reports_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// The id of a finding means the one in the same report, if it has one.
func TestLearningRefersToTheFindingOfItsOwnReport(t *testing.T) {
	d := newDesk(t, nil)
	d.file(ann, found("t1", finding("f1", "the sky is blue")))
	file := func(turn string, f ...reports.Finding) reports.Receipt {
		r := learned(turn, 0.9, "replace the pool in "+turn, "f1")
		r.Findings = f
		_, got := d.file(ann, r)
		return got
	}
	weak := finding("f1", "the pool leaks")
	weak.Confidence = 0.1
	if got := file("t2", weak); why(got) != "[low_confidence missing_evidence]" {
		t.Errorf("rejected: %s", got)
	}
	if got := file("t3", finding("g", "one"), finding("h", "two"), finding("f1", "three")); why(got) != "[cap missing_evidence]" {
		t.Errorf("beyond the cap: %s", got)
	}
	if got := file("t4", finding("f1", "the sky is blue")); why(got) != "[duplicate]" {
		t.Errorf("the same again: %s", got)
	}
	if got := file("t5"); why(got) != "[]" {
		t.Errorf("not in the report: %s", got)
	}
}

// A name that looks like the id of a signal is its worker's alone.
func TestANameIsNoIdOfASignal(t *testing.T) {
	d := newDesk(t, nil)
	forged := d.mint.ID(100, start).String()
	if id, err := signals.ParseID(forged); err != nil || !id.Minted() {
		t.Fatal(forged, err)
	}
	r := found("b1", finding(forged, "water is wet"))
	r.WorkerID = "bob"
	d.file(reports.Worker{ID: "bob", Research: true}, r)
	if _, got := d.file(ann, learned("t2", 0.9, "x follows", forged)); why(got) != "[missing_evidence]" {
		t.Errorf("bob's name for it: %s", got)
	}
	if _, got := d.file(ann, learned("t3", 0.9, "x follows", d.log[2].Head().ID.String())); why(got) != "[]" {
		t.Errorf("the id of the signal: %s", got)
	}
}

func TestKeepIsOfEach(t *testing.T) {
	d := newDesk(t, &reports.Options{Keep: 4, Open: 100, Cooldown: -1})
	for i := range 4 {
		r := found(turn(i), finding(fmt.Sprint("f", i), fmt.Sprint("claim ", i)))
		d.file(ann, r)
	}
	if _, got := d.file(ann, learned("l", 0.9, "x follows", "f0")); why(got) != "[]" {
		t.Errorf("of four findings, the first is forgotten: %s", got)
	}
}

// An open escalation can be decided, however many came after it.
func TestOpenEscalationsCanBeDecided(t *testing.T) {
	d := newDesk(t, &reports.Options{Keep: 2, Open: 100})
	for i := range 6 {
		d.now = d.now.Add(time.Second)
		d.file(ann, escalated(turn(i), escalation("e", reports.Help, fmt.Sprint("reason ", i))))
	}
	open := d.gate.Open(d.now)
	if len(open) != 6 {
		t.Fatalf("%d are open", len(open))
	}
	for _, o := range open {
		if err := d.decide(reports.Decision{Request: o.ID, By: "lead", Verdict: reports.Answered, Text: "x"}); err != nil {
			t.Errorf("%s: %v", o.Reason, err)
		}
	}
	if n := len(d.gate.Open(d.now)); n != 0 {
		t.Errorf("%d are open", n)
	}
}
