package natstest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
)

// escalating is a model whose planner proposes, whose critic asks somebody outside until there
// is an answer, and who all agree then.
func escalating(_ int, r *models.Request) modelstest.Reply {
	heard := ""
	for _, m := range r.Messages {
		heard += m.Text
	}
	text := `{"say":[{"type":"vote","proposal":"P1","reasons":"it is worth it","stance":"agree","confidence":0.9}]}`
	switch {
	case strings.HasPrefix(r.System, "You are critic,") && !strings.Contains(heard, `"ceo"`):
		text = `{"say":[{"type":"escalation","reason":"Is it worth it?","context":"it costs"}]}`
	case strings.HasPrefix(r.System, "You are planner,") && !strings.Contains(heard, "use jitter"):
		text = `{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads the load","confidence":0.9}]}`
	case !strings.Contains(heard, "use jitter"):
		text = `{"say":[{"type":"pass","reason":"nothing to add"}]}`
	}
	return modelstest.Reply{Text: text, Usage: models.Usage{Input: 1, Output: 1}}
}

// A console in a process of its own shows the solve of other processes as it happens, and a
// person answers there what an agent asks: the solve goes on with the same agents.
func TestConsoleShowsAndAnswersSolvesOfOtherProcesses(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	model := modelstest.NewServer(modelstest.OpenAI, escalating)
	t.Cleanup(model.Close)
	server := natstest.Start(t, natstest.Options{})[0]
	dir := t.TempDir()
	team, config := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "serve.yaml")
	said := "models:\n  main: {provider: openai, name: " + modelstest.Name + ", baseURL: \"" + model.URL + "\"}\nagents:\n"
	for _, id := range []string{"planner", "critic", "verifier"} {
		said += "  - {id: " + id + ", role: You help., canEmit: [proposal, vote, escalate]}\n"
	}
	for file, text := range map[string]string{team: said, config: "teams: [" + team + "]\ndir: " + dir + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := []string{"--nats", server.URL()}
	console := startTalk(t, append([]string{"serve", "--config", config, "--addr", "127.0.0.1:0"}, log...)...)
	console.sees(t, "/#token=")
	link := regexp.MustCompile(`http://\S+`).FindString(console.text())
	for _, id := range []string{"planner", "critic", "verifier"} {
		startTalk(t, append([]string{"agent", "--team", team, "--as", id}, log...)...).sees(t, "takes its turns here")
	}
	driver := startTalk(t, append([]string{"solve", "Which policy?", "--team", team, "--mode", "deliberate"}, log...)...)
	c, err := client.New(link, "")
	if err != nil {
		t.Fatal(err)
	}
	var items []api.Item
	for ctx := soon(t); len(items) == 0; pause() {
		if items, err = c.Items(ctx, false); err != nil {
			t.Fatal(err, driver.text())
		}
	}
	if items[0].Task != "Which policy?" || items[0].Reason != "Is it worth it?" || items[0].Run != "swarmbus" {
		t.Errorf("%+v", items[0])
	}
	_ = driver.cmd.Wait() // it ends, as the solve asks
	_, thread, _ := strings.Cut(items[0].Solve, ".")
	driver.sees(t, "swarmbus answer swarmbus --question "+strings.TrimPrefix(items[0].ID, items[0].Solve+".")+" TEXT --thread "+thread+" --server LINK")
	if _, err := c.Answer(soon(t), items[0].ID, api.Answer{Text: "It is.", By: "ceo"}); err != nil {
		t.Fatalf("%v\n%s", err, console.text())
	}
	shown := startTalk(t, "show", "swarmbus", "--server", link, "--follow")
	shown.sees(t, "reached")
	if text := shown.text(); !strings.Contains(text, "use jitter") || !strings.Contains(text, "ceo") {
		t.Errorf("it shows\n%s", text)
	}
	if check, err := c.Replay(soon(t), "swarmbus"); err != nil || !check.Identical || check.Decisions == 0 {
		t.Errorf("replay: %+v, %v", check, err)
	}
	if run, err := c.Run(soon(t), "swarmbus"); err != nil || !run.Live || *run.Solves != 1 {
		t.Errorf("run: %+v, %v", run, err)
	}
	if _, err := c.Answer(soon(t), items[0].ID, api.Answer{Text: "It is not.", By: "cfo"}); err == nil || !strings.Contains(err.Error(), "ceo has answered first") {
		t.Errorf("the second answer: %v", err)
	}
}

