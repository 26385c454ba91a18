package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
)

var update = flag.Bool("update", false, "record examples/teams/triage.cassette and draw the picture of README.md anew")

const (
	triageTeam = "examples/teams/triage.yaml"
	triageTape = "examples/teams/triage.cassette"
)

// triages is the model of the triage team.
func triages(_ int, r *models.Request) modelstest.Reply {
	who, _, _ := strings.Cut(strings.TrimPrefix(r.System, "You are "), ",")
	last := r.Messages[len(r.Messages)-1]
	call := func(tool, args string) modelstest.Reply {
		return modelstest.Reply{Calls: []models.Call{{ID: "call_" + who, Name: "files__" + tool, Args: json.RawMessage(args)}}, Usage: models.Usage{Input: 600, Output: 20}}
	}
	say := func(parts ...string) modelstest.Reply {
		return modelstest.Reply{Text: `{"say":[` + strings.Join(parts, ",") + `]}`, Usage: models.Usage{Input: 700, Output: 40}}
	}
	finds := func(finding, evidence string) modelstest.Reply {
		return say(`{"type":"discovery","finding":"` + finding + `","evidence":"` + evidence + `","relevance":0.9,"confidence":0.9}`)
	}
	if len(last.Results) > 0 {
		switch result := last.Results[0].Text; {
		case who == "operator" && strings.Contains(result, "deploys.md"):
			return call("read", `{"name":"service.log"}`)
		case who == "operator":
			return finds("payments failed from 09:15 on, with too many connections", "service.log")
		case who == "historian":
			return finds("payments 7.0 raised its pool from 20 to 200 connections at 09:15", "deploys.md")
		case strings.Contains(result, "accepts 100"):
			return finds("the database of payments accepts 100 connections", "notes.md")
		}
		return say(
			`{"type":"proposal","content":"payments 7.0 opens 200 connections, and its database accepts 100","reasons":"it began with that deployment","confidence":0.9}`,
			`{"type":"vote","proposal":"new","reasons":"all three findings agree","stance":"agree","confidence":0.9}`)
	}
	switch state := last.Text; {
	case strings.Contains(state, `"P1"`) && !strings.Contains(state, `"yours"`):
		return say(`{"type":"vote","proposal":"P1","reasons":"it explains what I found","stance":"agree","confidence":0.9}`)
	case strings.Contains(state, "Round 1.") && who == "operator":
		return call("list", `{}`)
	case strings.Contains(state, "Round 1.") && who == "historian":
		return call("read", `{"name":"deploys.md"}`)
	case strings.Contains(state, "Round 1."):
		return call("read", `{"name":"notes.md"}`)
	case who == "scribe" && strings.Contains(state, "no proposals yet"):
		return call("write", `{"name":"cause.md","text":"payments 7.0 opens 200 connections, and its database accepts 100.\n"}`)
	}
	return say(`{"type":"pass","reason":"I have said what I found"}`)
}

// A place has the files of the triage team, in the root of the module.
type place struct{ dir, run string }

