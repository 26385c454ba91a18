package natstest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// script has what each agent's model answers, turn by turn.
var script = map[string][]string{
	"You find a solution": {
		`{"say":[{"type":"proposal","content":"exponential backoff","reasons":"it gives room","confidence":0.6}]}`,
		`{"say":[{"type":"proposal","content":"exponential backoff with full jitter","reasons":"it spreads the load","confidence":0.85},{"type":"vote","proposal":"new","reasons":"it answers the critic","stance":"agree","confidence":0.85}]}`,
		`{"say":[{"type":"pass","reason":"nothing to add"}]}`,
	},
	"You look for what is wrong": {
		`{"say":[{"type":"discovery","finding":"clients retry together","evidence":"their pauses are the same","relevance":0.9,"confidence":0.9}]}`,
		`{"say":[{"type":"vote","proposal":"P1","reasons":"no jitter","stance":"disagree","confidence":0.9}]}`,
		`{"say":[{"type":"vote","proposal":"P2","reasons":"jitter helps","stance":"agree","confidence":0.9}]}`,
	},
	"You check what is claimed": {
		`{"say":[{"type":"pass","reason":"nothing to add"}]}`,
		`{"say":[{"type":"doubt","about":"P1","concern":"it ignores Retry-After","severity":"medium","confidence":0.7}]}`,
		`{"say":[{"type":"vote","proposal":"P2","reasons":"it holds","stance":"agree","confidence":0.8}]}`,
	},
}

// scripted is a server of such a model.
func scripted(t *testing.T) (url string, calls *atomic.Int64) {
	var mu sync.Mutex
	turn := map[string]int{}
	calls = new(atomic.Int64)
	s := modelstest.NewServer(modelstest.OpenAI, func(_ int, r *models.Request) modelstest.Reply {
		mu.Lock()
		defer mu.Unlock()
		calls.Add(1)
		for role, answers := range script {
			if strings.Contains(fmt.Sprint(r.Messages), role) || strings.Contains(r.System, role) {
				turn[role]++
				return modelstest.Reply{Text: answers[min(turn[role], len(answers))-1], Usage: models.Usage{Input: 1, Output: 1}}
			}
		}
		return modelstest.Reply{Status: 400}
	})
	t.Cleanup(s.Close)
	return s.URL, calls
}

// command builds the command.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "swarmbus")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "swarmbus")
	build := exec.Command("go", "build", "-o", file)
	build.Dir, build.Env = "../../../cmd/swarmbus", append(os.Environ(), "GOWORK=off")
	if text, err := build.CombinedOutput(); err != nil {
		return string(text), err
	}
	return file, nil
})

func runCommand(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	file, err := command()
	if err != nil {
		t.Fatal(file, err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(soon(t), file, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// What three processes of agents and a driver decide is what one process decides.
func TestCommandsOnManyMachinesDecideAsOne(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	url, alonesCalls := scripted(t)
	alone, _ := runCommand(t, "solve", "Which retry policy?", "--mode", "deliberate", "--model", "openai:large", "--base-url", url)
	server := natstest.Start(t, natstest.Options{})[0]
	url, calls := scripted(t)
	common := []string{"--nats", server.URL(), "--monitor", server.Monitor(), "--strict", "--model", "openai:large"}
	file, err := command()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for _, id := range []string{"planner", "critic", "verifier"} {
		cmd := exec.CommandContext(ctx, file, append([]string{"agent", "--as", id, "--base-url", url}, common...)...)
		cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := cmd.Wait(); err != nil && ctx.Err() == nil || !strings.Contains(text.String(), id+" takes its turns here") {
				t.Errorf("%s: %v\n%s", id, err, text.String())
			}
		})
	}
	solve := append([]string{"solve", "Which retry policy?", "--mode", "deliberate"}, common...)
	together, status := runCommand(t, solve...)
	again, says := runCommand(t, solve...) // finds it decided
	signals, _ := runCommand(t, append(solve, "--log")...)
	cancel()
	all.Wait()
	if !strings.Contains(status, "nats: connected to") || strings.Contains(status, "alarm") {
		t.Errorf("%s", status)
	}
	if verdict(together) != verdict(alone) || verdict(again) != verdict(alone) || !strings.Contains(says, "was decided before") {
		t.Errorf("alone:\n%s\ntogether:\n%s\nagain:\n%s%s", alone, together, again, says)
	}
	if !strings.HasPrefix(signals, `{"`) || strings.Count(signals, "\n") < 11 {
		t.Errorf("the log of the decided task:\n%s", signals)
	}
	if calls.Load() != alonesCalls.Load() {
		t.Errorf("%d calls of models, want %d", calls.Load(), alonesCalls.Load())
	}
}

// verdict is what was said and decided, without places in the log.
func verdict(text string) string {
	var all []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		words = slices.DeleteFunc(words, func(w string) bool { // places in the log, and in brackets those of claims
			return strings.HasPrefix(w, "[") && strings.Trim(w, "[]0123456789") == ""
		})
		if len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
			words = words[1:]
		}
		if len(words) > 1 && words[0] == "system" && words[1] == "decision" {
			continue // the terms and what came of them, which a run without a journal does not record
		}
		if all = append(all, strings.Join(words, " ")); strings.HasPrefix(line, "Stop") {
			break
		}
	}
	return strings.Join(all, "\n")
}
