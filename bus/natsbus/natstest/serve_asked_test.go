package natstest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
)

// writing is a model whose planner writes a file and proposes what came of it, and who all agree
// then.
func writing(_ int, r *models.Request) modelstest.Reply {
	last := r.Messages[len(r.Messages)-1]
	heard, usage := "", models.Usage{Input: 1, Output: 1}
	for _, m := range r.Messages {
		heard += m.Text
	}
	switch {
	case strings.Contains(heard, "[P1]") || strings.Contains(heard, "the outcome"):
		return modelstest.Reply{Text: `{"say":[{"type":"vote","proposal":"P1","reasons":"it is done","stance":"agree","confidence":0.9}]}`, Usage: usage}
	case !strings.HasPrefix(r.System, "You are planner,"):
		return modelstest.Reply{Text: `{"say":[{"type":"pass","reason":"nothing to add"}]}`, Usage: usage}
	case len(last.Results) == 0:
		return modelstest.Reply{Calls: []models.Call{{ID: "1", Name: "files__write", Args: []byte(`{"name":"cause.md","text":"a leak"}`)}}, Usage: usage}
	}
	what := "written"
	if strings.Contains(last.Results[0].Text, "denied") {
		what = "not written"
	}
	return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"the outcome: ` + what + `","reasons":"the tool says so","confidence":0.9}]}`, Usage: usage}
}

// A writers is a team with a server of tools, over NATS.
type writers struct {
	dir, team, config string
	nats              []string
}

func writersOn(t *testing.T) *writers {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	model := modelstest.NewServer(modelstest.OpenAI, writing)
	t.Cleanup(model.Close)
	dir := t.TempDir()
	w := &writers{
		dir: filepath.Join(dir, "notes"), team: filepath.Join(dir, "writers.yaml"), config: filepath.Join(dir, "serve.yaml"),
		nats: []string{"--nats", natstest.Start(t, natstest.Options{})[0].URL()},
	}
	t.Setenv("TRIAGE_DIR", w.dir)
	server := filepath.Join(dir, "files")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", server, "./examples/teams/files")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	text := "models:\n  main: {provider: openai, name: " + modelstest.Name + ", baseURL: \"" + model.URL + "\"}\n" +
		"servers: {files: {command: [\"" + server + "\"], env: [TRIAGE_DIR]}}\nmode: deliberate\nagents:\n" +
		"  - {id: planner, role: You help., tools: {files/write: ask}}\n  - {id: critic, role: You help.}\n"
	for file, text := range map[string]string{w.team: text, w.config: "teams: [" + w.team + "]\ndir: " + dir + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *writers) start(t *testing.T, args ...string) *talk {
	t.Helper()
	return startTalk(t, append(args, w.nats...)...)
}

func (w *writers) agent(t *testing.T, id string) *talk {
	t.Helper()
	c := w.start(t, "agent", "--team", w.team, "--as", id)
	c.sees(t, "takes its turns here")
	return c
}

// console starts a server, and returns its link.
func (w *writers) console(t *testing.T) (string, *client.Client) {
	t.Helper()
	console := w.start(t, "serve", "--config", w.config, "--addr", "127.0.0.1:0")
	console.sees(t, "/#token=")
	link := regexp.MustCompile(`http://\S+`).FindString(console.text())
	c, err := client.New(link, "")
	if err != nil {
		t.Fatal(err)
	}
	return link, c
}

// asks drives a solve until it asks, and returns what the driver says.
func (w *writers) asks(t *testing.T) string {
	t.Helper()
	driver := w.start(t, "solve", "What was the cause?", "--team", w.team)
	driver.sees(t, "LINK is that of")
	if err := driver.cmd.Wait(); err == nil || driver.cmd.ProcessState.ExitCode() != 5 {
		t.Errorf("it ends with %v", err)
	}
	return driver.text()
}

// written is how often the file was written.
func (w *writers) written(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(w.dir + ".log")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "write cause.md\n")
}

func items(t *testing.T, c *client.Client) []api.Item {
	t.Helper()
	for ctx := soon(t); ; pause() {
		all, err := c.Items(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) > 0 {
			return all
		}
	}
}

