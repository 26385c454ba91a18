package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// decides is a model of which the planner proposes and all vote.
func decides(_ int, r *models.Request) modelstest.Reply {
	text := `{"say":[{"type":"pass","reason":""}]}`
	switch state := r.Messages[len(r.Messages)-1].Text; {
	case strings.Contains(state, "no proposals yet") && strings.HasPrefix(r.System, "You are planner,"):
		text = `{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads load","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`
	case strings.Contains(state, `"P1"`) && !strings.Contains(state, `"yours"`):
		text = `{"say":[{"type":"vote","proposal":"P1","reasons":"fine","stance":"agree","confidence":0.9}]}`
	}
	return modelstest.Reply{Text: text, Usage: models.Usage{Input: 500, Output: 40}}
}

// swarmbusRun runs the program in place.
func swarmbusRun(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestSolveRecordsAndReplaysOverEachProvider(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("ANTHROPIC_API_KEY", modelstest.Key)
	for provider, dialect := range map[string]modelstest.Dialect{"openai": modelstest.OpenAI, "anthropic": modelstest.Anthropic} {
		server := modelstest.NewServer(dialect, decides)
		dir, model := t.TempDir(), provider+":"+modelstest.Name
		tape, lines := filepath.Join(dir, "tape"), filepath.Join(dir, "lines")
		status, recorded, stderr := swarmbusRun(t, "solve", "Which policy?", "--mode", "deliberate", "--context", "for clients", "--agents", "7", "--model", model, "--base-url", server.URL,
			"--record", tape, "--journal", filepath.Join(dir, "run.journal"), "--budget", "2usd", "--price", model+"=2.5/10", "--log")
		server.Close()
		if status != cli.ExitDecided || !strings.Contains(recorded, "use jitter") {
			t.Fatalf("%s: status %d: %s%s", provider, status, recorded, stderr)
		}
		_, exported, _ := swarmbusRun(t, "export", tape)
		if err := os.WriteFile(lines, []byte(exported), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{tape, lines} {
			if status, again, stderr := swarmbusRun(t, "solve", "--cassette", from, "--log"); status != cli.ExitDecided || again != recorded {
				t.Errorf("%s: the replay of %s differs: %d, %s%s", provider, filepath.Base(from), status, again, stderr)
			}
		}
		if status, out, _ := swarmbusRun(t, "verify", filepath.Join(dir, "run.journal")); status != cli.ExitDecided {
			t.Errorf("%s: verify: %d, %s", provider, status, out)
		}
		bytesOf, err := os.ReadFile(tape)
		if err != nil || bytes.Contains(bytesOf, []byte(modelstest.Key)) || strings.Contains(recorded+stderr+exported, modelstest.Key) {
			t.Errorf("%s: %v: the key is recorded or printed", provider, err)
		}
		if status, _, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", model, "--base-url", server.URL, "--record", tape); status != cli.ExitError || !strings.Contains(stderr, "is not empty") {
			t.Errorf("%s: recording over a tape: %d, %s", provider, status, stderr)
		}
	}
}

// The others would decide without the turn of which a call is missing.
func TestACassetteThatMissesACallEndsWithAnErrorThatNamesIt(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	tape := filepath.Join(t.TempDir(), "tape")
	if status, _, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--agents", "5", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--record", tape); status != cli.ExitDecided {
		t.Fatal(status, stderr)
	}
	_, exported, _ := swarmbusRun(t, "export", tape)
	all := strings.SplitAfter(strings.TrimSuffix(exported, "\n"), "\n")
	for name, lines := range map[string]string{
		"without its last call": strings.Join(all[:len(all)-1], ""),
		"of another prompt":     strings.Replace(exported, `"task":"x"`, `"task":"y"`, 1),
	} {
		path := filepath.Join(t.TempDir(), "lines")
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, stderr := swarmbusRun(t, "solve", "--cassette", path)
		if status != cli.ExitError || !strings.Contains(stderr, "is not recorded") || !strings.Contains(stderr, "of turn ") {
			t.Errorf("%s: status %d, stderr %q: %s", name, status, stderr, out)
		}
	}
}

func TestSolveWithAWrongKeyFailsWithoutPrintingIt(t *testing.T) {
	const secret = "sk-mistyped-9876543210"
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	for _, around := range []string{"", " ", "\n"} {
		t.Setenv("OPENAI_API_KEY", secret+around)
		status, out, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--json")
		if status != cli.ExitError || strings.Contains(out+stderr, secret) || !strings.Contains(stderr, "the key is missing, wrong or not enough") {
			t.Errorf("with %q behind it: status %d: %s%s", around, status, out, stderr)
		}
	}
}

