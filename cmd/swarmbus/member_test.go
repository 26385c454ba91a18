package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// shortHanded plays a team in which ann proposes and asks, and only who is on the bench agrees.
func shortHanded(_ int, r *models.Request) modelstest.Reply {
	heard := ""
	for _, m := range r.Messages {
		heard += m.Text
	}
	of := regexp.MustCompile(`P\d+`).FindString(heard)
	switch {
	case strings.HasPrefix(r.System, "You are ann,") && of == "":
		return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"Close the port","confidence":0.9,"reasons":"it is open"},{"type":"escalation","reason":"Is there nobody for security?","reasons":"it concerns them"}]}`}
	case !strings.HasPrefix(r.System, "You are carl,") && of != "":
		return modelstest.Reply{Text: `{"say":[{"type":"vote","proposal":"` + of + `","stance":"agree","confidence":0.9,"reasons":"it fits"}]}`}
	}
	return modelstest.Reply{Text: `{"say":[{"type":"pass","reason":"nothing"}]}`}
}

// An operator lets an agent of the bench join a solve that waits, and takes another out, by command and over HTTP. The
// solve goes on with the team that there is then, and replays.
func TestAnOperatorChangesTheTeamOfASolve(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	models := modelstest.NewServer(modelstest.OpenAI, shortHanded)
	t.Cleanup(models.Close)
	for name, text := range map[string]string{
		"guards.yaml": "models: {m: {provider: openai, name: " + modelstest.Name + ", baseURL: " + models.URL + "}}\nmode: deliberate\nagents:\n" +
			"  - {id: ann}\n  - {id: carl}\n  - {id: security, bench: true}\n",
		"serve.yaml": "teams: [" + filepath.Join(dir, "guards.yaml") + "]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := serverOf(t, "--config", filepath.Join(dir, "serve.yaml"), "--dir", dir)
	at := []string{"--server", link}
	status, out, errs := swarmbusRun(t, append(at, "solve", "What about the port?", "--team", "guards")...)
	asks := regexp.MustCompile(`--question (\S+) TEXT(?: --thread (\S+))?`).FindStringSubmatch(errs)
	if status != cli.ExitEscalated || asks == nil {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	thread := regexp.MustCompile(`thread[ ":]+(\S+)`).FindStringSubmatch(out + errs)
	if thread == nil {
		t.Fatalf("no thread: %s%s", out, errs)
	}
	seat := func(method, agent string, want int) {
		t.Helper()
		base, token, _ := strings.Cut(link, "/#token=")
		r, err := http.NewRequestWithContext(t.Context(), method, base+"/api/solves/guards."+thread[1]+"/agents/"+agent, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("%s %s: status %d, want %d", method, agent, got.StatusCode, want)
		}
	}
	seat(http.MethodPut, "nobody", http.StatusUnprocessableEntity)
	seat(http.MethodPut, "ann", http.StatusUnprocessableEntity)
	seat(http.MethodDelete, "security", http.StatusUnprocessableEntity)
	if out, errs, status := called(t, append(at, "join", "guards", "nobody")...); status != cli.ExitError || !strings.Contains(errs, "nobody") {
		t.Errorf("join of nobody: status %d: %s%s", status, out, errs)
	}
	if out, errs, status := called(t, append(at, "join", "guards", "security")...); status != cli.ExitDecided || !strings.Contains(out, "security joins the solve in thread "+thread[1]) {
		t.Errorf("join: status %d: %s%s", status, out, errs)
	}
	seat(http.MethodDelete, "carl", http.StatusOK)
	seat(http.MethodPut, "carl", http.StatusUnprocessableEntity)
	status, out, errs = swarmbusRun(t, append(at, "answer", "guards", "There is now.", "--question", asks[1])...)
	if status != cli.ExitDecided {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if out, _, _ := called(t, append(at, "show", "guards", "--follow")...); !strings.Contains(out, "Close the port") || !strings.Contains(out, "consensus") {
		t.Errorf("the newcomer decides nothing: %s", out)
	}
	out, _, _ = called(t, append(at, "log", "guards")...)
	for _, want := range []string{"security joins", "carl leaves"} {
		if !strings.Contains(out, want) {
			t.Errorf("the log lacks %q: %s", want, out)
		}
	}
	if out, _, _ := called(t, append(at, "replay", "guards")...); !strings.Contains(out, "identical") {
		t.Errorf("replay: %s", out)
	}
}
