package reports_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func TestEscalationsExpireAsTheOptionsSay(t *testing.T) {
	d := newDesk(t, &reports.Options{Expiry: time.Hour})
	d.file(ann, escalated("t1", escalation("e", reports.Help, "no key")))
	if n := len(d.gate.Open(start.Add(time.Hour))); n != 1 {
		t.Errorf("%d are open after an hour", n)
	}
	if n := len(d.gate.Open(start.Add(time.Hour + 1))); n != 0 {
		t.Errorf("%d are open later", n)
	}
}

func TestOpenEscalationsAreCountedWithinAReport(t *testing.T) {
	d := newDesk(t, &reports.Options{Escalations: 6, Open: 3})
	var all []reports.Escalation
	for i := range 5 {
		all = append(all, escalation(fmt.Sprint("e", i), reports.Help, fmt.Sprint("reason ", i)))
	}
	if _, got := d.file(ann, escalated("t1", all...)); why(got) != "[cap cap]" || len(got.Accepted) != 3 {
		t.Errorf("five at once: %s", got)
	}
	if _, got := d.file(ann, escalated("t2", all[4])); why(got) != "[cap]" {
		t.Errorf("one more: %s", got)
	}
}

// A window begins at the time of the log, also if a signal states an earlier one.
func TestWindowsBeginAtTheTimeOfTheLog(t *testing.T) {
	d := newDesk(t, nil)
	d.file(ann, quiet("t0"))
	d.now = start.Add(-24 * time.Hour)
	d.file(ann, found("t1", finding("a", "x is slow")))
	d.now = start.Add(15 * time.Minute)
	if _, got := d.file(ann, found("t2", finding("b", "x is slow"))); why(got) != "[duplicate]" {
		t.Errorf("within the window: %s", got)
	}
	d.now = start.Add(15*time.Minute + 1)
	if _, got := d.file(ann, found("t3", finding("c", "x is slow"))); why(got) != "[]" {
		t.Errorf("after it: %s", got)
	}
}

// Two reports that differ in what cannot be read are two.
func TestAMalformedArtifactIsOfTheReportsIdentity(t *testing.T) {
	d := newDesk(t, nil)
	file := func(artifact string) error {
		j := d.gate.Judge(ann, []byte(`{"turn_id":"t1","worker_id":"ann","task_id":"latency","model":"","status":"running","summary":"x",
			"findings":[],"learnings":[],"escalations":[],"artifacts":[`+artifact+`]}`), signals.ID{}, start)
		d.publish(j.Signals...)
		return j.Err
	}
	if err := file(`{"artifact_id":"a","kind":"file","ref":"x","more":1}`); err != nil {
		t.Fatal(err)
	}
	if err := file(`{"artifact_id":"a","kind":"file","ref":"x"}`); err == nil {
		t.Error("the same turn with another artifact is taken for the same report")
	}
}