// The driver has ended when a person answers in a console, and the process of the agent is another
// one.
func TestConsoleAsksWhetherAnAgentOfAnotherProcessMayCallATool(t *testing.T) {
	for verdict, want := range map[string]struct {
		answer  []string
		outcome string
		calls   int
	}{"allowed": {[]string{"--allow"}, "the outcome: written", 1}, "denied": {[]string{"--deny", "not today"}, "the outcome: not written", 0}} {
		t.Run(verdict, func(t *testing.T) {
			w := writersOn(t)
			link, c := w.console(t)
			planner := w.agent(t, "planner")
			w.agent(t, "critic")
			text := w.asks(t)
			for _, want := range []string{"tool: files/write", `arguments: {"name":"cause.md","text":"a leak"}`, " --deny REASON --thread solve-"} {
				if !strings.Contains(text, want) {
					t.Errorf("the driver does not say %s:\n%s", want, text)
				}
			}
			all := items(t, c)
			if len(all) != 1 || all[0].Type != "tool" || !all[0].Open || all[0].Asks != "planner" || all[0].Tool.Tool != "files/write" || string(all[0].Tool.Args) != `{"name":"cause.md","text":"a leak"}` || all[0].Task != "What was the cause?" {
				t.Fatalf("the inbox has %+v", all)
			}
			_ = planner.cmd.Process.Kill()
			w.agent(t, "planner")
			if n := w.written(t); n != 0 {
				t.Fatalf("written %d times before the answer", n)
			}
			if out, status := runCommand(t, append([]string{"answer", "swarmbus", "--server", link, "--by", "ada", "--call", all[0].ID[strings.LastIndex(all[0].ID, ".")+1:]}, want.answer...)...); !strings.Contains(out, "Answered in the solve") {
				t.Fatal(out, status)
			}
			shown := startTalk(t, "show", "swarmbus", "--server", link, "--follow")
			shown.sees(t, "reached")
			if text := shown.text(); !strings.Contains(text, want.outcome) || w.written(t) != want.calls {
				t.Errorf("written %d times: it shows\n%s", w.written(t), text)
			}
			if check, err := c.Replay(soon(t), "swarmbus"); err != nil || !check.Identical || check.Decisions == 0 {
				t.Errorf("replay: %+v, %v", check, err)
			}
			if _, err := c.Decide(soon(t), all[0].ID, api.Verdict{Verdict: "once", By: "bob"}); err == nil || !strings.Contains(err.Error(), "ada has answered first") {
				t.Errorf("the second answer: %v", err)
			}
			again, _ := runCommand(t, append([]string{"solve", "What was the cause?", "--team", w.team}, w.nats...)...)
			for _, text := range []string{shown.text(), again} {
				if !strings.Contains(text, "planner wants to call files/write with {") || !strings.Contains(text, map[string]string{"allowed": "ada allows it once", "denied": `ada denies it: "not today"`}[verdict]) {
					t.Errorf("it does not show who allowed what:\n%s", text)
				}
			}
			if !strings.Contains(again, want.outcome) || w.written(t) != want.calls {
				t.Errorf("written %d times: a later driver shows\n%s", w.written(t), again)
			}
		})
	}
}

// A solve that waits is cancelled in one console; another one does not ask either, and a driver that asks for
// the task again is told.
func TestConsoleCancelsASolveThatWaits(t *testing.T) {
	w := writersOn(t)
	_, c := w.console(t)
	_, other := w.console(t)
	w.agent(t, "planner")
	w.agent(t, "critic")
	w.asks(t)
	item := items(t, c)[0]
	items(t, other)
	one, err := c.Cancel(soon(t), item.Solve)
	if err != nil || one.Stop != "abandoned" || one.State != api.Undecided || one.Waits != 0 {
		t.Fatalf("it is %+v (%v)", one, err)
	}
	for ctx := soon(t); ; pause() {
		all, err := other.Items(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			break
		}
	}
	if _, err := other.Cancel(soon(t), item.Solve); err == nil || !strings.Contains(err.Error(), "it is undecided") {
		t.Errorf("cancelled again: %v", err)
	}
	w.start(t, "solve", item.Task, "--team", w.team).sees(t, "person cancelled the solve while it waited")
	if n := w.written(t); n > 0 {
		t.Errorf("written %d times", n)
	}
	if check, err := c.Replay(soon(t), "swarmbus"); err != nil || !check.Identical {
		t.Errorf("replay: %+v, %v", check, err)
	}
}

// printed returns the arguments of the commands that a text says one may answer with.
func printed(text, link string) (all [][]string) {
	for _, line := range regexp.MustCompile(`swarmbus (answer .*)`).FindAllStringSubmatch(text, -1) {
		args := strings.Fields(strings.ReplaceAll(line[1], "LINK", link))
		for word, is := range map[string]string{"REASON": "not today", "JSON": `{"name":"cause.md","text":"another"}`, "TEXT": "it is there"} {
			if i := slices.Index(args, word); i >= 0 {
				args[i] = is
			}
		}
		all = append(all, args)
	}
	return all
}

