package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// asksFirst is a model whose planner proposes and whose critic asks somebody outside,
// until there is an answer.
func asksFirst(n int, r *models.Request) modelstest.Reply {
	heard := ""
	for _, m := range r.Messages {
		heard += m.Text
	}
	if strings.HasPrefix(r.System, "You are critic,") && !strings.Contains(heard, `"person"`) && !strings.Contains(heard, `"ceo"`) {
		return modelstest.Reply{Text: `{"say":[{"type":"escalation","reason":"Is it worth it?","context":"it costs"}]}`}
	}
	return decides(n, r)
}

// questionIn returns the flag that names the question that waits in a run.
func questionIn(t *testing.T, path string) string {
	t.Helper()
	status, out, errs := swarmbusRun(t, "answer", path)
	_, id, ok := strings.Cut(out, "--question ")
	id, _, _ = strings.Cut(id, " ")
	if status != cli.ExitDecided || !ok || !strings.HasPrefix(id, "sig_") {
		t.Fatalf("no question is listed: status %d: %s%s", status, out, errs)
	}
	return "--question=" + id
}

// asked is a run that ended because it asks.
func asked(t *testing.T) (path string, server *modelstest.Server) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server = modelstest.NewServer(modelstest.OpenAI, asksFirst)
	t.Cleanup(server.Close)
	path = filepath.Join(t.TempDir(), "run.journal")
	status, out, stderr := swarmbusRun(t, "solve", "Which policy?", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path)
	if status != cli.ExitEscalated || !strings.Contains(out, "Is it worth it?") || !strings.Contains(stderr, "swarmbus answer "+path+" --question sig_") {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	return path, server
}

func TestAnswerLetsARunGoOnOnce(t *testing.T) {
	for name, answer := range map[string][]string{
		"words": {"It is."},
		"vote":  {"It is.", "--vote", "planner-1"},
		"no":    {"--against", "planner-1"},
	} {
		path, server := asked(t)
		before := len(server.Requests())
		if status, out, _ := swarmbusRun(t, "solve", "--resume", path); status != cli.ExitEscalated || len(server.Requests()) != before {
			t.Errorf("%s: before the answer: %d: %s", name, status, out)
		}
		status, out, stderr := swarmbusRun(t, append([]string{"answer", path, questionIn(t, path), "--by", "ceo"}, answer...)...)
		if status != cli.ExitDecided || !strings.Contains(out, "use jitter") || !strings.Contains(stderr, "The question was: critic asks: Is it worth it?\n") {
			t.Errorf("%s: status %d: %s%s", name, status, out, stderr)
		}
		if votes := strings.Contains(out, "ceo"); !votes || len(server.Requests()) == before {
			t.Errorf("%s: nobody heard it: %s", name, out)
		}
		status, _, stderr = swarmbusRun(t, "answer", path, "It is not.")
		if status != cli.ExitError || !strings.Contains(stderr, `"ceo" answered`) {
			t.Errorf("%s: the second answer: %d: %s", name, status, stderr)
		}
		for _, check := range [][]string{{"verify", path}, {"replay", "--check", path}} {
			if status, out, errs := swarmbusRun(t, check...); status != cli.ExitDecided {
				t.Errorf("%s: %s: %d: %s%s", name, check[0], status, out, errs)
			}
		}
	}
}

func TestARunThatWaitsIsCancelled(t *testing.T) {
	path, _ := asked(t)
	if status, _, errs := swarmbusRun(t, "answer", path, "--cancel", "a text"); status != cli.ExitUsage || !strings.Contains(errs, "--cancel answers nothing") {
		t.Errorf("with a text: status %d: %s", status, errs)
	}
	status, out, errs := swarmbusRun(t, "answer", path, "--cancel", "--by", "ada")
	if status != cli.ExitCancelled || !strings.Contains(out, "ada cancelled the solve while it waited") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if status, out, errs := swarmbusRun(t, "answer", path); status != cli.ExitUsage || !strings.Contains(errs, "no question waits") {
		t.Errorf("it still asks: status %d: %s%s", status, out, errs)
	}
	if status, out, errs := swarmbusRun(t, "replay", "--check", path); status != cli.ExitDecided {
		t.Errorf("replayed: status %d: %s%s", status, out, errs)
	}
}

