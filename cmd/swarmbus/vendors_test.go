package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// TestEveryReadyMadeTeamDecidesOnEveryVendorWithoutASetting names a model, its key and its
// address, and nothing else.
func TestEveryReadyMadeTeamDecidesOnEveryVendorWithoutASetting(t *testing.T) {
	clearKeys(t)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	for _, v := range modelstest.Vendors() {
		for _, team := range teams.Names() {
			t.Run(v.Name+"/"+team, func(t *testing.T) {
				answers := modelstest.Handler(v.Dialect(), func(int, *models.Request) modelstest.Reply {
					return modelstest.Reply{
						Text:  `{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads load","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`,
						Usage: models.Usage{Input: 500, Output: 40},
					}
				})
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
				status, stdout, stderr := swarmbusRun(t, "solve", "Which policy?", "--team", team, "--model", provider+":"+name, "--base-url", server.URL+v.Base)
				if status != cli.ExitDecided || !strings.Contains(stdout, "use jitter") {
					t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
				}
			})
		}
	}
}
