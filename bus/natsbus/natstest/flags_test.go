package natstest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// All commands over NATS take the same flags for servers that want certificates, and tell
// their users alike that no server answers yet, that the connection is lost, and that it is
// there again.
func TestCommandsTellHowTheConnectionIs(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	a := &authority{dir: t.TempDir()}
	ca, _ := a.issue(t, "ca")
	cert, key := a.issue(t, "server")
	server := natstest.Start(t, natstest.Options{Processes: true, Config: fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", cert, key, ca)})[0]
	server.Kill()
	own, secret := a.issue(t, "process")
	nats := []string{"--nats", strings.Replace(server.URL(), "nats://", "tls://", 1), "--tls-ca", ca, "--tls-cert", own, "--tls-key", secret}
	var all []*talk
	for _, args := range [][]string{
		{"agent", "--as", "planner", "--model", "openai:large", "--base-url", "http://127.0.0.1:1"},
		{"solve", "Which retry policy?", "--model", "openai:large"},
		{"rooms", officeFile, "--keys", t.TempDir(), "--stream", "office"},
		{"serve", "--addr", "127.0.0.1:0", "--dir", t.TempDir()},
	} {
		all = append(all, startTalk(t, append(args, nats...)...))
	}
	for _, c := range all {
		c.sees(t, "nats: no connection yet, trying again: ")
		c.sees(t, "nats: no answer yet from tls://")
	}
	server.StartProcess(t)
	for _, c := range all {
		c.sees(t, "nats: connected to tls://")
	}
	all[0].sees(t, "planner takes its turns here")
	all[2].sees(t, "this process runs the rooms")
	all[3].sees(t, "/#token=")
	server.Kill()
	for _, c := range all {
		c.sees(t, "nats: disconnected, trying again")
	}
	server.StartProcess(t)
	for _, c := range all {
		for ctx := soon(t); strings.Count(c.text(), "nats: connected to") < 2; pause() {
			if ctx.Err() != nil {
				t.Fatalf("%v is not connected again:\n%s", c.cmd.Args[1], c.text())
			}
		}
	}
}

// A model that does not answer is asked again for a while, which its process says.
func TestAgentSaysThatItsModelFails(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	url := natstest.Start(t, natstest.Options{})[0].URL()
	model := []string{"--nats", url, "--model", "openai:large"}
	ann := startTalk(t, append([]string{"agent", "--as", "planner", "--base-url", "http://127.0.0.1:1"}, model...)...)
	ann.sees(t, "planner takes its turns here")
	startTalk(t, append([]string{"solve", "Which retry policy?", "--mode", "deliberate"}, model...)...)
	ann.sees(t, "again in ")
}
