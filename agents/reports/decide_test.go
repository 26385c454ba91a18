package reports_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func asked(t *testing.T, e reports.Escalation) (*desk, reports.Request) {
	t.Helper()
	d := newDesk(t, nil)
	d.file(ann, escalated("t1", e))
	open := d.gate.Open(d.now)
	if len(open) != 1 {
		t.Fatalf("%d open", len(open))
	}
	return d, open[0]
}

func (d *desk) decide(a reports.Decision) error {
	s, err := d.gate.Decide(a, d.now)
	if s != nil {
		d.publish(s)
	}
	return err
}

func TestTheFirstDecisionCounts(t *testing.T) {
	d, r := asked(t, escalation("e1", reports.Blocker, "no key"))
	if r.Worker != "ann" || r.Task != "latency" || !r.Expires.Equal(start.Add(24*time.Hour)) || d.log[2].Head().Priority != 1 {
		t.Errorf("%+v", r)
	}
	answer := reports.Decision{Request: r.ID, By: "lead", Verdict: reports.Answered, Option: "yes", Text: "it is in the safe"}
	for range 2 {
		if err := d.decide(answer); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.log) != 4 || len(d.gate.Open(d.now)) != 0 {
		t.Errorf("%d signals, %d open", len(d.log), len(d.gate.Open(d.now)))
	}
	h := d.log[3].Head()
	if h.Source != "lead" || h.ReplyTo != r.ID || h.Recipients.String() != "ann" || h.Thread != "latency" || h.TTL >= 0 {
		t.Errorf("%+v", h)
	}
	second := answer
	second.By, second.Verdict = "boss", reports.Refused
	if err := d.decide(second); !errors.Is(err, reports.ErrDecided) || !strings.Contains(err.Error(), `"lead" decided first: answered`) {
		t.Errorf("second: %v", err)
	}
	if held, _ := d.gate.Request(r.ID); held.Decision == nil || *held.Decision != answer {
		t.Errorf("%+v", held.Decision)
	}
	// A log with two of them, such as from two machines: the first one counts.
	d.publish(signals.New(signals.Header{Source: "boss", Thread: "latency"}, reports.Decided{Decision: second, EscalationID: "e1"}))
	if held, _ := d.gate.Request(r.ID); held.Decision.By != "lead" {
		t.Errorf("the second decision counts: %+v", held.Decision)
	}
}

func TestInvalidDecisionsAreRefused(t *testing.T) {
	human := escalation("e1", reports.Approval, "delete the volume")
	human.RequiresHuman = true
	d, r := asked(t, human)
	ok := reports.Decision{Request: r.ID, By: "lead", Human: true, Verdict: reports.Refused}
	change := func(f func(*reports.Decision)) reports.Decision { a := ok; f(&a); return a }
	for name, c := range map[string]struct {
		decision reports.Decision
		want     error
	}{
		"no request": {change(func(a *reports.Decision) { a.Request = d.log[0].Head().ID }), reports.ErrNoRequest},
		"a program":  {change(func(a *reports.Decision) { a.Human = false }), reports.ErrHuman},
		"an answer":  {change(func(a *reports.Decision) { a.Verdict = reports.Answered }), signals.ErrInvalid},
		"no verdict": {change(func(a *reports.Decision) { a.Verdict = "" }), signals.ErrInvalid},
		"no option":  {change(func(a *reports.Decision) { a.Option = "maybe" }), signals.ErrInvalid},
		"no decider": {change(func(a *reports.Decision) { a.By = "" }), signals.ErrInvalid},
	} {
		if err := d.decide(c.decision); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if len(d.log) != 3 {
		t.Error("a refused decision is in the log")
	}
	d.now = r.Expires
	if n := len(d.gate.Open(d.now)); n != 1 {
		t.Errorf("%d open at the last moment", n)
	}
	d.now = d.now.Add(1)
	if err := d.decide(ok); !errors.Is(err, reports.ErrExpired) || len(d.gate.Open(d.now)) != 0 {
		t.Errorf("late: %v", err)
	}
	d.now = r.Expires
	if err := d.decide(ok); err != nil {
		t.Errorf("in time: %v", err)
	}
}

func TestUrgencyIsTheSignalsPriority(t *testing.T) {
	for u, want := range map[reports.Urgency]int16{reports.Low: -1, reports.Medium: 0, reports.High: 1} {
		e := escalation("e", reports.Help, "how")
		e.Urgency = u
		if d, _ := asked(t, e); d.log[2].Head().Priority != want {
			t.Errorf("%s: %d", u, d.log[2].Head().Priority)
		}
	}
}

// An escalation that has expired by the log's time cannot be decided by a clock that is behind.
func TestDecidingUsesTheTimeOfTheLog(t *testing.T) {
	d, r := asked(t, escalation("e1", reports.Blocker, "no key"))
	d.now = r.Expires.Add(1)
	d.file(ann, quiet("t2"))
	late := reports.Decision{Request: r.ID, By: "lead", Verdict: reports.Refused}
	if _, err := d.gate.Decide(late, start); !errors.Is(err, reports.ErrExpired) {
		t.Errorf("with a clock a day behind the log: %v", err)
	}
}
