package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

const (
	findsAndAsks = `{"say":[],"report":{"turn_id":"","worker_id":"","task_id":"","model":"","status":"blocked","summary":"Read the traces of Monday.",
"findings":[{"finding_id":"f1","claim":"84 of 100 slow requests wait for a connection.","confidence":0.9,"evidence_refs":["traces/monday"],"novel":true},
{"finding_id":"f2","claim":"The disk may be slow.","confidence":0.3,"evidence_refs":["a feeling"],"novel":true}],"learnings":[],
"escalations":[{"escalation_id":"e1","kind":"blocker","reason":"No traces of Sunday.","urgency":"high","options":["use Monday","wait"],"recommended_option":"use Monday","requires_human":false}],"artifacts":[]}}`
	wantsApproval = `{"say":[],"report":{"turn_id":"","worker_id":"","task_id":"","model":"","status":"blocked","summary":"Has a change.","findings":[],"learnings":[],
"escalations":[{"escalation_id":"e2","kind":"approval","reason":"Try the change in production.","urgency":"high","options":[],"recommended_option":"","requires_human":true}],"artifacts":[]}}`
	answersBlocker = `{"verdict":"answered","option":"use Monday","text":"It is enough."}`
	proposesFix    = `{"say":[{"type":"proposal","content":"Retry with a pause","confidence":0.9,"reasons":"it fills the pool"}],"report":null}`
	passes         = `{"say":[{"type":"pass","reason":"nothing"}],"report":null}`
)

// works plays the team of examples/teams/reports.yaml.
func works(_ int, r *models.Request) modelstest.Reply {
	heard := ""
	for _, m := range r.Messages {
		heard += m.Text
	}
	agrees := regexp.MustCompile(`P\d+|"ref":"(P\d+)"`).FindString(heard)
	switch {
	case strings.HasPrefix(r.System, "You conduct"):
		return modelstest.Reply{Text: answersBlocker}
	case strings.HasPrefix(r.System, "You are ann,") && !strings.Contains(heard, "use Monday"):
		return modelstest.Reply{Text: findsAndAsks}
	case strings.HasPrefix(r.System, "You are ann,") && !strings.Contains(heard, `"person"`) && !strings.Contains(heard, `"eve"`):
		return modelstest.Reply{Text: wantsApproval}
	case strings.HasPrefix(r.System, "You are bob,") && strings.Contains(heard, `"eve"`) && agrees == "":
		return modelstest.Reply{Text: proposesFix}
	case agrees != "":
		return modelstest.Reply{Text: fmt.Sprintf(`{"say":[{"type":"vote","proposal":%q,"stance":"agree","confidence":0.9,"reasons":"it fits"}],"report":null}`, agrees)}
	}
	return modelstest.Reply{Text: passes}
}

// Workers of a team file report: findings go through the gate, the conductor answers a blocker, and
// a person approves what it may not, in a process of its own.
func TestWorkersOfATeamFileReport(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, works)
	t.Cleanup(server.Close)
	text, err := os.ReadFile(filepath.FromSlash("../../examples/teams/reports.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, path := filepath.Join(dir, "reports.yaml"), filepath.Join(dir, "run.journal")
	team := strings.Replace(string(text), "name: large}", "name: "+modelstest.Name+", baseURL: "+server.URL+"}", 1)
	if err := os.WriteFile(file, []byte(team), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := swarmbusRun(t, "solve", "Why is the checkout slow?", "--team", file, "--journal", path)
	for _, want := range []string{"use Monday", "84 of 100", "Try the change in production", "confidence = 0.3"} {
		if status != exitEscalated || !strings.Contains(out, want) {
			t.Fatalf("status %d, want %q: %s%s", status, want, out, errs)
		}
	}
	status, out, errs = swarmbusRun(t, "answer", path, "Approve, on staging first.", questionIn(t, path), "--by", "eve")
	for _, want := range []string{"approved, see", "Retry with a pause", "Stop      consensus"} {
		if status != exitDecided || !strings.Contains(out, want) {
			t.Fatalf("after the answer: status %d, want %q: %s%s", status, want, out, errs)
		}
	}
	if out, _, _ := called(t, "replay", path); !strings.Contains(out, "identical") {
		t.Errorf("replay: %s", out)
	}
}