func TestSolveReportsSoonThatNoServerListens(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	server.Close()
	status, _, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--agents", "7", "--model", "openai:"+modelstest.Name, "--base-url", server.URL)
	if status != cli.ExitError || strings.Count(stderr, "again in") != 7*2 || !strings.Contains(stderr, "connection refused") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestSolveWithTooLittleBudgetSaysSo(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	status, out, _ := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--budget", "1000tokens")
	if status != cli.ExitBudget || !strings.Contains(out, "Stop      budget") || len(server.Requests()) != 0 {
		t.Errorf("status %d, %d calls: %s", status, len(server.Requests()), out)
	}
}

func TestSolvePrintsSpendingAndThatTheBudgetRanOut(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	for name, c := range map[string]struct {
		reply  modelstest.Reply
		budget string
		status int
		want   string
	}{
		"cut off": {modelstest.Reply{Text: "x", Fault: modelstest.CutOff}, "9000tokens", cli.ExitBudget, "the likely cost of calls that failed"},
		"passes":  {modelstest.Reply{Text: `{"say":[{"type":"pass","reason":""}]}`, Usage: models.Usage{Input: 4000, Output: 500}}, "9000tokens", cli.ExitBudget, "2 calls refused"},
		"enough":  {modelstest.Reply{Text: `{"say":[{"type":"pass","reason":""}]}`, Usage: models.Usage{Input: 40, Output: 5}}, "900000tokens", cli.ExitNoConsensus, "budget: 135 tokens and 0usd spent\n"},
	} {
		server := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply { return c.reply })
		status, out, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--budget", c.budget)
		server.Close()
		if status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s%s", name, status, out, stderr)
		}
	}
}

func TestSolveRefusesWrongUsage(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	for _, args := range [][]string{
		{},
		{"x"},
		{"", "--model", "ollama:m"},
		{"x", "y"},
		{"x", "--model", "m"},
		{"x", "--model", "acme:m"},
		{"x", "--model", "openai:"},
		{"x", "--model", "ollama:m", "--agents", "0"},
		{"x", "--model", "ollama:m", "--agents", "65"},
		{"x", "--model", "ollama:m", "--rounds", "0"},
		{"x", "--model", "ollama:m", "--budget", "5"},
		{"x", "--model", "ollama:m", "--budget", "0usd"},
		{"x", "--model", "ollama:m", "--budget", "-1tokens"},
		{"x", "--model", "ollama:m", "--price", "openai:m"},
		{"x", "--model", "ollama:m", "--price", "openai:m=1"},
		{"x", "--model", "ollama:m", "--price", "openai:m=-1/2"},
		{"x", "--model", "openai:m", "--budget", "1usd"},
		{"x", "--cassette", "f"},
		{"--cassette", "f", "--model", "ollama:m"},
		{"x", "--model", "ollama:m", "--json", "--log"},
		{"x", "--model", "ollama:m", "--budget", ""},
		{"x", "--model", "ollama:m", "--base-url", ""},
		{"x", "--model", "ollama:m", "--record", ""},
		{"x", "--model", "ollama:m", "--cassette", ""},
		{"x", "--model", "ollama:m", "--journal="},
		{"x", "--model", "ollama:m", "--resume="},
	} {
		if status, _, stderr := swarmbusRun(t, append([]string{"solve"}, args...)...); status != cli.ExitUsage {
			t.Errorf("%q: status %d: %s", args, status, stderr)
		}
	}
	for want, args := range map[string][]string{
		"--model names 4 models for 3 agents: give --agents 4":                  {"x", "--model", "ollama:a", "--model", "ollama:b", "--model", "ollama:c", "--model", "ollama:d"},
		"--model names 2 models for 1 agent: give --agents 2":                   {"x", "--model", "ollama:a", "--model", "ollama:b", "--agents", "1"},
		`--price "openai:b=1/2" is for a model that has a price or is not used`: {"x", "--model", "openai:a", "--price", "openai:b=1/2"},
		`--price "openai:a=2/2" is for a model that has a price or is not used`: {"x", "--model", "openai:a", "--price", "openai:a=1/2", "--price", "openai:a=2/2"},
		"--rounds -1 is not positive":                                           {"x", "--model", "ollama:a", "--rounds", "-1"},
		"--deadline -1s is not positive":                                        {"x", "--model", "ollama:a", "--deadline", "-1s"},
	} {
		if status, _, stderr := swarmbusRun(t, append([]string{"solve"}, args...)...); status != cli.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d: %s", args, status, stderr)
		}
	}
	if status, _, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:m"); status != cli.ExitError || !strings.Contains(stderr, "OPENAI_API_KEY") {
		t.Errorf("without a key: %d, %s", status, stderr)
	}
}

