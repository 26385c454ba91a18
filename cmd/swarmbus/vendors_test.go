package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// TestEveryReadyMadeTeamDecidesOnEveryVendorWithoutASetting names a model, its key and its
// address, and nothing else.
func TestEveryReadyMadeTeamDecidesOnEveryVendorWithoutASetting(t *testing.T) {
	onEveryVendor(t, func(team string) (string, []string) { return team, nil }, "use jitter", func(int, *models.Request) modelstest.Reply {
		return modelstest.Reply{
			Text:  `{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads load","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`,
			Usage: models.Usage{Input: 500, Output: 40},
		}
	}, func(*testing.T) {})
}

// TestEveryReadyMadeTeamCallsToolsAndDecidesOnAValueOnEveryVendor has each agent read a skill in each
// turn, and then propose JSON of a schema.
func TestEveryReadyMadeTeamCallsToolsAndDecidesOnAValueOnEveryVendor(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("skills/waiting/SKILL.md", "---\nname: waiting\ndescription: How to wait.\n---\nDouble the pause.")
	schema := write("schema.json", `{"type":"object","properties":{"tries":{"type":"integer"}},"required":["tries"],"additionalProperties":false}`)
	var read atomic.Int32
	onEveryVendor(t, func(team string) (string, []string) {
		text, _ := teams.Ready(team)
		return write(team+".yaml", text+"\nskills: ./skills\n"), []string{"--schema", schema}
	}, `"tries":3`, func(_ int, r *models.Request) modelstest.Reply {
		used := models.Usage{Input: 500, Output: 40}
		last := r.Messages[len(r.Messages)-1]
		offered := slices.ContainsFunc(r.Tools, func(t models.Tool) bool { return t.Name == "skill" })
		if offered && !r.NoCalls && len(last.Results) == 0 && !strings.Contains(last.Text, "Double the pause") {
			return modelstest.Reply{Calls: []models.Call{{ID: "call00001", Name: "skill", Args: []byte(`{"name":"waiting","file":""}`)}}, Usage: used}
		}
		if len(last.Results) > 0 && !strings.Contains(last.Results[0].Text, "Double the pause") {
			t.Errorf("it was given %+v", last.Results)
		}
		if len(last.Results) > 0 {
			read.Add(1)
		}
		return modelstest.Reply{
			Text:  `{"say":[{"type":"proposal","content":{"tries":3},"reasons":"it spreads load","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`,
			Usage: used,
		}
	}, func(t *testing.T) {
		if read.Swap(0) == 0 {
			t.Error("no agent has called the tool")
		}
	})
}

// onEveryVendor has the ready-made teams, with flags, decide on something by what a model replies.
func onEveryVendor(t *testing.T, of func(team string) (string, []string), want string, reply func(int, *models.Request) modelstest.Reply, after func(*testing.T)) {
	clearKeys(t)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	for _, v := range modelstest.Vendors() {
		for _, name := range teams.Names() {
			t.Run(v.Name+"/"+name, func(t *testing.T) {
				team, flags := of(name)
				answers := modelstest.Handler(v.Dialect(), reply)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if v.Name == "ollama" { // which asks for no key
						r.Header.Set("Authorization", "Bearer "+modelstest.Key)
					}
					answers.ServeHTTP(w, r)
				}))
				defer server.Close()
				name := modelstest.Name
				if v.Model != "" {
					name = v.Model
				}
				provider := "openai"
				if v.Name == "ollama" {
					provider = v.Name
				}
				args := []string{"solve", "Which policy?", "--team", team, "--model", provider + ":" + name, "--base-url", server.URL + v.Base}
				status, stdout, stderr := swarmbusRun(t, append(args, flags...)...)
				if status != cli.ExitDecided || !strings.Contains(stdout, want) {
					t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
				}
				after(t)
			})
		}
	}
}