// Two solves wait for a person: each command that is printed answers in its own, and says what.
func TestPrintedCommandsAnswer(t *testing.T) {
	w := writersOn(t)
	link, c := w.console(t)
	w.agent(t, "planner")
	w.agent(t, "critic")
	waits := map[string]func(task string) *talk{
		"solve --nats":   func(task string) *talk { return w.start(t, "solve", task, "--team", w.team) },
		"solve --server": func(task string) *talk { return startTalk(t, "solve", task, "--team", "writers", "--server", link) },
	}
	for i, says := range []string{"Allowed (once): ", "Allowed (solve): ", "Denied: ", "Allowed (once): ", "Answered instead of the tool: "} {
		var all [][]string
		for name, start := range waits {
			solver := start(fmt.Sprint("By ", name, " ", i))
			_ = solver.cmd.Wait()
			commands := printed(solver.text(), link)
			if len(commands) != 5 {
				t.Fatalf("%s prints\n%s", name, solver.text())
			}
			all = append(all, commands[i])
		}
		for ctx := soon(t); len(items(t, c)) < len(all); pause() {
			if ctx.Err() != nil {
				t.Fatal("the inbox lacks a question")
			}
		}
		for _, args := range all {
			if out, errs := runCommand(t, args...); !strings.Contains(out, says+"planner wants to call files/write with {") {
				t.Errorf("%q: %s%s", args, out, errs)
			}
		}
	}
}

// A console has another team by the same name, as when a file was edited.
func TestConsoleWithOtherTermsRefusesWhatItShows(t *testing.T) {
	w := writersOn(t)
	w.agent(t, "planner")
	w.agent(t, "critic")
	w.asks(t)
	text, err := os.ReadFile(w.team)
	if err == nil {
		err = os.WriteFile(w.team, append(text, "threshold: 0.6\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	link, c := w.console(t)
	item := items(t, c)[0]
	_, thread, _ := strings.Cut(item.Solve, ".")
	const differs = "with threshold 0.7, and is asked now with 0.6"
	if _, err := c.Decide(soon(t), item.ID, api.Verdict{Verdict: "once", By: "ada"}); err == nil || !strings.Contains(err.Error(), differs) {
		t.Errorf("a verdict: %v", err)
	}
	if got := posts(t, link, "", api.NewSolve{Team: "writers", Task: item.Task}); !strings.HasPrefix(got, "409") || !strings.Contains(got, differs) {
		t.Errorf("the task again: %s", got)
	}
	desk := joinSolving(t, w.nats[1], "desk")
	if open := asksOf(t, desk); !open[0].Open {
		t.Errorf("the log has an answer: %+v", open[0])
	}
	err = nil
	for _, err = range machines.Resume(soon(t), desk.Log, desk.past, swarm.Options{Agents: remoteTeam(t, desk)}, thread, nil) {
	}
	if wrong := (*machines.TermsError)(nil); !errors.As(err, &wrong) || wrong.Term != "team" {
		t.Errorf("another team resumes it: %v", err)
	}
}

// A person answered, and nobody went on: a console that starts does.
func TestConsoleGoesOnWithAnAnswerFromBeforeItsStart(t *testing.T) {
	w := writersOn(t)
	w.agent(t, "planner")
	w.agent(t, "critic")
	w.asks(t)
	desk := joinSolving(t, w.nats[1], "desk")
	q := asksOf(t, desk)[0]
	if err := machines.Answer(soon(t), desk.Log, desk.past, q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Once, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	link, _ := w.console(t)
	startTalk(t, "show", "swarmbus", "--server", link, "--follow").sees(t, "reached")
	if n := w.written(t); n != 1 {
		t.Errorf("written %d times", n)
	}
}

// Two people answer in two consoles at once: one is told that the other was first, and what the
// first one said happens.
func TestOfTwoConsolesThatAnswerOneIsHeard(t *testing.T) {
	w := writersOn(t)
	w.agent(t, "planner")
	w.agent(t, "critic")
	link, one := w.console(t)
	_, two := w.console(t)
	written := 0
	for i := range 5 {
		started, err := one.Start(soon(t), api.NewSolve{Team: "writers", Task: fmt.Sprint("What was cause ", i, "?")})
		if err != nil {
			t.Fatal(err)
		}
		item := items(t, one)[0]
		for ctx := soon(t); items(t, two)[0].ID != item.ID; pause() {
			if ctx.Err() != nil {
				t.Fatalf("the other inbox lacks %+v", item)
			}
		}
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i, c := range []*client.Client{one, two} {
			both.Go(func() {
				_, errs[i] = c.Decide(soon(t), item.ID, api.Verdict{Verdict: []string{"once", "deny"}[i], Reason: "not today", By: []string{"ada", "bob"}[i]})
			})
		}
		both.Wait()
		lost := slices.IndexFunc(errs, func(err error) bool { return err != nil })
		if lost < 0 || errs[1-lost] != nil || !strings.Contains(errs[lost].Error(), []string{"bob", "ada"}[lost]+" has answered first") {
			t.Fatalf("the answers get %v", errs)
		}
		written += lost // if the one who allows was first
		startTalk(t, "show", "swarmbus", "--thread", started.Thread, "--server", link, "--follow").sees(t, "reached")
		if n := w.written(t); n != written {
			t.Fatalf("written %d times, want %d", n, written)
		}
	}
}
