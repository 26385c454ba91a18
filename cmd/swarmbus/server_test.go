package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// consoleOf starts the server of the demo, and returns the link that it prints.
func consoleOf(t *testing.T, dir string) (link string) {
	t.Helper()
	link, _ = demoServed(t, dir)
	return link
}

// demoServed starts the server of the demo with more arguments, and returns the link that it
// prints, and what ends it and returns what it said. It ends with the test, too.
func demoServed(t *testing.T, dir string, more ...string) (link string, end func() (said string)) {
	t.Helper()
	return startServer(t, append([]string{"--demo", "--dir", dir, "--pace", "1ms"}, more...)...)
}

// serverOf starts a server, which ends with the test, and returns its link.
func serverOf(t *testing.T, args ...string) (link string) {
	t.Helper()
	link, _ = startServer(t, args...)
	return link
}

func startServer(t *testing.T, args ...string) (link string, end func() (said string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), printed, &stderr)
		_ = printed.Close()
	}()
	end = sync.OnceValue(func() string {
		cancel()
		if status := <-ended; status != cli.ExitDecided {
			t.Errorf("status %d: %s", status, stderr.String())
		}
		return stderr.String()
	})
	t.Cleanup(func() { end() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "The console is at ")), end
}

const (
	ordersTask = "How do we move the orders table to the new schema without losing a write?"
	logsTask   = "How long may we keep the raw access logs?"
)

func first(out, _ string) string { return out }

