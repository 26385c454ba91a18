package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
)

// A mistake is one that a new user makes. Its answer has to say what happened, and where, and
// what to do.
type mistake struct {
	what      string
	where, do string // what the answer has
	answer    func(t *testing.T) string
}

// TestMistakesAreAnsweredWithWhatHappenedWhereAndWhatToDo compares all answers with
// testdata/mistakes.txt, which reads as a list.
func TestMistakesAreAnsweredWithWhatHappenedWhereAndWhatToDo(t *testing.T) {
	clearKeys(t)
	golden, err := filepath.Abs("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, kind := range mistakes {
		fmt.Fprintf(&got, "# %s\n\n", kind.what)
		for _, m := range kind.all {
			t.Run(m.what, func(t *testing.T) {
				t.Chdir(t.TempDir())
				answer := stable(m.answer(t))
				for _, part := range []string{m.where, m.do} {
					if part == "" || !strings.Contains(answer, part) {
						t.Errorf("the answer has no %q: %s", part, answer)
					}
				}
				fmt.Fprintf(&got, "%s:\n\t%s\n\n", m.what, strings.ReplaceAll(strings.TrimSpace(answer), "\n", "\n\t"))
			})
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if d := diff.Diff(string(want), got.String()); err != nil || d != "" {
		t.Errorf("%v (-want +got; -update rewrites the list):\n%s", err, d)
	}
}

// clearKeys makes the environment that of a new user.
func clearKeys(t *testing.T) {
	t.Helper()
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "SWARMBUS_TOKEN"} {
		t.Setenv(name, "")
	}
	for _, p := range catalogue.All() {
		t.Setenv(p.Key, "")
	}
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
}

// What differs from run to run in an answer.
var unstable = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`/[^ ":]*/TestMistakes[^ "/:]*/[0-9]+(/[0-9]+)?`), "DIR"},
	{regexp.MustCompile(`(?s)Task  .*?(\nStop|\n.*?\nnot)`), "…$1"},
	{regexp.MustCompile(`(?m)^models: .*; again in .*\n`), ""},
	{regexp.MustCompile(` +[0-9]+ m?s  +`), " "},
	{regexp.MustCompile(`(?m)^ +→`), "→"},
	{regexp.MustCompile(`refused, .*s\n`), "refused, 1ms\n"},
	{regexp.MustCompile(`byte [0-9]+`), "byte N"},
	{regexp.MustCompile(`/[^ ":]*/nosuch`), "DIR/nosuch"},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]{4,}`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`process [0-9]+ \([^)]*\) on \S+, since \S+`), "process 544 (swarmbus) on host, since 2026-01-02T15:04:05Z"},
}

func stable(answer string) string {
	for _, u := range unstable {
		answer = u.is.ReplaceAllString(answer, u.as)
	}
	return answer
}

// command runs the program and returns what is typed, what it says to it, and its status. A
// word of args may be in single quotes.
func command(t *testing.T, args string) string {
	t.Helper()
	var words []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(args, -1) {
		words = append(words, cmp.Or(m[2], m[1]))
	}
	status, out, said := swarmbusRun(t, words...)
	if status != cli.ExitError && status != cli.ExitUsage || said == "" {
		said += out
	}
	return fmt.Sprintf("$ swarmbus %s\n%s(%d)", args, said, status)
}

// ran is the answer to a command.
func ran(args string) func(*testing.T) string {
	return func(t *testing.T) string { t.Helper(); return command(t, args) }
}

// file is the answer to a command about a file, t.yaml.
func file(text, args string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		write(t, "t.yaml", text)
		return command(t, args)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checked is the answer to a team in which a part of a right one is replaced by another.
func checked(old, by string) func(*testing.T) string { return checkedBy("team check t.yaml", old, by) }

func checkedBy(args, old, by string) func(*testing.T) string {
	const team = "name: two\nmodels:\n  main: {provider: ollama, name: qwen3, baseURL: http://127.0.0.1:1}\nagents:\n  - {id: a, role: You propose., model: main}\n  - {id: b, role: You doubt., model: main}\nmode: deliberate\n"
	return func(t *testing.T) string {
		t.Helper()
		text := strings.Replace(team, old, by, 1)
		if text == team {
			t.Fatalf("the team has no %q", old)
		}
		write(t, "t.yaml", text)
		return by + "\n" + command(t, args)
	}
}

// modelSays is the answer to a command at a model server that replies with a status and a body; BASE
// in args is its address.
func modelSays(status int, body, args string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})}
		ended := make(chan struct{})
		go func() { _ = server.Serve(l); close(ended) }()
		defer func() { _ = server.Close(); <-ended }()
		t.Setenv("OPENAI_API_KEY", modelstest.Key)
		return command(t, strings.ReplaceAll(args, "BASE", "http://"+l.Addr().String()))
	}
}

// kept is the answer to a command about j.journal, which has the solve of a task.
func kept(task, args string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		keepSolves(t, "j.journal", task)
		return command(t, args)
	}
}

// inGo is the answer to a line of Go.
func inGo(line string, do func(t *testing.T) error) func(*testing.T) string {
	return func(t *testing.T) (answer string) {
		t.Helper()
		defer func() {
			if v := recover(); v != nil {
				if _, isError := v.(error); isError {
					t.Errorf("%v\n%s", v, debug.Stack())
				}
				answer = fmt.Sprintf("%s\npanic: %v", line, v)
			}
		}()
		return fmt.Sprintf("%s\n%v", line, do(t))
	}
}

// newSwarm is the error of swarm.New with options that are changed.
func newSwarm(change func(*swarm.Options)) func(*testing.T) error {
	return func(*testing.T) error {
		o := swarm.Options{Seed: 1, Agents: []*agents.Agent{speaker("a"), speaker("b"), speaker("c")}}
		change(&o)
		s, err := swarm.New(o)
		if err == nil {
			s.Close()
		}
		return err
	}
}

// speaker is an agent that says the same in each turn.
func speaker(id string, all ...signals.Any) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Emit(all...) })}
}

// solved is how a solve ends whose first agent is changed.
func solved(all ...*agents.Agent) func(*testing.T) error {
	return func(t *testing.T) error {
		t.Helper()
		s, err := swarm.New(swarm.Options{Seed: 1, Agents: all, Limits: swarm.Limits{Rounds: 2}})
		if err != nil {
			return err
		}
		defer s.Close()
		r, err := s.Solve(t.Context(), signals.Task{Task: "t"})
		if err != nil {
			return err
		}
		return fmt.Errorf("%v: %s", r.Stop, r.Detail)
	}
}
