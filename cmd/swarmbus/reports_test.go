package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/console/api"
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

// workersTeam writes the team of examples/teams/reports.yaml with models of a server that plays it.
func workersTeam(t *testing.T, dir string) (file string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, works)
	t.Cleanup(server.Close)
	text, err := os.ReadFile(filepath.FromSlash("../../examples/teams/reports.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "reports.yaml")
	team := strings.Replace(string(text), "name: large}", "name: "+modelstest.Name+", baseURL: "+server.URL+"}", 1)
	if err := os.WriteFile(file, []byte(team), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Workers of a team file report: findings go through the gate, the conductor answers a blocker, and
// a person approves what it may not, in a process of its own.
func TestWorkersOfATeamFileReport(t *testing.T) {
	dir := t.TempDir()
	file, path := workersTeam(t, dir), filepath.Join(dir, "run.journal")
	status, out, errs := swarmbusRun(t, "solve", "Why is the checkout slow?", "--team", file, "--journal", path)
	for _, want := range []string{"use Monday", "84 of 100", "Try the change in production", "confidence = 0.3"} {
		if status != cli.ExitEscalated || !strings.Contains(out, want) {
			t.Fatalf("status %d, want %q: %s%s", status, want, out, errs)
		}
	}
	status, out, errs = swarmbusRun(t, "answer", path, "Approve, on staging first.", questionIn(t, path), "--by", "eve")
	for _, want := range []string{"approved, see", "Retry with a pause", "Stop      consensus"} {
		if status != cli.ExitDecided || !strings.Contains(out, want) {
			t.Fatalf("after the answer: status %d, want %q: %s%s", status, want, out, errs)
		}
	}
	if out, _, _ := called(t, "replay", path); !strings.Contains(out, "identical") {
		t.Errorf("replay: %s", out)
	}
}

// A server that has the team shows what was sent beside what was accepted, asks the person in its
// inbox, and counts; all over HTTP.
func TestAServerShowsWhatWorkersReport(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "serve.yaml")
	if err := os.WriteFile(config, []byte("teams: ["+workersTeam(t, dir)+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := serverOf(t, "--config", config, "--dir", dir)
	at := []string{"--server", link}
	status, out, errs := swarmbusRun(t, append(at, "solve", "Why is the checkout slow?", "--team", "reports")...)
	if status != cli.ExitEscalated {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	get := func(path string) string {
		t.Helper()
		base, token, _ := strings.Cut(link, "/#token=")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close() //nolint:errcheck // only read
		all, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	var all []api.Report
	if err := json.Unmarshal([]byte(get("/reports?worker=ann")), &all); err != nil || len(all) != 2 {
		t.Fatalf("%d reports, %v", len(all), err)
	}
	first := all[1] // the newest comes first
	var raw reports.Report
	if err := json.Unmarshal(first.Raw, &raw); err != nil || len(raw.Findings) != 2 || len(first.Rejected) != 1 {
		t.Fatalf("%v: %+v", err, first)
	}
	var accepted reports.Finding
	for _, part := range first.Accepted {
		if part.Kind == "research.finding.created" {
			if err := json.Unmarshal(part.Body, &accepted); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(raw.Findings[0], accepted); diff != "" {
		t.Errorf("what was accepted is not what was sent: %s", diff)
	}
	if metrics := get("/metrics"); !regexp.MustCompile(`swarmbus_report_items_total\{run="reports",worker="ann",model="[^"]+",result="low_confidence"\} 1\n`).MatchString(metrics) {
		t.Errorf("the metrics lack a rejection: %s", metrics)
	}
	var inbox []api.Item
	if err := json.Unmarshal([]byte(get("/inbox")), &inbox); err != nil || len(inbox) != 1 || inbox[0].Asks != "lead" || inbox[0].Priority != 1 {
		t.Errorf("%v: %+v", err, inbox)
	}
}
