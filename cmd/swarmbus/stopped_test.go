package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var stops = flag.Int("stops", 10, "how often solves are stopped at a call; 0: at each call, by each signal")

// proposing is a model whose agents propose what is theirs, by the beginning of their names, once, agree with the first
// proposal and disagree with the second one.
func proposing(theirs map[string]string) func(int, *models.Request) modelstest.Reply {
	return func(_ int, r *models.Request) modelstest.Reply {
		state, who := r.Messages[len(r.Messages)-1].Text, strings.TrimPrefix(r.System, "You are ")
		var said []string
		for name, own := range theirs {
			if strings.HasPrefix(who, name) && !strings.Contains(state, own) {
				said = append(said, `{"type":"proposal","content":"`+own+`","reasons":"it is simple","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}`)
			}
		}
		for _, vote := range [][2]string{{"P1", "agree"}, {"P2", "disagree"}} {
			if strings.Contains(state, `"`+vote[0]+`"`) {
				said = append(said, `{"type":"vote","proposal":"`+vote[0]+`","reasons":"seen","stance":"`+vote[1]+`","confidence":0.9}`)
			}
		}
		if said == nil {
			said = []string{`{"type":"pass","reason":"nothing new"}`}
		}
		return modelstest.Reply{Text: `{"say":[` + strings.Join(said, ",") + `]}`, Usage: models.Usage{Input: 500, Output: 40}}
	}
}

// twenty are the solves that are stopped: with agents that agree, and with two that contend.
func twenty() (all []*stopping) {
	for _, mode := range []string{"deliberate", "vote", "single", "facts-first", "check"} {
		for _, agents := range []string{"3", "5"} {
			args := []string{"--mode", mode, "--agents", agents}
			all = append(all,
				&stopping{name: mode + ", agreed, " + agents, reply: proposing(map[string]string{"": "use jitter"}), args: args},
				&stopping{name: mode + ", contested, " + agents, reply: proposing(map[string]string{"planner,": "use jitter", "critic,": "use a fixed pause"}), args: args})
		}
	}
	return all
}

// A stopping is a solve whose process gets a signal at a call of its model.
type stopping struct {
	name  string
	reply func(int, *models.Request) modelstest.Reply
	args  []string

	mu     sync.Mutex // protects the fields below
	at     int        // the call; 0: none
	signal syscall.Signal
	victim *os.Process
	calls  int

	whole string // how it ends if it is not stopped; "": not known yet
	most  int    // calls of that
}

func (s *stopping) answer(n int, r *models.Request) modelstest.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.calls == s.at {
		_ = s.victim.Signal(s.signal)
	}
	return s.reply(n, r)
}

// run runs the program in a process of its own, and returns what it printed.
func (s *stopping) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"swarmbus"}, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	s.mu.Lock()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.victim = cmd.Process
	s.mu.Unlock()
	_ = cmd.Wait()
	return out.String()
}

// stopped has the solve get a signal at a call, goes on with it, and returns how it ended and whether it got the signal.
func (s *stopping) stopped(t *testing.T, at int, signal syscall.Signal) (end string, fell bool) {
	t.Helper()
	server := modelstest.NewServer(modelstest.OpenAI, s.answer)
	defer server.Close()
	s.mu.Lock()
	s.at, s.signal, s.calls = at, signal, 0
	s.mu.Unlock()
	path := filepath.Join(t.TempDir(), "stopped"+runs.Suffix)
	out := s.run(t, append([]string{"solve", "Which policy?", "--model", "openai:" + modelstest.Name, "--base-url", server.URL, "--journal", path}, s.args...)...)
	s.mu.Lock()
	fell, s.at = at > 0 && s.calls >= at, 0
	s.mu.Unlock()
	if fell {
		out += s.run(t, "solve", "--resume", path)
	}
	view, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := solves.List(view)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s, %v at call %d: %d solves, %v: %s", s.name, signal, at, len(all), err, out)
	}
	if status, said, errs := swarmbusRun(t, "replay", "--check", path); status != cli.ExitDecided {
		t.Errorf("%s, %v at call %d: %d: %s%s", s.name, signal, at, status, said, errs)
	}
	return fmt.Sprintf("%v %q", all[0].Stop, all[0].Answer), fell
}

// Twenty different solves of the real program are stopped at a call of their model by kill -9, by SIGTERM and by an
// interrupt: each goes on to the end that it has without that.
func TestSolvesStoppedAtACallGoOn(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	kinds := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}
	seed := uint64(os.Getpid())
	t.Log("seed", seed)
	random, all, fallen := rand.New(rand.NewPCG(seed, 50)), twenty(), 0
	check := func(s *stopping, at int, signal syscall.Signal) (fell bool) {
		if s.whole == "" {
			s.whole, _ = s.stopped(t, 0, 0)
			s.most = s.calls
			t.Logf("%s: %s after %d calls", s.name, s.whole, s.most)
		}
		if at == 0 {
			at = 1 + random.IntN(s.most)
		}
		end, fell := s.stopped(t, at, signal)
		if end != s.whole {
			t.Errorf("%s, %v at call %d of %d: %s, without that %s", s.name, signal, at, s.most, end, s.whole)
		}
		if fell {
			fallen++
		}
		return fell
	}
	for n := range *stops {
		check(all[random.IntN(len(all))], 0, kinds[n%len(kinds)])
	}
	for _, s := range all {
		for at := 1; *stops == 0; at++ {
			fell := false
			for _, signal := range kinds {
				fell = check(s, at, signal) || fell
			}
			if !fell {
				break
			}
		}
	}
	if t.Logf("stopped %d times", fallen); fallen == 0 {
		t.Error("no solve was stopped")
	}
}
