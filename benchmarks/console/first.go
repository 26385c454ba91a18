package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// first measures the time from the start of swarmbus serve --demo until the page, its
// script, the list of solves and the inbox are there: with no journal, and with a long one.
func first(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "console")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	path := *binary
	if path == "" {
		path = filepath.Join(dir, "swarmbus")
		build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/swarmbus/swarmbus/cmd/swarmbus")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	if err := screens(ctx, path, "first screen ", ""); err != nil || *long == 0 {
		return err
	}
	if *journals != "" {
		dir = *journals
	}
	file := filepath.Join(dir, "platform.journal")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		began := time.Now()
		solves, n, err := write(ctx, file, *long)
		if err != nil {
			return err
		}
		fmt.Printf("journal       %d solves, %d signals, written in %v\n", solves, n, time.Since(began).Round(time.Millisecond))
	}
	return screens(ctx, path, "with journal ", file)
}

// screens measures five starts, each each with a copy of a journal.
func screens(ctx context.Context, path, name, file string) error {
	var each, whole []time.Duration
	for range 5 {
		took, all, err := screen(ctx, path, file)
		if err != nil {
			return err
		}
		each, whole = append(each, took), append(whole, all)
	}
	slices.Sort(each)
	slices.Sort(whole)
	fmt.Printf("%s %v after the start (median of 5, %v at most); everything has been read after %v\n", name,
		each[2].Round(time.Millisecond), each[4].Round(time.Millisecond), whole[2].Round(time.Millisecond))
	return nil
}

// write writes a journal of the demo's team with at least n signals.
func write(ctx context.Context, path string, n int) (begun, wrote int, err error) {
	store, err := journal.Open(path, &journal.Options{Sync: journal.SyncNever})
	if err != nil {
		return 0, 0, err
	}
	d, err := desk.Open(ctx, demo.Team(0).Team, desk.NewLocal(store, nil), desk.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, d.Close(ctx)) }()
	for ; wrote < n; begun++ {
		task := signals.Task{Task: demo.Tasks()[2*(begun%2)]} // one that waits for no person
		thread, _, err := d.Start(ctx, desk.Task{Task: task})
		if err != nil {
			return 0, 0, err
		}
		for e, err := range d.Follow(ctx, thread) {
			if err != nil {
				return 0, 0, err
			}
			if stopped, ok := e.(solves.Stopped); ok {
				wrote += len(stopped.Result.Log)
			}
		}
	}
	return begun, wrote, nil
}

// screen starts a server with a copy of a journal, unless it is "", and returns when the
// first screen is there, and when all solves of the journal are.
func screen(ctx context.Context, path, file string) (took, whole time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := []string{"serve", "--demo", "--addr", "127.0.0.1:0"}
	if file != "" {
		dir, err := os.MkdirTemp("", "console")
		if err != nil {
			return 0, 0, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, 0, err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600); err != nil {
			return 0, 0, err
		}
		args = append(args, "--dir", dir)
	}
	serve := exec.CommandContext(ctx, path, args...) //nolint:gosec // built above, or named by the user
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	out, err := serve.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := serve.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		cancel()
		_ = serve.Wait() // it was interrupted
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, 0, err
	}
	link := strings.Fields(line)[len(strings.Fields(line))-1]
	base, token, _ := strings.Cut(link, "/#token=")
	page, err := get(ctx, base+"/", token)
	if err != nil {
		return 0, 0, err
	}
	for part := range strings.SplitSeq(string(page), `"`) {
		if strings.HasPrefix(part, "/assets/") || strings.HasPrefix(part, "./assets/") {
			if _, err := get(ctx, base+strings.TrimPrefix(part, "."), token); err != nil {
				return 0, 0, err
			}
		}
	}
	for _, list := range []string{"solves?limit=500", "inbox?all=true"} { // as the page asks for
		if _, err := get(ctx, base+"/api/"+list, token); err != nil {
			return 0, 0, err
		}
	}
	took = time.Since(began)
	for {
		text, err := get(ctx, base+"/api/session", token)
		if err != nil {
			return 0, 0, err
		}
		var session api.Session
		if err := json.Unmarshal(text, &session); err != nil || len(session.Reading) == 0 {
			return took, time.Since(began), err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func get(ctx context.Context, address, token string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close() //nolint:errcheck // only read
	if got.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", address, got.StatusCode)
	}
	return io.ReadAll(got.Body)
}