func TestCommandsAskARunningServer(t *testing.T) {
	t.Parallel()
	link := consoleOf(t, t.TempDir())
	ask := func(want int, args ...string) (out, errs string) {
		t.Helper()
		status, out, errs := swarmbusRun(t, append(args, "--server", link)...)
		if status != want {
			t.Fatalf("%v: status %d, want %d: %s%s", args, status, want, out, errs)
		}
		return out, errs
	}

	out, _ := ask(cli.ExitDecided, "solve", ordersTask, "--team", "platform", "--facts-differ", "--checkable=false")
	if !strings.Contains(out, "Write once, with an outbox row") || !strings.Contains(out, "consensus") {
		t.Errorf("solve printed %s", out)
	}
	_, errs := ask(cli.ExitEscalated, "solve", logsTask, "--team", "platform")
	asks := regexp.MustCompile(`swarmbus answer platform --question (\S+) TEXT --thread (\S+) --server LINK\n`).FindStringSubmatch(errs)
	if asks == nil {
		t.Fatalf("it does not say how to answer: %s", errs)
	}
	to, thread := "--question="+asks[1], asks[2]
	if _, errs := ask(cli.ExitUsage, "answer", "platform", "--allow", to); !strings.Contains(errs, "it takes a text") {
		t.Errorf("a question is answered like a call: %s", errs)
	}
	if _, errs := ask(cli.ExitUsage, "answer", "platform", "A year.", "--thread", thread); !strings.Contains(errs, asks[1]) || !strings.Contains(errs, "--call or --question is required") {
		t.Errorf("an answer without an id: %s", errs)
	}
	if out, _ := ask(cli.ExitDecided, "answer", "platform"); !strings.Contains(out, "swarmbus answer platform --question "+asks[1]+" TEXT --server LINK\n") {
		t.Errorf("it lists %s", out)
	}
	if out, _ := ask(cli.ExitDecided, "answer", "platform", "Thirty days, encrypted.", to, "--by", "ada"); !strings.Contains(out, "goes on") || !strings.Contains(out, "The question was: ") || !strings.Contains(out, logsTask) {
		t.Errorf("answer printed %s", out)
	}
	if _, errs := ask(cli.ExitError, "answer", "platform", "A year.", to); !strings.Contains(errs, "ada has answered first") {
		t.Errorf("a second answer: %s", errs)
	}
	_, errs = ask(cli.ExitEscalated, "solve", logsTask, "--team", "platform")
	if out, _ := ask(cli.ExitDecided, "answer", "platform", "--cancel", "--thread", regexp.MustCompile(`--thread (\S+) `).FindStringSubmatch(errs)[1]); !strings.Contains(out, "The solve is cancelled: person cancelled the solve while it waited") {
		t.Errorf("cancelled it prints %s (%s)", out, errs)
	}
	if _, errs := ask(cli.ExitError, "answer", "platform", "--cancel", "--thread", thread); !strings.Contains(errs, "the solve does not run: it is decided") {
		t.Errorf("cancelled again: %s", errs)
	}
	if _, errs := ask(cli.ExitError, "answer", "platforms", "A year."); !strings.Contains(errs, `no run "platforms"; did you mean "platform"?`) {
		t.Errorf("an answer in a run that is not there: %s", errs)
	}
	if out, _ := ask(cli.ExitDecided, "show", "platform", "--thread", thread, "--follow"); !strings.Contains(out, "Thirty days, encrypted.") || !strings.Contains(out, "Stop      consensus") {
		t.Errorf("show printed %s", out)
	}
	if out, _ := ask(cli.ExitDecided, "log", "platform", "--thread", thread, "--kind", "vote", "--json"); strings.Count(out, `"type":"vote"`) < 4 || strings.Count(out, "\n") != strings.Count(out, `"type":"vote"`) {
		t.Errorf("log printed %s", out)
	}
	vote := regexp.MustCompile(`"seq":(\d+)`).FindStringSubmatch(first(ask(cli.ExitDecided, "log", "platform", "--thread", thread, "--kind", "vote", "--json")))[1]
	if out, _ := ask(cli.ExitDecided, "retract", "platform", vote, "a mistake", "--by", "ada"); !strings.Contains(out, "the vote ["+vote+"] of ") && !strings.Contains(out, "Without ["+vote+"]") {
		t.Errorf("retract printed %s", out)
	}
	if _, errs := ask(cli.ExitError, "retract", "platform", vote, "a mistake"); !strings.Contains(errs, "already taken back by ada") {
		t.Errorf("a second retraction: %s", errs)
	}
	if out, _ := ask(cli.ExitDecided, "runs"); !strings.Contains(out, "platform") || !strings.Contains(out, "being written by the server") {
		t.Errorf("runs printed %s", out)
	}
	if out, _ := ask(cli.ExitDecided, "verify", "platform"); !strings.HasPrefix(out, "whole: records 1 to ") {
		t.Errorf("verify printed %s", out)
	}
	if out, _ := ask(cli.ExitDecided, "replay", "platform"); !strings.HasPrefix(out, "identical: ") {
		t.Errorf("replay printed %s", out)
	}
	if _, errs := ask(cli.ExitError, "show", "none"); !strings.Contains(errs, `there is no run "none"`) {
		t.Errorf("a run that is not there: %s", errs)
	}
	for want, args := range map[string][]string{
		"--seed cannot be combined with --server": {"solve", "x", "--team", "platform", "--seed", "1"},
		"--server needs --team":                   {"solve", "x"},
		"an answer is required":                   {"answer", "platform", "--question", "none"},
		"--deny needs a reason, and --vote is":    {"answer", "platform", "--deny", "--vote"},
		"takes no directory":                      {"runs", "."},
	} {
		if _, errs := ask(cli.ExitUsage, args...); !strings.Contains(errs, want) {
			t.Errorf("%v: %s", args, errs)
		}
	}
	wrong, _, _ := strings.Cut(link, "#")
	if status, _, errs := swarmbusRun(t, "runs", "--server", wrong+"#token=wrong"); status != cli.ExitError || !strings.Contains(errs, "the token is wrong, or was revoked") {
		t.Errorf("a wrong token: status %d, %s", status, errs)
	}
	if status, _, errs := swarmbusRun(t, "runs", "--server", wrong); status != cli.ExitUsage || !strings.Contains(errs, "token") {
		t.Errorf("no token: status %d, %s", status, errs)
	}
}
