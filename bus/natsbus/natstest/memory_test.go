package natstest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

const (
	monday  = "The payments service restarts at 02:00."
	tuesday = "The payments run at 02:00."
)

// halves is the model of a team that sees one half of what explains a failure on each day.
// Its planner needs both.
func halves(today *atomic.Pointer[string]) func(int, *models.Request) modelstest.Reply {
	return func(_ int, r *models.Request) modelstest.Reply {
		who, _, _ := strings.Cut(strings.TrimPrefix(r.System, "You are "), ",")
		state, say := "", `{"type":"pass","reason":"nothing new"}`
		for _, m := range r.Messages {
			state += m.Text
		}
		switch half := *today.Load(); {
		case strings.Contains(state, `"P1"`) && !strings.Contains(state, `"yours"`):
			say = `{"type":"vote","proposal":"P1","reasons":"fine","stance":"agree","confidence":0.9}`
		case who != "planner" && !strings.Contains(state, half):
			say = `{"type":"discovery","finding":"` + half + `","evidence":"the records of ` + who + `","relevance":0.9,"confidence":0.9}`
		case who == "planner" && strings.Contains(state, "restarts at 02:00") && strings.Contains(state, "run at 02:00") && !strings.Contains(state, `"P1"`):
			say = `{"type":"proposal","content":"move the payments","reasons":"they collide","confidence":0.9},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.9}`
		}
		return modelstest.Reply{Text: `{"say":[` + say + `]}`, Usage: models.Usage{Input: 5, Output: 4}}
	}
}

// On Monday a process drives a solve that finds one half. On Tuesday another one drives, whose
// own memory is empty: it knows what was found on Monday from the log.
func TestMemoryOfEveryProcessHasTheFactsOfTheLog(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	today := new(atomic.Pointer[string])
	model := modelstest.NewServer(modelstest.OpenAI, halves(today))
	t.Cleanup(model.Close)
	server := natstest.Start(t, natstest.Options{})[0]
	machine := func(name string) (dir string) {
		dir = filepath.Join(t.TempDir(), name)
		text := fmt.Sprintf(`memory: {store: facts.db}
models: {main: {provider: openai, name: %s, baseURL: %q}}
agents:
  - {id: logs, group: a, canEmit: [discovery, vote]}
  - {id: charts, group: b, canEmit: [discovery, vote]}
  - {id: planner, canEmit: [proposal, vote], tools: {recall: allow}}
`, modelstest.Name, model.URL)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "team.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	log := []string{"--team", "team.yaml", "--nats", server.URL()}
	for _, id := range []string{"logs", "charts", "planner"} {
		startTalkIn(t, machine(id), append([]string{"agent", "--as", id}, log...)...).sees(t, "takes its turns here")
	}
	drive := func(half, task, dir string) string {
		today.Store(&half)
		driver := startTalkIn(t, dir, append([]string{"solve", task}, log...)...)
		_ = driver.cmd.Wait()
		return driver.text()
	}
	if text := drive(monday, "Why do the payments fail on Mondays?", machine("first")); strings.Contains(text, "move the payments") || !strings.Contains(text, monday) {
		t.Errorf("on Monday:\n%s", text)
	}
	if text := drive(tuesday, "Why do the payments fail on Tuesdays?", machine("second")); !strings.Contains(text, "move the payments") {
		t.Errorf("on Tuesday:\n%s", text)
	}
}
