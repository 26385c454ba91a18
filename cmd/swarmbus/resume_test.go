package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
)

var roundOf = regexp.MustCompile(`(?m)^Round (\d+)\.`)

// takesRounds is a model whose agents find something in each round, until in one of
// them the planner proposes and all vote.
func takesRounds(rounds int) func(int, *models.Request) modelstest.Reply {
	return func(n int, r *models.Request) modelstest.Reply {
		state := r.Messages[len(r.Messages)-1].Text
		round, err := strconv.Atoi(roundOf.FindStringSubmatch(state)[1])
		if err != nil {
			return modelstest.Reply{Text: err.Error()}
		}
		if round >= rounds {
			return decides(n, r)
		}
		who, _, _ := strings.Cut(strings.TrimPrefix(r.System, "You are "), ",")
		finding, _ := json.Marshal(fmt.Sprint(who, " in round ", round))
		return modelstest.Reply{Text: fmt.Sprintf(`{"say":[{"type":"discovery","finding":%s,"evidence":"","relevance":0.5,"confidence":0.5}]}`, finding)}
	}
}

// A killer is a model's server that kills who asks it, at a call that its numbers
// choose.
type killer struct {
	answer func(int, *models.Request) modelstest.Reply
	usage  *models.Usage // of each call; nil: its number, which tells calls apart in the journal
	lives  int           // the least number of calls of a life; 0: 1

	mu     sync.Mutex // protects the fields below
	random *rand.Rand
	victim *os.Process
	left   int              // calls until it is killed; 0: it is not
	served map[string][]int // numbers of the calls, by what was asked
	calls  int
}

func (k *killer) reply(n int, r *models.Request) modelstest.Reply {
	k.mu.Lock()
	defer k.mu.Unlock()
	asked, err := json.Marshal(r)
	if err != nil {
		return modelstest.Reply{Text: err.Error()}
	}
	k.calls++
	k.served[string(asked)] = append(k.served[string(asked)], k.calls)
	reply := k.answer(n, r)
	if reply.Usage = (models.Usage{Input: k.calls, Output: 1}); k.usage != nil {
		reply.Usage = *k.usage
	}
	if k.left--; k.left == 0 {
		if victim := k.victim; k.random.IntN(2) == 0 {
			_ = victim.Kill() // before it has the answer
		} else {
			go victim.Kill() //nolint:errcheck // before or after it has the answer, or has written it
		}
	}
	return reply
}

// live runs the program in a process of its own until it is killed or ends, and
// reports whether it was killed.
func (k *killer) live(t *testing.T, args ...string) (killed bool, out string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"swarmbus"}, args...)
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	k.mu.Lock()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	k.victim, k.left = cmd.Process, max(1, k.lives)+k.random.IntN(max(3, k.lives))
	k.mu.Unlock()
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); err != nil && code >= 0 {
		t.Fatalf("exit status %d: %s", code, both.String())
	}
	return err != nil, both.String()
}

// saidIn is who said what in a run.
func saidIn(t *testing.T, path string) (all []string) {
	t.Helper()
	_, lines, _ := swarmbusRun(t, "log", path, "--json")
	for line := range strings.Lines(lines) {
		var s struct {
			Source, Type string
			Payload      json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(s.Source, " ", s.Type, " ", string(s.Payload)))
	}
	return all
}

func TestASolveThatIsKilledEndsAsOneThatIsNotAndRepeatsNoCall(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	rounds := 4 + *kills*3/10 // enough to be killed so often
	seed := uint64(os.Getpid())
	t.Log("seed", seed)
	dir := t.TempDir()
	begin := func(path string, server *modelstest.Server) []string {
		return []string{
			"solve", "Which policy?", "--mode", "deliberate", "--model", "openai:" + modelstest.Name, "--base-url", server.URL,
			"--agents", "5", "--rounds", fmt.Sprint(rounds + 12), "--journal", path,
		}
	}
	whole := filepath.Join(dir, "whole"+runs.Suffix)
	calm := modelstest.NewServer(modelstest.OpenAI, takesRounds(rounds))
	defer calm.Close()
	if status, out, errs := swarmbusRun(t, begin(whole, calm)...); status != cli.ExitDecided {
		t.Fatal(status, out, errs)
	}

	k := &killer{answer: takesRounds(rounds), random: rand.New(rand.NewPCG(seed, 1)), served: map[string][]int{}}
	server := modelstest.NewServer(modelstest.OpenAI, k.reply)
	defer server.Close()
	path := filepath.Join(dir, "killed"+runs.Suffix)
	killed, out := k.live(t, begin(path, server)...)
	for n := 1; n < *kills && killed; n++ {
		killed, out = k.live(t, "solve", "--resume", path)
	}
	if !killed {
		t.Fatalf("it ended before it was killed %d times: %s", *kills, out)
	}
	status, out, errs := swarmbusRun(t, "solve", "--resume", path)
	if status != cli.ExitDecided || !strings.Contains(out, "use jitter") {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	if diff := cmp.Diff(saidIn(t, whole), saidIn(t, path)); diff != "" {
		t.Errorf("the log differs (-uninterrupted +killed):\n%.3000s", diff)
	}
	k.noneRepeated(t, path)
	for _, check := range [][]string{{"verify", path}, {"replay", "--check", path}} {
		if status, out, errs := swarmbusRun(t, check...); status != cli.ExitDecided {
			t.Errorf("%s: %d: %s%s", check[0], status, out, errs)
		}
	}
	if status, out, _ := swarmbusRun(t, "solve", "--resume", path); status != cli.ExitDecided || !strings.Contains(out, "use jitter") {
		t.Errorf("when it is over: %d: %s", status, out)
	}
}

// noneRepeated fails if something was asked again whose answer was in the journal.
func (k *killer) noneRepeated(t *testing.T, path string) {
	t.Helper()
	view, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[int]bool{}
	for r, err := range view.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		var result struct {
			Answer *models.Answer `json:"answer"`
		}
		if r.Type == journal.TypeResult && json.Unmarshal(r.Body, &result) == nil && result.Answer != nil {
			recorded[result.Answer.Usage.Input] = true
		}
	}
	for asked, numbers := range k.served {
		for _, n := range numbers[:len(numbers)-1] {
			if recorded[n] {
				t.Errorf("asked %d times, though call %d is recorded: %.200s", len(numbers), n, asked)
			}
		}
		if last := numbers[len(numbers)-1]; !recorded[last] {
			t.Errorf("call %d, the last of its kind, is not recorded: %.200s", last, asked)
		}
	}
	t.Logf("%d calls of %d requests, %d recorded", k.calls, len(k.served), len(recorded))
}
