package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
)

// talkative is a run with a thousand signals.
func talkative(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Open(path, &journal.Options{Sync: journal.SyncNever})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w, err := journal.Attach(t.Context(), b, j, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := signals.Header{Thread: "t", Confidence: 1}
	if _, err := b.System().Publish(t.Context(), signals.New(h, signals.Task{Task: "What?"})); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := b.System().Publish(t.Context(), signals.New(h, signals.Discovery{Finding: "x"})); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// cancels is an output that cancels what writes it.
type cancels struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (c *cancels) Write(p []byte) (int, error) {
	c.cancel()
	return c.Buffer.Write(p)
}

func TestACancelledCommandReadsNoFurther(t *testing.T) {
	path := talkative(t)
	for _, c := range []struct {
		status int
		args   []string
	}{
		{cli.ExitCancelled, []string{"log", path}},
		{cli.ExitDecided, []string{"log", path, "-f"}},
		{cli.ExitDecided, []string{"show", path, "--thread", "t", "-f"}},
		{cli.ExitCancelled, []string{"show", path, "--thread", "t"}},
		{cli.ExitCancelled, []string{"export", path}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &cancels{cancel: cancel}
		var errs bytes.Buffer
		status := run(ctx, c.args, out, &errs)
		if lines := bytes.Count(out.Bytes(), []byte("\n")); status != c.status || lines > 10 {
			t.Errorf("%q: status %d after %d lines: %s", c.args, status, lines, errs.String())
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"log", path}, {"show", path}, {"verify", path}, {"export", path}, {"replay", path}, {"runs", filepath.Dir(path)}} {
		var out, errs bytes.Buffer
		if status := run(ended, args, &out, &errs); status != cli.ExitCancelled {
			t.Errorf("%q: status %d: %.200s%s", args, status, out.String(), errs.String())
		}
	}
}
