package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
)

var soak = flag.Duration("soak", 0, "for how long a server is soaked, at least; 0: a few solves and two restarts")

// A soaking is a server of the demo in a process of its own, whose clients begin solves, watch and answer
// them, and cancel and resume some, while it is stopped and killed.
type soaking struct {
	dir, addr string
	pace      time.Duration
	process   *exec.Cmd
	client    *client.Client
	each      chan struct{} // has one for each solve that has ended
	quiet     sync.RWMutex  // held by clients while their solves run, and while none may
}

// start starts the server, and the client with its first link: its token stays.
func (s *soaking) start(t *testing.T) {
	t.Helper()
	s.process = exec.Command(os.Args[0])
	s.process.Args = []string{"swarmbus", "serve", "--demo", "--dir", s.dir, "--addr", s.addr, "--pace", s.pace.String(), "--log-level", "error"}
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if s.client == nil {
		if s.client, err = client.New(strings.TrimSpace(strings.TrimPrefix(line, "The console is at ")), ""); err != nil {
			t.Fatal(err)
		}
	}
	timetest.Until(t, "the server is ready", func() bool {
		got, err := http.Get("http://" + s.addr + "/readyz")
		if err != nil {
			return false
		}
		_ = got.Body.Close()
		return got.StatusCode == http.StatusOK
	})
}

// end ends the process by a signal.
func (s *soaking) end(t *testing.T, by syscall.Signal) {
	t.Helper()
	if err := s.process.Process.Signal(by); err != nil {
		t.Fatal(err)
	}
	if err := s.process.Wait(); err != nil && by != syscall.SIGKILL {
		t.Errorf("ended by %v: %v", by, err)
	}
}

// drive begins solves and goes on with each to its end, until ctx ends.
func (s *soaking) drive(ctx context.Context, t *testing.T, tasks []string) {
	for n := 0; ctx.Err() == nil; n++ {
		s.quiet.RLock()
		s.solve(ctx, t, tasks[n%len(tasks)], n%5 == 4)
		s.quiet.RUnlock()
		_, err := s.client.List(ctx, api.SolvesQuery{Limit: 50})
		s.away(ctx, t, "list", err)
		s.away(ctx, t, "answer", s.answer(ctx))
		_, err = s.client.Signals(ctx, api.SignalsQuery{Run: "platform", Limit: 100})
		s.away(ctx, t, "read", err)
		select {
		case s.each <- struct{}{}:
		case <-ctx.Done():
		}
	}
}

// solve begins a solve, cancels it perhaps, and goes on with it to its end.
func (s *soaking) solve(ctx context.Context, t *testing.T, task string, cancels bool) {
	one, err := s.client.Start(ctx, api.NewSolve{Team: "platform", Task: task})
	if err != nil {
		s.away(ctx, t, "start", err)
		return
	}
	if cancels {
		_, err := s.client.Cancel(ctx, one.ID)
		s.away(ctx, t, "cancel", err)
	}
	s.follow(ctx, t, one)
}

// rest has one solve after the other run until the journal, from which solves are dropped while none runs, is
// within its bound.
func (s *soaking) rest(ctx context.Context, t *testing.T) {
	s.quiet.Lock()
	defer s.quiet.Unlock()
	for s.takes(0).disk > 10<<20 {
		s.away(ctx, t, "answer", s.answer(ctx))
		s.solve(ctx, t, demo.Tasks()[0], false)
	}
}

// follow goes on with a solve until it has ended, or the journal has dropped it.
func (s *soaking) follow(ctx context.Context, t *testing.T, one api.Solve) {
	for ctx.Err() == nil {
		now, err := s.client.Get(ctx, one.ID, 0)
		if gone := (*api.Error)(nil); errors.As(err, &gone) && gone.Status == http.StatusNotFound {
			return
		}
		switch {
		case err != nil:
		case now.State == api.Decided || now.State == api.Undecided:
			return
		case now.State == api.Failed:
			t.Errorf("%s failed: %s", one.ID, now.Detail)
			return
		case now.State == api.Waiting:
			err = s.answer(ctx)
		case now.State == api.Interrupted:
			_, err = s.client.Resume(ctx, one.ID)
		default:
			err = s.client.Changed(ctx, now.Solve)
		}
		s.away(ctx, t, "follow", err)
	}
}

