package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// teamFile writes a file that says what flags say in the tests of solves.
func teamFile(t *testing.T, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "team.yaml")
	text := `models:
  main: {provider: openai, name: ` + modelstest.Name + `, baseURL: "${TEAM_SERVER}", key: TEAM_KEY, price: {input: 2.5, output: 10}}
agents:
`
	for _, r := range teams.Of(3).Agents {
		text += fmt.Sprintf("  - {id: %s, role: %q}\n", r.ID, r.Role)
	}
	if err := os.WriteFile(file, []byte(text+strings.Join(more, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Each field of a team for which there is a flag means the same in a file: the runs, their
// terms and what was booked do not differ.
func TestATeamFileSaysWhatFlagsSay(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("TEAM_KEY", modelstest.Key)
	t.Setenv("TEAM_SERVER", server.URL)
	for name, c := range map[string]struct{ flags, file []string }{
		"deliberate": {
			[]string{"--mode", "deliberate", "--strategy", "bayesian", "--threshold", "0.6", "--quorum", "2", "--conflicts", "majority", "--advocate", "critic", "--rounds", "5"},
			[]string{"mode: deliberate", "strategy: bayesian", "threshold: 0.6", "quorum: 2", "conflicts: majority", "advocate: critic", "rounds: 5"},
		},
		"auto": {
			[]string{"--mode", "auto", "--facts-differ", "--checkable", "--calls", "7"},
			[]string{"mode: auto", "factsDiffer: true", "checkable: true", "calls: 7"},
		},
	} {
		dir := t.TempDir()
		byFlags, byFile := filepath.Join(dir, "flags"+runs.Suffix), filepath.Join(dir, "file"+runs.Suffix)
		file := teamFile(t, append(c.file, "context: for clients", "seed: 3", "budget: 2usd", "deadline: 1m", "journal: "+byFile)...)
		args := append([]string{
			"solve", "Which policy?", "--model", "openai:" + modelstest.Name, "--base-url", server.URL, "--price", "openai:" + modelstest.Name + "=2.5/10",
			"--context", "for clients", "--seed", "3", "--budget", "2usd", "--deadline", "1m", "--journal", byFlags,
		}, c.flags...)
		first, out, errs := swarmbusRun(t, args...)
		if second, again, _ := swarmbusRun(t, "solve", "Which policy?", "--team", file); second != first || first == cli.ExitError || first == cli.ExitUsage {
			t.Fatalf("%s: status %d with flags, %d with a file: %s%s%s", name, first, second, out, errs, again)
		}
		if diff := cmp.Diff(saidIn(t, byFlags), saidIn(t, byFile)); diff != "" {
			t.Errorf("%s: the log differs (-flags +file): %s", name, diff)
		}
		if flags, file := accountOf(t, byFlags), accountOf(t, byFile); flags != file {
			t.Errorf("%s: the account differ: %+v, %+v", name, flags, file)
		}
		if diff := cmp.Diff(teamIn(t, byFlags), teamIn(t, byFile)); diff != "" {
			t.Errorf("%s: the teams differ (-flags +file): %s", name, diff)
		}
		text, err := os.ReadFile(byFile)
		if err != nil || strings.Contains(string(text), modelstest.Key) {
			t.Errorf("%s: %v: the key is in the run", name, err)
		}
		if status, out, errs := swarmbusRun(t, "solve", "--resume", byFile); status != first {
			t.Errorf("%s: resumed: %d %s%s", name, status, out, errs)
		}
	}
}

// teamIn returns what a run says about how its team works, with all defaults.
func teamIn(t *testing.T, path string) *teams.Team {
	t.Helper()
	run, err := openRun(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Close() }()
	var terms solveTerms
	results, err := journal.ReadResults(run)
	if err == nil {
		err = readTerms(results, &terms)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := terms.Team.Whole()
	whole.Models, whole.Journal = nil, ""
	for i := range whole.Agents {
		whole.Agents[i].Model = ""
	}
	return whole
}

func TestFlagsWinOverTheFile(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("TEAM_SERVER", "http://127.0.0.1:1")
	file := teamFile(t, "rounds: 5", "budget: 10tokens", "journal: "+filepath.Join(t.TempDir(), "file"+runs.Suffix))
	path := filepath.Join(t.TempDir(), "flag"+runs.Suffix)
	status, out, errs := swarmbusRun(t, "solve", "x", "--team", file, "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--budget", "90000tokens", "--journal", path)
	if status != cli.ExitDecided || !strings.Contains(errs, "journal: "+path) {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

// TestARecordedTeamIsReplayedWithoutItsFile removes the file before the replay.
func TestARecordedTeamIsReplayedWithoutItsFile(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	t.Setenv("TEAM_KEY", modelstest.Key)
	t.Setenv("TEAM_SERVER", server.URL)
	file, tape := teamFile(t, "strategy: bayesian"), filepath.Join(t.TempDir(), "tape")
	status, recorded, errs := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--team", file, "--record", tape, "--log")
	if status != cli.ExitDecided {
		t.Fatal(status, recorded, errs)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if status, again, errs := swarmbusRun(t, "solve", "--cassette", tape, "--log"); status != cli.ExitDecided || again != recorded {
		t.Errorf("the replay differs: %d %s%s", status, again, errs)
	}
}

func TestTeamRefusesWrongUsage(t *testing.T) {
	t.Setenv("TEAM_SERVER", "")
	t.Setenv("TEAM_KEY", modelstest.Key)
	file := teamFile(t)
	for want, args := range map[string][]string{
		"--agents cannot be combined with --team":          {"solve", "x", "--team", file, "--agents", "3"},
		"--team is empty":                                  {"solve", "x", "--team", ""},
		"--addr is empty":                                  {"serve", "--demo", "--addr", ""},
		"--mode is empty":                                  {"solve", "x", "--team", "decision", "--mode", ""},
		"--conflicts is empty":                             {"solve", "x", "--team", "decision", "--conflicts", ""},
		"--calls 0 is not positive":                        {"solve", "x", "--team", "decision", "--calls", "0"},
		"--advocate critic has no effect in mode vote":     {"solve", "x", "--model", "ollama:a", "--mode", "vote", "--advocate", "critic"},
		"--rounds 1 has no effect in mode check":           {"solve", "x", "--model", "ollama:a", "--mode", "check", "--rounds", "1"},
		"--strategy bayesian has no effect in mode single": {"solve", "x", "--model", "ollama:a", "--mode", "single", "--strategy", "bayesian"},
		"--speakers 1 has no effect in mode facts-first":   {"solve", "x", "--model", "ollama:a", "--mode", "facts-first", "--speakers", "1"},
		"--conflicts debate has no effect in mode vote":    {"solve", "x", "--model", "ollama:a", "--mode", "vote", "--conflicts", "debate"},
		"--team cannot be combined with --resume":          {"solve", "--resume", "r", "--team", file},
		"--model names 4 models for 3 agents":              {"solve", "x", "--team", file, "--model", "ollama:a", "--model", "ollama:b", "--model", "ollama:c", "--model", "ollama:d"},
		"one team is required, not 0":                      {"team", "check"},
		`unknown command "chek"; did you mean "check"?`:    {"team", "chek"},
		`--from "reviw" is none of debug, decision`:        {"team", "init", "x", "--from", "reviw"},
		"--allow and --deny exclude each other":            {"answer", "r", "--allow", "--deny", "no"},
		"they take neither a text nor a vote":              {"answer", "r", "yes", "--allow"},
		`--allow "ever" is neither once nor solve`:         {"answer", "r", "--allow=ever"},
		"--deny is empty":                                  {"answer", "r", "--deny", ""},
		"a task is required":                               {"solve", "--team", file},
		"--price \"openai:other=1/2\" is for a model that": {"solve", "x", "--team", file, "--price", "openai:other=1/2"},
	} {
		if status, _, stderr := swarmbusRun(t, args...); status != cli.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d: %s", args, status, stderr)
		}
	}
	if status, _, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--team", file); status != cli.ExitError || !strings.Contains(stderr, "the environment variable TEAM_SERVER is not set") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// A misspelt name is the user's mistake, and needs no server to be found.
func TestAgentThatTheTeamLacksIsRefusedBeforeAServerAnswers(t *testing.T) {
	ctx := timetest.Context(t)
	var out, errs strings.Builder
	status := run(ctx, []string{"agent", "--nats", "nats://127.0.0.1:1", "--model", "openai:" + modelstest.Name, "--as", "plannr"}, &out, &errs)
	want := "swarmbus: --as \"plannr\" is none of the team's agents planner, critic, verifier; did you mean \"planner\"?\n"
	if status != cli.ExitUsage || errs.String() != want || ctx.Err() != nil {
		t.Errorf("status %d: got %q, want %q", status, errs.String(), want)
	}
}

func TestTeamRoutesSaysWhatASignalMeetsInEachState(t *testing.T) {
	t.Setenv("TEAM_SERVER", "http://127.0.0.1:1")
	file := teamFile(t, "  - id: teller", "    strategy: {states: [idle, busy], routes: [{name: quiet, kind: user:message, in: [busy], action: reject}]}",
		"    routes: [{name: stop, kind: user:message, when: {text: stop}, action: force-stop}]")
	for _, c := range []struct{ signal, want string }{
		{"", `teller:
  user:message in state "idle": unrouted, no route matches
    lost  strategy  quiet  0  reject      is not for state "idle"
    lost  agent     stop   0  force-stop  its predicate is false
  user:message in state "busy": reject, by strategy route "quiet"
    won   strategy  quiet  0  reject      the first match
    lost  agent     stop   0  force-stop  its predicate is false
`},
		{`{"type":"user:message","source":"ann","payload":{"text":"stop"}}`, `  user:message in state "idle": force-stop, by agent route "stop"`},
		{`{"type":"acme.example/tick","source":"ann","payload":{"n":1}}`, `  acme.example/tick in state "busy": unrouted, no route matches`},
		{`{"type":"vote","source":"ann","payload":{"stance":3}}`, "stance"},
		{`[]`, "not a JSON object with type, source and payload"},
	} {
		args := []string{"team", "routes", file}
		if c.signal != "" {
			args = append(args, filepath.Join(t.TempDir(), "signal.json"))
			if err := os.WriteFile(args[3], []byte(c.signal), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr strings.Builder
		run(t.Context(), args, &stdout, &stderr)
		if said := stdout.String() + stderr.String(); !strings.Contains(said, c.want) {
			t.Errorf("%s: %s", c.signal, said)
		}
	}
}

func TestTeamCheckSaysWhatReachesNobody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "team.yaml")
	team := "models: {m: {provider: ollama, name: n}}\nagents:\n  - {id: ann, canEmit: [vote, confidence]}\n"
	for more, want := range map[string]string{
		"": "what ann may say to the coordinator reaches nobody: name one with coordinator", "coordinator: ann\n": "",
		"coordinator: ann\nmemory: {store: m.db}\n":                              confirmsNothing, // of one model
		"  - {id: ben, group: other}\nmemory: {store: m.db}\ncoordinator: ann\n": "",
	} {
		if err := os.WriteFile(file, []byte(team+more), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, errs := swarmbusRun(t, "team", "check", file); status != cli.ExitDecided || !strings.Contains(errs, want) || want == "" && errs != "" {
			t.Errorf("%q: status %d: %s", more, status, errs)
		}
	}
}
