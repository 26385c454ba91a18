package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The scripts call the program by its name; the rest is tested in place.
	testscript.Main(leakChecked{m}, map[string]func(){"swarmbus": main, "mcpclient": conformant})
}

type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	status := l.m.Run()
	if err := goleak.Find(); err != nil && status == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return status
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error { // a recorded solve
			text, err := os.ReadFile("../../examples/thinkers/retry.cassette")
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "retry.cassette"), text, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// replace OLD NEW FILE: every OLD in the file becomes NEW.
			"replace": replace,
			// flip FILE AT: one bit of the byte at that offset.
			"flip": func(ts *testscript.TestScript, _ bool, args []string) {
				at, err := strconv.Atoi(args[1])
				ts.Check(err)
				data := []byte(ts.ReadFile(args[0]))
				data[at] ^= 1
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
			},
			// exits N program args: it ends with exit status N.
			"exits": exits,
		},
	})
}

// replace is a command of scripts.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[2])
	changed := strings.ReplaceAll(text, args[0], args[1])
	if changed == text {
		ts.Fatalf("%s has no %s", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(changed), 0o600))
}

// exits is a command of scripts.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func TestCancellingIsStatus6(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if got := run(ctx, []string{"decide", "--votes", "../../benchmarks/data/votes"}, &stdout, &stderr); got != cli.ExitCancelled {
		t.Errorf("got status %d, want %d: %s", got, cli.ExitCancelled, stderr.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteErrorIsStatus1(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"decide", "--votes", "../../benchmarks/data/votes/replicats_1"}} {
		var stderr bytes.Buffer
		if got := run(t.Context(), args, brokenPipe{}, &stderr); got != cli.ExitError {
			t.Errorf("%v: got status %d, want %d: %s", args, got, cli.ExitError, stderr.String())
		}
	}
}
