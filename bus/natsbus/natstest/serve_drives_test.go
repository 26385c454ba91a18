package natstest_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
)

// served is a team that consoles serve.
type served struct{ team string }

// serving writes the files of a team of a planner and a critic with a model.
func serving(t *testing.T, model func(int, *models.Request) modelstest.Reply) served {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	s := modelstest.NewServer(modelstest.OpenAI, model)
	t.Cleanup(s.Close)
	of := served{filepath.Join(t.TempDir(), "policy.yaml")}
	text := "mode: deliberate\nmodels:\n  main: {provider: openai, name: " + modelstest.Name + ", baseURL: \"" + s.URL + "\"}\nagents:\n"
	for _, id := range []string{"planner", "critic"} {
		text += "  - {id: " + id + ", role: You help., canEmit: [proposal, vote, escalate]}\n"
	}
	if err := os.WriteFile(of.team, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return of
}

// console starts a console of the team, and returns a client of it and its link.
func (s served) console(t *testing.T, url string) (c *client.Client, link string, process *talk) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "serve.yaml")
	if err := os.WriteFile(config, []byte("teams: ["+s.team+"]\ndir: "+dir+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	process = startTalk(t, "serve", "--config", config, "--addr", "127.0.0.1:0", "--nats", url)
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

// posts makes a request without a body to a console, and returns the status and the answer.
func posts(t *testing.T, link, path string, body any) string {
	t.Helper()
	base, token, _ := strings.Cut(link, "/#token=")
	got := (&browser{base: base, token: token}).ask(t, http.MethodPost, "/api/solves"+path, body)
	defer got.Body.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got.StatusCode, " ", string(text))
}

// servingSlowly serves a model whose critic, when it has heard an answer, says so in asked and
// waits until goOn is closed.
func servingSlowly(t *testing.T) (of served, asked, goOn chan struct{}) {
	t.Helper()
	asked, goOn = make(chan struct{}, 64), make(chan struct{})
	answers := proposing("the answer")
	return serving(t, func(n int, r *models.Request) modelstest.Reply {
		if strings.HasPrefix(r.System, "You are critic,") && strings.Contains(fmt.Sprint(r.Messages), "the answer") {
			asked <- struct{}{}
			<-goOn
		}
		return answers(n, r)
	}), asked, goOn
}

// A console is killed in a turn: another one goes on with the solve, and so does one that is
// started later, where a person asks for that, too. Meanwhile nobody else may cancel it.
func TestConsolesGoOnWithSolvesOfOneThatWasKilled(t *testing.T) {
	of, asked, goOn := servingSlowly(t)
	server := natstest.Start(t, natstest.Options{})[0]
	for _, id := range []string{"planner", "critic"} {
		startTalk(t, "agent", "--team", of.team, "--as", id, "--nats", server.URL())
	}
	first, link, one := of.console(t, server.URL())
	begin := api.NewSolve{Team: "policy", Task: "Which one?"}
	if got := posts(t, link, "", begin); !strings.HasPrefix(got, "201") {
		t.Fatal(got, one.text())
	}
	<-asked
	_, other, two := of.console(t, server.URL())
	all, err := first.Start(soon(t), begin)
	if err != nil || all.State != api.Running {
		t.Fatal(all, err)
	}
	if got := posts(t, other, "", begin); !strings.HasPrefix(got, "200") || !strings.Contains(got, all.ID) {
		t.Errorf("the same words: %s", got)
	}
	if got := posts(t, other, "/"+all.ID+"/cancel", nil); !strings.HasPrefix(got, "409") || !strings.Contains(got, "drives the solve") {
		t.Errorf("cancel: %s", got)
	}
	kill(t, one)
	<-asked // for the second console
	kill(t, two)
	_, last, three := of.console(t, server.URL())
	if got := posts(t, last, "/"+all.ID+"/resume", nil); !strings.HasPrefix(got, "200") {
		t.Errorf("resume: %s", got)
	}
	close(goOn)
	startTalk(t, "show", all.Run, "--server", last, "--follow").sees(t, "reached")
	if text := three.text(); strings.Contains(text, "alarm") {
		t.Error(text)
	}
}

// A solve that was cancelled goes on when it is asked again: whoever asks sees its new end.
func TestCommandFollowsASolveThatGoesOnToItsNewEnd(t *testing.T) {
	of, asked, goOn := servingSlowly(t)
	server := natstest.Start(t, natstest.Options{})[0]
	c, link, _ := of.console(t, server.URL())
	for _, id := range []string{"planner", "critic"} {
		startTalk(t, "agent", "--team", of.team, "--as", id, "--nats", server.URL())
	}
	one, err := c.Start(soon(t), api.NewSolve{Team: "policy", Task: "Which one?"})
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	if got := posts(t, link, "/"+one.ID+"/cancel", nil); !strings.HasPrefix(got, "200") || !strings.Contains(got, "interrupted") {
		t.Fatal(got)
	}
	again := startTalk(t, "solve", "Which one?", "--team", "policy", "--server", link)
	<-asked
	time.Sleep(time.Second) // the critic thinks: nothing is new in the log
	close(goOn)
	again.sees(t, "Stop      consensus")
}

func kill(t *testing.T, c *talk) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
}