// atTriage returns a place with the given files of the team, which a server of its own serves.
func atTriage(t *testing.T) place {
	t.Helper()
	t.Chdir("../..")
	dir := filepath.Join(t.TempDir(), "triage")
	if err := os.CopyFS(dir, os.DirFS("examples/teams/triage")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TRIAGE_DIR", dir)
	return place{dir, filepath.Join(t.TempDir(), "triage"+runs.Suffix)}
}

// calls are those that the server logged.
func (p place) calls(t *testing.T) string {
	t.Helper()
	log, err := os.ReadFile(p.dir + ".log")
	if err != nil {
		t.Fatal(err)
	}
	return string(log)
}

// changed returns a copy of the team with some words replaced.
func changed(t *testing.T, changes ...string) string {
	t.Helper()
	text, err := os.ReadFile(triageTeam)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(changes...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// served returns a copy of the team whose server is built before, not by go run.
func served(t *testing.T) string {
	t.Helper()
	return changed(t, "[go, run, ./examples/teams/files]", "["+builtServer(t)+"]")
}

// builtServer returns the server of the triage team as a program: go run may have to build
// it for longer than a server may take to answer.
func builtServer(t *testing.T) string {
	t.Helper()
	server := filepath.Join(t.TempDir(), "files")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", server, "./examples/teams/files").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	return server
}

// idOf returns the id of the call that a command says how to answer; "": it says nothing.
func idOf(printed string) string {
	_, of, _ := strings.Cut(printed, "--call ")
	of, _, _ = strings.Cut(of, " ")
	return of
}

// TestRecordTriage records the cassette, with a person who allows to write.
func TestRecordTriage(t *testing.T) {
	if !*update {
		t.Skip("go test ./cmd/swarmbus -run RecordTriage -update records it")
	}
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	p := atTriage(t)
	server := modelstest.NewServer(modelstest.OpenAI, triages)
	defer server.Close()
	tape := filepath.Join(t.TempDir(), "tape")
	status, out, errs := swarmbusRun(t, "solve", "Why did payments fail on 2 June?", "--team", triageTeam, "--base-url", server.URL,
		"--record", tape, "--journal", p.run)
	if status != cli.ExitEscalated {
		t.Fatal(status, out, errs)
	}
	status, out, errs = swarmbusRun(t, "answer", p.run, "--call", idOf(errs), "--allow", "--by", "ann", "--record", tape)
	if status != cli.ExitDecided {
		t.Fatal(status, out, errs)
	}
	_, lines, _ := swarmbusRun(t, "export", tape)
	if err := os.WriteFile(triageTape, []byte(lines), 0o644); err != nil { //nolint:gosec // it is checked in
		t.Fatal(err)
	}
	t.Log(out, p.calls(t))
}

// written is what the scribe writes.
func (p place) written(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "cause.md"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

const cause = "payments 7.0 opens 200 connections, and its database accepts 100.\n"

func TestATeamReadsFilesAndAsksBeforeItWrites(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	p := atTriage(t)
	// The team has go run start its server, which is given less time than it may take to build.
	if out, err := exec.CommandContext(t.Context(), "go", "run", "./examples/teams/files").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	status, out, errs := swarmbusRun(t, "solve", "--team", triageTeam, "--cassette", triageTape, "--journal", p.run)
	if status != cli.ExitEscalated || !strings.Contains(out, "Stop      asked") || p.written(t) != "" {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	for _, want := range []string{
		"A person has to allow this call:\n  agent: scribe\n  tool: files/write\n  arguments: {\n    \"name\": \"cause.md\",\n    \"text\": \"payments 7.0",
		"asked because: this tool needs a person's approval\n", "swarmbus answer " + p.run + " --call eb25249a548fda890df07fe00c14d416 --allow\n",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("it does not say %q: %s", want, errs)
		}
	}
	document, err := os.ReadFile("docs/teams.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(document), "<!-- asks: triage -->\n```text\n")
	shown, _, _ = strings.Cut(shown, "```")
	if want := strings.ReplaceAll(shown, "/tmp/triage.journal", p.run); want == "" || !strings.HasSuffix(errs, want) {
		t.Errorf("docs/teams.md shows %s\ngot %s", want, errs)
	}
	for range 2 { // a run that asks only asks again
		if status, out, again := swarmbusRun(t, "solve", "--resume", p.run); status != cli.ExitEscalated || out != "" || !strings.Contains(again, "tool: files/write") {
			t.Errorf("resumed: status %d: %s%s", status, out, again)
		}
	}
	before := p.calls(t)
	if !strings.Contains(before, "read ") || strings.Contains(before, "write ") {
		t.Errorf("before the answer the server was called: %q", before)
	}
	status, out, errs = swarmbusRun(t, "answer", p.run, "--call", idOf(errs), "--allow", "--by", "ann")
	if status != cli.ExitDecided || !strings.Contains(out, "payments 7.0 opens 200 connections") || p.written(t) != cause {
		t.Fatalf("answered: status %d, written %q: %s%s", status, p.written(t), out, errs)
	}
	if got := strings.TrimPrefix(p.calls(t), before); got != "write cause.md\n" {
		t.Errorf("after the answer the server was called: %s", got)
	}
	if status, _, errs := swarmbusRun(t, "answer", p.run, "--allow"); status != cli.ExitError || !strings.Contains(errs, "does not ask about the call of a tool") {
		t.Errorf("a second answer: status %d: %s", status, errs)
	}
	if status, _, errs := swarmbusRun(t, "answer", p.run, "--call", "eb25249a", "--deny", "no"); status == cli.ExitDecided || !strings.Contains(errs, `ann said "once" at `) {
		t.Errorf("a second answer to the call: status %d: %s", status, errs)
	}
	for _, check := range [][]string{{"verify", p.run}, {"replay", "--check", p.run}} {
		if status, out, errs := swarmbusRun(t, check...); status != cli.ExitDecided {
			t.Errorf("%s: %d: %s%s", check[0], status, out, errs)
		}
	}
}

// TestACassetteOfARunThatAskedGoesOnWithTheAnswer plays the cassette alone, without the
// server: it stops where a person was asked, and goes on.
func TestACassetteOfARunThatAskedGoesOnWithTheAnswer(t *testing.T) {
	p := atTriage(t)
	status, out, errs := swarmbusRun(t, "solve", "--cassette", triageTape)
	stop, decision := strings.Index(out, "Stop      asked"), strings.LastIndex(out, strings.TrimSuffix(cause, ".\n"))
	if status != cli.ExitDecided || stop < 0 || decision < stop || strings.Contains(errs, "has to allow") || p.written(t) != "" {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

// life runs the program in a process of its own, which is killed when its journal has grown
// by that many bytes, or ends by itself, and returns the exit status; -1: killed.
func (p place) life(t *testing.T, grown int64, args ...string) (status int, out string) {
	t.Helper()
	size := func() int64 {
		info, err := os.Stat(p.run)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before, ended := size(), make(chan struct{})
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"swarmbus"}, args...)
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		for tick := time.NewTicker(200 * time.Microsecond); ; {
			select {
			case <-ended:
				return
			case <-tick.C:
				if size()-before >= grown {
					_ = cmd.Process.Kill()
					return
				}
			}
		}
	})
	_ = cmd.Wait()
	close(ended)
	watching.Wait()
	return cmd.ProcessState.ExitCode(), both.String()
}

// results are lines of the server's log, by what is in the results of these calls.
var results = map[string]string{
	"deploys.md\\nnotes.md": "list", "ERROR payments": "read service.log", "the pool has": "read deploys.md",
	"payments accepts": "read notes.md", "bytes written": "write cause.md",
}

// hasTerms reports whether the run can be continued.
func (p place) hasTerms() bool {
	run, err := openRun(p.run, io.Discard)
	if err != nil {
		return false
	}
	defer run.Close() //nolint:errcheck // read only
	results, err := journal.ReadResults(run)
	return err == nil && readTerms(results, new(solveTerms)) == nil
}

// recorded are the calls of the server whose results the run has.
func (p place) recorded(t *testing.T) (calls []string) {
	t.Helper()
	view, err := journal.NewView(p.run)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range view.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		for text, call := range results {
			if r.Type == journal.TypeResult && bytes.Contains(r.Body, []byte(`"how":"done"`)) && bytes.Contains(r.Body, []byte(text)) {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// TestATeamThatIsKilledAtEachStepRepeatsNoCall kills a team whenever its run has grown by a
// bit. Calls whose results are in the run are never made again, by the log of the server.
func TestATeamThatIsKilledAtEachStepRepeatsNoCall(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	p := atTriage(t)
	server := modelstest.NewServer(modelstest.OpenAI, triages)
	defer server.Close()
	team, random := served(t), rand.New(rand.NewPCG(3, uint64(os.Getpid())))
	begun := []string{"solve", "Why did payments fail on 2 June?", "--team", team, "--base-url", server.URL, "--journal", p.run}
	again := []string{"solve", "--resume", p.run}
	counted := map[string]int{} // by call, when its result was on record for the first time
	args, killed, asked := begun, 0, 0
	for lives := 0; ; lives++ {
		if lives > *kills+100 {
			t.Fatal("it does not end")
		}
		step := int64(1 + random.IntN(500))
		if killed >= *kills {
			step = math.MaxInt64
		}
		status, out := p.life(t, step, args...)
		if status < 0 {
			killed++
		}
		for _, call := range p.recorded(t) {
			n := strings.Count(p.calls(t), call+"\n")
			if first, known := counted[call]; known && n != first {
				t.Errorf("%s was called %d times, %d when its result was recorded", call, n, first)
			}
			counted[call] = n
		}
		args = again
		switch status {
		case -1:
			if !p.hasTerms() { // it was killed before the run had begun
				_ = os.Remove(p.run)
				args = begun
			}
			continue
		case cli.ExitEscalated:
			asked++
			args = []string{"answer", p.run, "--call", idOf(out), "--allow"}
			if strings.Contains(out, "may have been done") && p.written(t) != "" {
				args = []string{"answer", p.run, "--call", idOf(out), "--deny", "it was written"}
			}
			continue
		case cli.ExitDecided:
		default:
			t.Fatalf("status %d: %s", status, out)
		}
		break
	}
	if n := strings.Count(p.calls(t), "write"); n != 1 || p.written(t) != cause || asked == 0 || killed < min(*kills, 10) {
		t.Errorf("%d kills, asked %d times, written %d times: %q", killed, asked, n, p.written(t))
	}
	t.Logf("%d kills, asked %d times, the server was called:\n%s", killed, asked, p.calls(t))
}
