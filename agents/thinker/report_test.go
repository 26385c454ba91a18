package thinker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

const (
	nothing  = `{"type":"pass","reason":""}`
	reported = `{"turn_id":"","worker_id":"somebody else","task_id":"","model":"","status":"running","summary":"Read the log.",
		"findings":[{"finding_id":"f1","claim":"bursts of 429","confidence":0.9,"evidence_refs":["log:7"],"novel":true}],
		"learnings":[],"escalations":[],"artifacts":[]}`
)

func TestReportIsSaidInItsTurnAndInTheAgentsName(t *testing.T) {
	model := answering(`{"say":[` + nothing + `],"report":` + reported + `}`)
	all, _, err := take(t, thinker.Thinker{ID: "critic", Model: model, Reports: &reports.Options{Findings: 1}}, turn())
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	said, ok := signals.As[reports.Turn](all[1])
	if !ok || !said.Recipients.Include(reports.ToDesk) || said.Recipients.Include("ann") || said.Thread != "t" {
		t.Fatalf("%+v", all[1])
	}
	r, err := reports.Decode([]byte(said.Payload.Report))
	if err != nil {
		t.Fatal(err)
	}
	if r.TurnID != "t/3" || r.WorkerID != "critic" || r.TaskID != "t" || r.Model != model.ID().String() || len(r.Findings) != 1 {
		t.Errorf("%+v", r)
	}
	asked := model.requests[0]
	if !strings.Contains(asked.System, "findings, at most 1:") {
		t.Errorf("the prompt has no instructions for reports: %s", asked.System)
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(asked.Schema.JSON, &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Required) != 2 || !strings.Contains(string(schema.Properties["report"]), "evidence_refs") || !strings.Contains(string(schema.Properties["say"]), "pass") {
		t.Errorf("the schema is %s", asked.Schema.JSON)
	}
}

func TestReportIsOptional(t *testing.T) {
	for _, answer := range []string{`{"say":[` + nothing + `],"report":null}`, `{"say":[` + nothing + `]}`} {
		if all, spent, err := take(t, thinker.Thinker{ID: "critic", Model: answering(answer), Reports: new(reports.Options)}, turn()); err != nil || len(all) != 1 || spent.Repairs != 0 {
			t.Errorf("%s: %v, %v", answer, all, err)
		}
	}
}

func TestReportThatIsNoneIsAskedForOnceMore(t *testing.T) {
	model := answering(`{"say":[`+nothing+`],"report":{"summary":"I did it"}}`, `{"say":[`+nothing+`],"report":`+reported+`}`)
	all, spent, err := take(t, thinker.Thinker{ID: "critic", Model: model, Reports: new(reports.Options)}, turn())
	if err != nil || len(all) != 2 || spent.Repairs != 1 {
		t.Fatal(all, spent, err)
	}
	last := model.requests[1].Messages
	if why := last[len(last)-1].Text; !strings.Contains(why, "the report:") {
		t.Errorf("the reason is %q", why)
	}
}

func TestWhoWritesNoReportsIsNotAskedForOne(t *testing.T) {
	model := answering(`{"say":[` + nothing + `],"report":` + reported + `}`)
	all, _, err := take(t, thinker.Thinker{ID: "critic", Model: model}, turn())
	if err != nil || len(all) != 1 || strings.Contains(model.requests[0].System+string(model.requests[0].Schema.JSON), "report") {
		t.Error(all, err)
	}
}
