package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

// planner proposes and votes; its first answer in a solve calls a tool that needs permission.
func planner(_ int, r *models.Request) modelstest.Reply {
	state := ""
	for _, m := range r.Messages {
		state += m.Text
	}
	say := `{"type":"pass","reason":"nothing new"}`
	switch {
	case strings.Contains(state, `"P1"`) && !strings.Contains(state, `"yours"`):
		say = `{"type":"vote","proposal":"P1","reasons":"fine","stance":"agree","confidence":0.9}`
	case !strings.HasPrefix(r.System, "You are planner"):
	case len(r.Messages) == 1:
		return modelstest.Reply{Calls: []models.Call{{ID: "c1", Name: "recall", Args: json.RawMessage(`{"about":"when the payments run"}`)}}}
	case !strings.Contains(state, `"P1"`):
		say = `{"type":"proposal","content":"Move the payments to 04:00.","reasons":"the nightly restart is at 02:00","confidence":0.9},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.9}`
	}
	return modelstest.Reply{Text: `{"say":[` + say + `]}`, Usage: models.Usage{Input: 500, Output: 40}}
}

// asking starts a server with a team whose planner needs permission before it uses a tool.
func asking(t *testing.T) *server {
	t.Helper()
	if without != "" {
		t.Skip(without)
	}
	model := modelstest.NewServer(modelstest.OpenAI, planner)
	t.Cleanup(model.Close)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"team.yaml": `memory: {store: ` + filepath.Join(dir, "facts.db") + `}
models: {main: {provider: openai, name: ` + modelstest.Name + `, baseURL: "` + model.URL + `"}}
agents:
  - {id: planner, canEmit: [proposal, vote], tools: {recall: ask}}
  - {id: checker, canEmit: [vote]}
`,
		"serve.yaml": "dir: " + dir + "\nteams: [" + filepath.Join(dir, "team.yaml") + "]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, "--config", filepath.Join(dir, "serve.yaml"))
}

// The call of a tool that needs a permission waits in the inbox; to deny it needs a reason.
func TestApproveAndDeny(t *testing.T) {
	s := asking(t)
	p := open(t, s)
	ask := func() {
		p.key("c")
		p.see("dialog", "What should be decided?")
		p.write("textarea[name=task]", "When should the payments run?")
		p.click("dialog button.p", "Start")
		p.wait(`!document.querySelector("dialog") && location.pathname.startsWith("/solves/")`)
		p.press("g")
		p.press("i")
		p.see(".act", "Approve once")
		p.see(".det", "recall")
	}
	ask()
	// The solve says what it waits for, and leads there.
	waits := eval[string](p, "location.pathname")
	p.click(".det a", "team.")
	p.see(".then.hold", "planner asks you: May I call recall?")
	p.press(kb.End)
	p.wait(`document.querySelector(".score .hold")`)
	p.press("o")
	p.wait(`location.pathname === ` + quote(waits) + ` || location.pathname.startsWith("/inbox/")`)
	p.see(".det", "recall")
	p.press("a")
	p.see(".said", "Approved by you")
	p.click(".det a", "team.")
	p.wait(`document.querySelector(".figbox .cursor")`)
	p.press(kb.End)
	p.see(".ans", "Move the payments to 04:00.")

	ask()
	p.click(".act button", "Deny") // not by its key, which the browser's protocol would also type into the field
	p.see(".act .wrong", "Say why")
	p.write(".act textarea", "not on a Friday")
	p.click(".act button", "Deny")
	p.see(".said", "Denied by you: “not on a Friday”")
}
