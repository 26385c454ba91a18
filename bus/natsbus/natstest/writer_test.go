package natstest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

// A driver asks the writer of the team, within the budget, and goes on with a solve that is named
// by its thread.
func TestDriverHasTheWriterAndResumesASolveOfTheLog(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{})[0]
	model := modelstest.NewServer(modelstest.OpenAI, proposing("use jitter"))
	t.Cleanup(model.Close)
	var written atomic.Int64
	pen := modelstest.NewServer(modelstest.OpenAI, func(_ int, r *models.Request) modelstest.Reply {
		written.Add(1)
		lines := regexp.MustCompile(`"n":(\d+)`).FindAllStringSubmatch(fmt.Sprint(r.Messages), -1)
		return modelstest.Reply{Text: "The pen says that jitter it is [" + lines[len(lines)-1][1] + "].", Usage: models.Usage{Input: 70, Output: 7}}
	})
	t.Cleanup(pen.Close)
	team := filepath.Join(t.TempDir(), "team.yaml")
	text := "mode: deliberate\nwriter: pen\nmodels:\n"
	for name, url := range map[string]string{"main": model.URL, "pen": pen.URL} {
		text += fmt.Sprintf("  %s: {provider: openai, name: %s, baseURL: %q}\n", name, modelstest.Name, url)
	}
	text += "agents:\n  - {id: planner, model: main}\n  - {id: critic, model: main}\n"
	if err := os.WriteFile(team, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	of := []string{"--team", team, "--nats", server.URL()}

	interrupted := startTalk(t, append([]string{"solve", "Which policy?"}, of...)...)
	interrupted.sees(t, "no process answers for turn:")
	_ = interrupted.cmd.Process.Signal(os.Interrupt)
	_ = interrupted.cmd.Wait()
	thread := ""
	for s := range joinSolving(t, server.URL(), "reader").Bus().History(bus.Filter{Kinds: []signals.Kind{signals.KindTask}}) {
		thread = s.Head().Thread
	}
	for _, id := range []string{"planner", "critic"} {
		startTalk(t, append([]string{"agent", "--as", id}, of...)...).sees(t, "takes its turns here")
	}
	unknown := startTalk(t, append([]string{"solve", "--resume", thread + "x"}, of...)...)
	unknown.sees(t, "there is no solve in that thread of the log; did you mean \""+thread)
	for range 2 {
		out, errs := runCommand(t, append([]string{"solve", "--resume", thread, "--budget", "90000tokens"}, of...)...)
		if !strings.Contains(out, "The pen says that jitter it is") || !strings.Contains(errs, "in thread "+thread) || written.Load() != 1 {
			t.Errorf("%d texts written:\n%s%s", written.Load(), out, errs)
		}
	}
	out, errs := runCommand(t, append([]string{"solve", "Which port?", "--budget", "20tokens"}, of...)...)
	if strings.Contains(out, "The pen says") || !strings.Contains(out, "use jitter") || written.Load() != 1 || !strings.Contains(errs, "budget: 0 tokens") {
		t.Errorf("without a budget for it, %d texts are written:\n%s%s", written.Load(), out, errs)
	}
}
