package natstest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

func TestLogOfAnotherUseIsRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	of := func(stream, use string) natsbus.Options {
		return natsbus.Options{URL: url, Stream: stream, Use: use}
	}
	join(t, of("office", "rooms"))
	join(t, of("office", "rooms"))
	join(t, of("office", ""))
	join(t, of("earlier", ""))
	join(t, of("earlier", "rooms")) // streams of earlier versions do not say what they are for
	dialed, err := natsbus.Dial(soon(t), of("swarm", "solves"))
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	for stream, use := range map[string]string{"office": "solves", "swarm": "rooms"} {
		var wrong *natsbus.ConfigError
		if l, err := natsbus.Join(soon(t), of(stream, use)); err == nil {
			l.Close()
			t.Errorf("%s is joined for %s", stream, use)
		} else if !errors.As(err, &wrong) || wrong.Setting != "metadata swarmbus.use" || wrong.Want != use {
			t.Errorf("%s: %v", stream, err)
		}
	}
}

// Rooms and solves have streams of their own, and two rosters do not share the rooms of one.
func TestCommandsKeepRoomsSolvesAndRostersApart(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{})[0]
	dir := t.TempDir()
	nats := []string{"--nats", server.URL()}
	ends := func(want string, args ...string) {
		t.Helper()
		c := startTalk(t, append(args, nats...)...)
		c.sees(t, want)
		if err := c.cmd.Wait(); err == nil {
			t.Errorf("%v goes on:\n%s", args, c.text())
		}
	}
	keys := []string{"--keys", filepath.Join(dir, "keys")}
	first := startTalk(t, append(append([]string{"rooms", officeFile}, keys...), nats...)...)
	first.sees(t, "this process runs the rooms")
	ends("metadata swarmbus.use is rooms, want solves: processes of both would derive different logs: name another stream (--stream)",
		"solve", "Which retry policy?", "--model", "openai:large", "--stream", "office")
	ends("metadata swarmbus.use is rooms, want solves", "agent", "--as", "planner", "--model", "openai:large", "--stream", "office")
	solving := startTalk(t, append([]string{"solve", "Which retry policy?", "--model", "openai:large"}, nats...)...)
	solving.sees(t, "no process answers for turn:")
	ends("metadata swarmbus.use is solves, want rooms", append([]string{"rooms", officeFile, "--stream", "swarmbus"}, keys...)...)

	text, err := os.ReadFile(officeFile)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "office.yaml")
	if err := os.WriteFile(other, []byte(strings.ReplaceAll(string(text), "Veda", "Vera")), 0o600); err != nil {
		t.Fatal(err)
	}
	ends("the rooms are run with another roster", append([]string{"rooms", other}, keys...)...)
	second := startTalk(t, append(append([]string{"rooms", officeFile}, keys...), nats...)...)
	second.sees(t, "this process follows the rooms")
	_ = first.cmd.Process.Signal(os.Interrupt)
	_ = first.cmd.Wait()
	second.sees(t, "this process runs the rooms")
	for _, c := range []*talk{first, second, solving} {
		if strings.Contains(c.text(), "forged") || strings.Contains(c.text(), "alarm") {
			t.Errorf("%s", c.text())
		}
	}
}
