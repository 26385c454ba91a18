package host_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
)

// small mounts a file system with little room, and returns what fills it.
func small(t *testing.T) (dir string, fill func() (ballast string)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, func() string {
		f, err := os.Create(filepath.Join(dir, "ballast"))
		for err == nil {
			_, err = f.Write(make([]byte, 512))
		}
		if !errors.Is(err, syscall.ENOSPC) || f.Close() != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
}

// lines takes what a log says of the disk.
type lines chan string

func (lines) Enabled(context.Context, slog.Level) bool { return true }

func (l lines) Handle(_ context.Context, r slog.Record) error {
	if line := r.Level.String() + " " + r.Message; strings.Contains(line, "disk") {
		r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
		l <- line
	}
	return nil
}

func (l lines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l lines) WithGroup(string) slog.Handler { return l }

func TestASolveGoesOnWhenTheDiskHasRoomAgain(t *testing.T) {
	t.Parallel()
	dir, fill := small(t)
	says := make(lines, 8)
	hub := feed.New(feed.Options{})
	defer hub.Close()
	h, err := host.Open(t.Context(), host.Options{
		Dir: dir, Hub: hub, Office: of("office"), Teams: []host.Team{demo.Team(0)}, Log: slog.New(says),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	b := h.Backend()
	hubs.Store(b.Solves, hub)
	solve(t, b, payments)
	ballast := fill()
	type started struct {
		api.Solve
		err error
	}
	start := make(chan started, 1)
	go func() {
		var s started
		s.Solve, s.err = b.Solves.Start(context.Background(), api.NewSolve{Team: "platform", Task: payments})
		start <- s
	}()
	if got := <-says; !strings.HasPrefix(got, "ERROR no room on the disk") || !strings.Contains(got, "run=platform") || !strings.Contains(got, "no space left on device") {
		t.Errorf("told %s", got)
	}
	health, err := b.System.Health(t.Context())
	if err != nil || health.OK || !strings.Contains(health.Logs[0].Problem, "no space left on device") {
		t.Errorf("health: %v, %+v", err, health.Logs)
	}
	var refused *api.Error
	if _, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: "another"}); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "nothing was done") {
		t.Errorf("another solve: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s := <-start
	if s.err != nil {
		t.Fatal(s.err)
	}
	if got := until(t, b, s.ID, func(s api.Solve) bool { return s.State != api.Running }); got.State != api.Decided {
		t.Errorf("it is %s: %s", got.State, got.Detail)
	}
	if got := <-says; got != "WARN there is room on the disk again run=platform" {
		t.Errorf("told %s", got)
	}
	if health, err := b.System.Health(t.Context()); err != nil || !health.OK {
		t.Errorf("health: %v, %+v", err, health.Logs)
	}
}