func TestNoLineIsCutThatIsNotForATerminal(t *testing.T) {
	long := strings.Repeat("it spreads load ", 20) + "at last"
	server := modelstest.NewServer(modelstest.OpenAI, func(n int, r *models.Request) modelstest.Reply {
		reply := decides(n, r)
		reply.Text = strings.ReplaceAll(reply.Text, "it spreads load", long)
		return reply
	})
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	path := filepath.Join(t.TempDir(), "run.journal")
	for _, args := range [][]string{
		{"solve", "Which policy?", "--mode", "deliberate", "--model", "openai:" + modelstest.Name, "--base-url", server.URL, "--journal", path}, {"show", path}, {"show", path, "--full"}, {"log", path},
	} {
		if status, out, stderr := swarmbusRun(t, args...); status != cli.ExitDecided || !strings.Contains(out, long+"\n") {
			t.Errorf("%q: status %d: %s%s", args, status, out, stderr)
		}
	}
	for _, command := range []string{"show", "log"} {
		if status, out, _ := swarmbusRun(t, command, path, "--width", "60"); status != cli.ExitDecided || strings.Contains(out, "at last") {
			t.Errorf("%s: a line is not cut: %s", command, out)
		}
		if status, _, stderr := swarmbusRun(t, command, path, "--width", "0"); status != cli.ExitUsage || !strings.Contains(stderr, "--width 0 is not positive") {
			t.Errorf("%s: status %d: %s", command, status, stderr)
		}
	}
}

func TestInvalidCassetteIsRefused(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{"", "{}", "no journal", `{"seq":1,"type":2,"call":{"thread":"","agent":"swarmbus","turn":0,"call":0,"request":"terms"},"result":{}}` + "\n"} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := swarmbusRun(t, "solve", "--cassette", path); status != cli.ExitError {
			t.Errorf("%q: status %d: %s", text, status, stderr)
		}
	}
}

// rivalled answers with two proposals, one of each of two agents, and neither votes for the
// other's.
func rivalled(_ int, r *models.Request) modelstest.Reply {
	text := `{"say":[{"type":"pass","reason":""}]}`
	for who, answer := range map[string]string{"planner": "use jitter", "critic": "use a queue"} {
		if strings.HasPrefix(r.System, "You are "+who+",") && strings.Contains(r.Messages[len(r.Messages)-1].Text, "no proposals yet") {
			text = `{"say":[{"type":"proposal","content":"` + answer + `","reasons":"it is simple","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`
		}
	}
	return modelstest.Reply{Text: text, Usage: models.Usage{Input: 900, Output: 100}}
}

// A debate reserves what its round is likely to cost: without a budget it is held, and with
// one that its turns do not fit into nobody is asked to argue, and the result says who could
// not pay.
func TestADebateThatTheBudgetDoesNotHaveIsNotHeld(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	for budget, argues := range map[string]bool{"900000tokens": true, "14000tokens": false} {
		var argued atomic.Bool
		server := modelstest.NewServer(modelstest.OpenAI, func(n int, r *models.Request) modelstest.Reply {
			if strings.Contains(r.Messages[len(r.Messages)-1].Text, "debate") {
				argued.Store(true)
			}
			return rivalled(n, r)
		})
		status, out, errs := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--agents", "2", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--budget", budget)
		server.Close()
		if said := strings.Contains(out, "planner cannot pay for a debate about planner-1 and critic-1"); status != cli.ExitNoConsensus || argued.Load() != argues || said == argues {
			t.Errorf("%s: status %d, argued: %v: %s%s", budget, status, argued.Load(), out, errs)
		}
	}
}

func TestWithoutAModelTheKeysThatAreSetDecide(t *testing.T) {
	clearKeys(t)
	answers := modelstest.Handler(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply {
		return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"Friday","reasons":"r","confidence":0.8},{"type":"vote","proposal":"new","stance":"agree","reasons":"r","confidence":0.8}]}`, Usage: models.Usage{Input: 100, Output: 20}}
	})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = fmt.Fprintf(w, `{"data":[{"id":%q}]}`, modelstest.Name)
			return
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/v1")
		r.Header.Set("Authorization", "Bearer "+modelstest.Key) // that Ollama does not ask for
		answers.ServeHTTP(w, r)
	}))
	defer front.Close()
	t.Setenv("OLLAMA_HOST", front.URL)
	status, stdout, stderr := swarmbusRun(t, "solve", "Which day?")
	if status != cli.ExitDecided || !strings.Contains(stdout, "Friday") || !strings.Contains(stderr, "the agents ask ollama:"+modelstest.Name+", at no cost") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
}