func TestAnswerThatCannotBeOneIsRefused(t *testing.T) {
	path, server := asked(t)
	before, to := len(server.Requests()), questionIn(t, path)
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{cli.ExitUsage, "an answer is required", []string{path, ""}},
		{cli.ExitUsage, "--call or --question is required", []string{path, "yes"}},
		{cli.ExitUsage, "--call or --question is required", []string{path, "--vote", "planner-1"}},
		{cli.ExitUsage, "no question has the id", []string{path, "yes", "--question", "sig_0"}},
		{cli.ExitUsage, "it takes a text, --vote or --against", []string{path, to, "--allow"}},
		{cli.ExitUsage, "--question is empty", []string{path, "yes", "--question", ""}},
		{cli.ExitUsage, "one run is required", nil},
		{cli.ExitUsage, "exclude each other", []string{path, "--vote", "a", "--against", "b"}},
		{cli.ExitError, `no agent proposed "planner-9"`, []string{path, to, "--vote", "planner-9"}},
		{cli.ExitError, "an agent of the swarm, not an outsider", []string{path, to, "yes", "--by", "critic"}},
		{cli.ExitError, "no such file", []string{path + "x", "yes"}},
		{cli.ExitError, "a run of a server, as over NATS, needs --server LINK", []string{"far", "--allow"}},
		{cli.ExitError, "does not ask about the call of a tool", []string{path, "--allow", "--thread", "x"}},
	} {
		if status, _, stderr := swarmbusRun(t, append([]string{"answer"}, c.args...)...); status != c.status || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: status %d: %s", c.args, status, stderr)
		}
	}
	if n := len(server.Requests()); n != before {
		t.Errorf("%d calls were made", n-before)
	}
}

func TestResumeGoesOnWhereAKeyWasWrong(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "run.journal")
	t.Setenv("OPENAI_API_KEY", "sk-mistyped-9876543210")
	if status, out, _ := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path); status != cli.ExitError {
		t.Fatal(status, out)
	}
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	if status, out, stderr := swarmbusRun(t, "solve", "--resume", path); status != cli.ExitDecided || !strings.Contains(out, "use jitter") {
		t.Errorf("status %d: %s%s", status, out, stderr)
	}
	if status, out, stderr := swarmbusRun(t, "replay", "--check", path); status != cli.ExitDecided {
		t.Errorf("replay: %d: %s%s", status, out, stderr)
	}
}

// What was spent before counts, and another budget replaces the run's.
func TestResumeCountsEarlierSpending(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, func(n int, r *models.Request) modelstest.Reply {
		reply := takesRounds(3)(n, r)
		reply.Usage = models.Usage{Input: 3000, Output: 40}
		return reply
	})
	defer server.Close()
	path := filepath.Join(t.TempDir(), "run.journal")
	status, out, _ := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path, "--budget", "16000tokens")
	made := len(server.Requests())
	if status != cli.ExitBudget || made == 0 {
		t.Fatalf("status %d after %d calls: %s", status, made, out)
	}
	if status, out, _ := swarmbusRun(t, "solve", "--resume", path); status != cli.ExitBudget || len(server.Requests()) != made {
		t.Errorf("with the same budget: status %d, %d calls more: %s", status, len(server.Requests())-made, out)
	}
	if status, out, _ := swarmbusRun(t, "solve", "--resume", path, "--budget", "90000tokens"); status != cli.ExitDecided || !strings.Contains(out, "use jitter") {
		t.Errorf("with a greater one: status %d: %s", status, out)
	}
}

// Neither the answers' usage nor the failures are known to the server's client.
func TestResumeReportsUncountedVotesAndFailures(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	for name, fault := range map[string]modelstest.Fault{"without usage": modelstest.CountsNothing, "broken off": modelstest.CutOff} {
		server := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply {
			return modelstest.Reply{Text: `{"say":[{"type":"pass","reason":""}]}`, Fault: fault}
		})
		path := filepath.Join(t.TempDir(), "run.journal")
		if status, out, errs := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path, "--budget", "9000tokens"); status != cli.ExitBudget {
			t.Errorf("%s: status %d: %s%s", name, status, out, errs)
		}
		made := len(server.Requests())
		if status, out, errs := swarmbusRun(t, "solve", "--resume", path); status == cli.ExitError || made == 0 || len(server.Requests()) != made {
			t.Errorf("%s: resumed: status %d, %d calls, %d more: %s%s", name, status, made, len(server.Requests())-made, out, errs)
		}
		server.Close()
	}
}

func TestResumeRefusesWrongUsage(t *testing.T) {
	path, _ := asked(t)
	for _, args := range [][]string{
		{"--resume", path, "x"},
		{"--resume", path, "--model", "ollama:m"},
		{"--resume", path, "--journal", "y"},
		{"--resume", path, "--cassette", "y"},
		{"--resume", path, "--deadline", "0s"},
		{"--resume", path, "--json", "--log"},
		{"x", "--model", "openai:m", "--base-url", "http://me:secret@127.0.0.1"},
	} {
		if status, _, stderr := swarmbusRun(t, append([]string{"solve"}, args...)...); status != cli.ExitUsage {
			t.Errorf("%q: status %d: %s", args, status, stderr)
		}
	}
	if status, _, stderr := swarmbusRun(t, "solve", "--resume", path+"x"); status != cli.ExitError || !strings.Contains(stderr, "no such file") {
		t.Errorf("of nothing: %d: %s", status, stderr)
	}
}
