package natstest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
)

// A served team has a file, and one of a console that has it.
type served struct{ team, config string }

// serving writes the files of a team of a planner and a critic with a model.
func serving(t *testing.T, model func(int, *models.Request) modelstest.Reply) served {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	s := modelstest.NewServer(modelstest.OpenAI, model)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	of := served{filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "serve.yaml")}
	text := "mode: deliberate\nmodels:\n  main: {provider: openai, name: " + modelstest.Name + ", baseURL: \"" + s.URL + "\"}\nagents:\n"
	for _, id := range []string{"planner", "critic"} {
		text += "  - {id: " + id + ", role: You help., canEmit: [proposal, vote, escalate]}\n"
	}
	for file, text := range map[string]string{of.team: text, of.config: "teams: [" + of.team + "]\ndir: " + dir + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return of
}

// console starts a console of the team, and returns a client of it and its link.
func (s served) console(t *testing.T, url string) (c *client.Client, link string, process *talk) {
	t.Helper()
	process = startTalk(t, "serve", "--config", s.config, "--addr", "127.0.0.1:0", "--nats", url)
	process.sees(t, "/#token=")
	link = regexp.MustCompile(`http://\S+`).FindString(process.text())
	c, err := client.New(link, "")
	if err != nil {
		t.Fatal(err)
	}
	return c, link, process
}

// A console is the only process that drives. Its agents were there first, and may not make the
// streams: it makes what a driver makes.
func TestConsoleThatAloneDrivesMakesWhatItsAgentsNeed(t *testing.T) {
	of := serving(t, proposing("the answer"))
	server := natstest.Start(t, natstest.Options{Config: documented(t)})[0]
	var agents []*talk
	for _, id := range []string{"planner", "critic"} {
		agents = append(agents, startTalk(t, "agent", "--team", of.team, "--as", id, "--nats", as(server, id)))
	}
	for _, a := range agents {
		a.sees(t, "the stream swarmbus is not there yet, and the user of this process may not make it")
	}
	c, link, console := of.console(t, as(server, "driver"))
	for _, a := range agents {
		a.sees(t, "takes its turns here")
	}
	one, err := c.Start(soon(t), api.NewSolve{Team: "policy", Task: "Which one?"})
	if err != nil {
		t.Fatal(err, console.text())
	}
	startTalk(t, "show", one.Run, "--server", link, "--follow").sees(t, "reached")
}
