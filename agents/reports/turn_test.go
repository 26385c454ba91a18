package reports_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func TestATurnIsTheReportOfItsWorker(t *testing.T) {
	s, err := reports.NewTurn("t7", reports.Worker{ID: "bob", Task: "disk", Model: "large"}, encode(t, full()))
	if err != nil {
		t.Fatal(err)
	}
	if err := signals.Validate(s); err != nil || s.Kind() != (reports.Turn{}).Kind() || s.Recipients.String() != reports.ToDesk {
		t.Errorf("%v for %v: %v", s.Kind(), s.Recipients, err)
	}
	r, err := reports.Decode([]byte(s.Payload.Report))
	if err != nil {
		t.Fatal(err)
	}
	if r.TurnID != "t7" || r.WorkerID != "bob" || r.TaskID != "disk" || r.Model != "large" || r.Summary != full().Summary {
		t.Errorf("%+v", r)
	}
}

func TestInvalidReportMakesNoTurn(t *testing.T) {
	long := quiet("t1")
	long.Summary = strings.Repeat("\"", signals.DefaultTextBytes/3) // each is four bytes in a turn
	for name, data := range map[string][]byte{
		"no JSON":    []byte("it is done"),
		"no object":  []byte("[]"),
		"null":       []byte("null"),
		"no members": []byte("{}"),
		"too long":   encode(t, long),
	} {
		if s, err := reports.NewTurn("t1", ann, data); !errors.Is(err, signals.ErrInvalid) || s != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if err := (reports.Turn{}).Check(signals.Limits{}); !errors.Is(err, signals.ErrInvalid) {
		t.Error("nothing:", err)
	}
}