// proposing is a model whose planner proposes something, and who all agree then.
func proposing(what string) func(int, *models.Request) modelstest.Reply {
	return func(_ int, r *models.Request) modelstest.Reply {
		heard := ""
		for _, m := range r.Messages {
			heard += m.Text
		}
		text := `{"say":[{"type":"pass","reason":"nothing to add"}]}`
		switch {
		case strings.Contains(heard, what):
			text = `{"say":[{"type":"vote","proposal":"P1","reasons":"it is worth it","stance":"agree","confidence":0.9}]}`
		case strings.HasPrefix(r.System, "You are planner,"):
			text = `{"say":[{"type":"proposal","content":"` + what + `","reasons":"it holds","confidence":0.9}]}`
		}
		return modelstest.Reply{Text: text, Usage: models.Usage{Input: 1, Output: 1}}
	}
}

// One console has two teams whose agents have the same names: each on its own stream, so that
// agents take the turns of their own team.
func TestConsoleHasATeamOnEachStream(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{})[0]
	dir := t.TempDir()
	of := func(name string) string { return filepath.Join(dir, name+".yaml") }
	for _, name := range []string{"retries", "ports"} {
		model := modelstest.NewServer(modelstest.OpenAI, proposing("the answer of "+name))
		t.Cleanup(model.Close)
		text := "mode: deliberate\nmodels:\n  main: {provider: openai, name: " + modelstest.Name + ", baseURL: \"" + model.URL + "\"}\nagents:\n"
		for _, id := range []string{"planner", "critic"} {
			text += "  - {id: " + id + ", role: You help., canEmit: [proposal, vote]}\n"
		}
		if err := os.WriteFile(of(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	streams := map[string]string{"retries": "swarmbus", "ports": "second"}
	config := filepath.Join(dir, "serve.yaml")
	text := "dir: " + dir + "\nteams: [" + of("retries") + ", {team: " + of("ports") + ", stream: second}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	console := startTalk(t, "serve", "--config", config, "--addr", "127.0.0.1:0", "--nats", server.URL())
	console.sees(t, "/#token=")
	for name, stream := range streams {
		for _, id := range []string{"planner", "critic"} {
			startTalk(t, "agent", "--team", of(name), "--as", id, "--nats", server.URL(), "--stream", stream).sees(t, "takes its turns here")
		}
	}
	link := regexp.MustCompile(`http://\S+`).FindString(console.text())
	c, err := client.New(link, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, stream := range streams { // both run at once
		one, err := c.Start(soon(t), api.NewSolve{Team: name, Task: "Which one?"})
		if err != nil || one.Run != stream || one.Team != name {
			t.Fatalf("%+v, %v\n%s", one, err, console.text())
		}
	}
	for name, stream := range streams {
		shown := startTalk(t, "show", stream, "--server", link, "--follow")
		shown.sees(t, "reached")
		if text := shown.text(); !strings.Contains(text, "the answer of "+name) {
			t.Errorf("%s shows\n%s", stream, text)
		}
	}
}

func TestConsoleEndsWithItsLog(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})[0]
	writer := join(t, natsbus.Options{URL: server.URL(), Storage: natsbus.Storage{MaxSignals: 10}})
	proxy := natstest.NewProxy(t, strings.TrimPrefix(server.URL(), "nats://"))
	must(t, agent(t, writer, "ann"), found("t", "the first"))
	console := startTalk(t, "serve", "--addr", "127.0.0.1:0", "--dir", t.TempDir(), "--nats", "nats://ann:secret@"+proxy.Addr())
	console.sees(t, "/#token=")
	proxy.Cut()
	for range 30 {
		must(t, agent(t, writer, "ann"), found("t", "what the console does not read"))
	}
	proxy.Mend()
	if err := console.cmd.Wait(); err == nil || !strings.Contains(console.text(), "are gone") {
		t.Errorf("it ends with %v:\n%s", err, console.text())
	}
	if strings.Contains(console.text(), "secret") {
		t.Errorf("it shows the password:\n%s", console.text())
	}
}
