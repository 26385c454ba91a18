package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/tools/mcp"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var kills = flag.Int("kills", 10, "how often a solve is killed")

// mortal is a store whose process is killed before a record of a call is written. How many
// records the log of the swarm takes depends on timing.
type mortal struct {
	journal.Store
	left *atomic.Int64
}

// Append implements [journal.Store].
func (m mortal) Append(r ...journal.Record) (uint64, error) {
	if r[0].Type == journal.TypeResult && m.left.Add(-1) == 0 {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	return m.Store.Append(r...)
}

// goOn solves in a directory, or goes on with what is there, and answers what is asked: a
// call may be made once, but not again. args are the directory and after how many records
// the process is killed, 0 for never. It prints the answer, and how many records it wrote.
func goOn(args []string) {
	file, err := journal.Open(filepath.Join(args[0], "run"), nil)
	check(err)
	most, err := strconv.Atoi(args[1])
	check(err)
	left := &atomic.Int64{}
	left.Store(int64(most))
	store := mortal{file, left}
	llm := modelstest.NewServer(modelstest.OpenAI, script)
	model, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: llm.URL, Key: modelstest.Key})
	check(err)
	server, err := mcp.Open(context.Background(), mcp.Spec{Name: "incidents", Command: os.Args[0], Args: []string{"serve", filepath.Join(args[0], "calls")}}, nil)
	check(err)
	defer server.Close()
	for {
		result, err := once(team(store, model, server), store)
		check(err)
		if result.Stop != runlog.StopAsked {
			fmt.Println(result.Stop, result.Answer, -left.Load())
			return
		}
		for _, q := range result.Questions {
			answer := asking.Answer{ID: q.ID, Verdict: asking.Once}
			if strings.Contains(q.Reason, "may have been done") {
				answer = asking.Answer{ID: q.ID, Verdict: asking.Deny, Reason: "it was done"}
			}
			if q.Open {
				check(solves.Answer(context.Background(), store, q.Thread, answer))
			}
		}
	}
}

func once(s *swarm.Swarm, store journal.Store) (*solves.Result, error) {
	defer s.Close()
	past, err := solves.List(store)
	if err != nil {
		return nil, err
	}
	if len(past) == 0 {
		return s.Solve(context.Background(), signals.Task{Task: "Payments are slow. What now?"})
	}
	return s.Resume(context.Background(), past[0].Log, nil)
}

// TestNoCallIsRepeatedWhereverTheProcessIsKilled kills a solve with SIGKILL before each
// record of a call, and reads in the server's own log which calls were made.
func TestNoCallIsRepeatedWhereverTheProcessIsKilled(t *testing.T) {
	t.Parallel()
	run := func(dir string, left int) (string, error) {
		said, err := exec.CommandContext(t.Context(), os.Args[0], "solve", dir, strconv.Itoa(left)).CombinedOutput()
		return strings.TrimSpace(string(said)), err
	}
	whole, err := run(t.TempDir(), 0)
	var records int
	if _, scan := fmt.Sscanf(whole, "consensus open the circuit breaker %d", &records); err != nil || scan != nil || records < 10 {
		t.Fatalf("%q, %v, %v", whole, err, scan)
	}
	for left := 1; left <= records; left += max(1, records / *kills) {
		dir := t.TempDir()
		var died *exec.ExitError
		if said, err := run(dir, left); !errors.As(err, &died) || died.ExitCode() != -1 {
			t.Fatalf("killed before record %d: %q, %v", left, said, err)
		}
		said, err := run(dir, 0)
		if err != nil || !strings.HasPrefix(said, "consensus open the circuit breaker") {
			t.Errorf("killed before record %d: %q, %v", left, said, err)
		}
		made, err := os.ReadFile(filepath.Join(dir, "calls"))
		notes, searches := strings.Count(string(made), "note "), strings.Count(string(made), "search ")
		if err != nil || notes != 1 || searches < 1 || searches > 2 {
			t.Errorf("killed before record %d of %d: %d notes and %d searches, %v", left, records, notes, searches, err)
		}
	}
}