// answer answers what is asked, also by solves that the demo begins: one that waits keeps its records, and those
// after it, in the journal.
func (s *soaking) answer(ctx context.Context) error {
	items, err := s.client.Items(ctx, false)
	for _, of := range items {
		switch {
		case err != nil:
		case of.Tool != nil:
			_, err = s.client.Decide(ctx, of.ID, api.Verdict{Verdict: "once", By: "ada"})
		default:
			_, err = s.client.Answer(ctx, of.ID, api.Answer{Text: "yes", By: "ada"})
		}
	}
	return err
}

// away accepts what a client is told by a server that ends, starts anew or has gone on meanwhile.
func (s *soaking) away(ctx context.Context, t *testing.T, what string, err error) {
	problem := (*api.Error)(nil)
	if errors.As(err, &problem) && what == "answer" && problem.Status == http.StatusUnprocessableEntity {
		return // somebody has answered, and the solve has gone on
	}
	if errors.As(err, &problem) && problem.Status != http.StatusConflict && problem.Status != http.StatusServiceUnavailable && problem.Status != http.StatusNotFound && ctx.Err() == nil {
		t.Errorf("%s: %v", what, err)
	}
}

// A footprint is what a server takes.
type footprint struct {
	solves, memory, descriptors, files int
	disk                               int64
}

func (f footprint) String() string {
	return fmt.Sprintf("%d solves: %d MB of memory, %d descriptors, %d files with %.1f MB", f.solves, f.memory>>20, f.descriptors, f.files, float64(f.disk)/1e6)
}

// takes returns what the server takes after so many solves; no memory where the system has no /proc.
func (s *soaking) takes(solves int) footprint {
	of := footprint{solves: solves}
	proc := fmt.Sprintf("/proc/%d/", s.process.Process.Pid)
	if text, err := os.ReadFile(proc + "statm"); err == nil {
		pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
		of.memory = pages * os.Getpagesize()
	}
	if all, err := os.ReadDir(proc + "fd"); err == nil {
		of.descriptors = len(all)
	}
	_ = filepath.WalkDir(s.dir, func(_ string, d fs.DirEntry, err error) error { // what is renamed meanwhile is not there
		if err == nil && !d.IsDir() {
			of.files++
			if info, err := d.Info(); err == nil {
				of.disk += info.Size()
			}
		}
		return nil
	})
	return of
}

// A server under load whose journal is bounded takes no more after an hour than at first, however often it is
// stopped and killed, and every solve goes on to its end.
func TestASoakedServerStaysFlat(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &soaking{dir: t.TempDir(), addr: l.Addr().String(), pace: time.Millisecond, each: make(chan struct{})}
	_ = l.Close()
	life := 8 // solves
	if *soak > 0 {
		life, s.pace = 150, 400*time.Millisecond
	}
	s.start(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var clients sync.WaitGroup
	for n := range 3 {
		tasks := append(demo.Tasks()[n:], demo.Tasks()[:n]...)
		clients.Go(func() { s.drive(ctx, t, tasks) })
	}
	var all []footprint
	began, ended := time.Now(), 0
	for lives := 0; lives < 3 || time.Since(began) < *soak; lives++ {
		for range life {
			<-s.each
			ended++
		}
		all = append(all, s.takes(ended))
		s.rest(ctx, t)
		<-s.each // they are at work again
		t.Logf("life %d: %v", lives, all[lives])
		s.end(t, []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[lives%2])
		s.start(t)
	}
	leave()
	clients.Wait()
	s.end(t, syscall.SIGTERM)
	if *soak == 0 {
		return
	}
	third := len(all) / 3
	first, last := most(all[third:2*third]), most(all[2*third:])
	t.Logf("in %v, %d solves and %d restarts: the middle third took at most %v; the last third at most %v", *soak, ended, len(all), first, last)
	if last.memory > first.memory*5/4 || last.descriptors > first.descriptors*5/4 || last.files > first.files || last.disk > first.disk*5/4 {
		t.Error("the server grows")
	}
}

// most returns the largest of each figure.
func most(all []footprint) (of footprint) {
	for _, f := range all {
		of = footprint{f.solves, max(of.memory, f.memory), max(of.descriptors, f.descriptors), max(of.files, f.files), max(of.disk, f.disk)}
	}
	return of
}
