package natstest_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var past = flag.Int("past", 0, "solves that the log of a console has, to measure what one more costs; 0: none are measured")

// consoleOn is a desk of the team on a log, as a console has it, and how often it joined.
func consoleOn(t *testing.T, url string) (*desk.Desk, func() int) {
	t.Helper()
	for _, a := range team(nil) {
		l := joinSolving(t, url, a.ID)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- machines.Serve(ctx, l.Log, a.ID, func() *agents.Agent { return a }) }()
		t.Cleanup(func() { cancel(); <-served })
	}
	var mu sync.Mutex
	joins := 0
	l := joinSolving(t, url, "console")
	at := &machines.Place{Name: "solves", Of: l.Log, Records: l.past, Join: func(context.Context) (*natsbus.Log, *machines.Records, error) {
		mu.Lock()
		joins++
		mu.Unlock()
		own := joinSolving(t, url, "console")
		return own.Log, own.past, nil
	}}
	crew := func(context.Context, desk.Keep) (*desk.Crew, error) {
		return &desk.Crew{Build: func(desk.Keep, desk.Show) (swarm.Options, error) {
			return swarm.Options{Agents: team(nil), Seed: 7, Limits: swarm.Limits{Deadline: time.Minute}}, nil
		}}, nil
	}
	d, err := desk.Open(t.Context(), desk.Team{Name: "team", Open: crew}, at, desk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d, func() int {
		mu.Lock()
		defer mu.Unlock()
		return joins
	}
}

func ends(t *testing.T, d *desk.Desk, task string) *solves.Result {
	t.Helper()
	for e, err := range d.Solve(soon(t), desk.Task{Task: signals.Task{Task: task}}) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			return stopped.Result
		}
	}
	t.Fatal("no result")
	return nil
}

// A console joins a log once to drive its solves, and once more only for each that runs beside another one.
func TestConsoleKeepsOneLogJoined(t *testing.T) {
	t.Parallel()
	d, joins := consoleOn(t, natstest.Start(t, natstest.Options{})[0].URL())
	for i := range 4 {
		if r := ends(t, d, fmt.Sprint("Which one, ", i, "?")); r.Answer == "" {
			t.Fatalf("solve %d: %v %s", i, r.Stop, r.Detail)
		}
	}
	if n := joins(); n != 1 {
		t.Errorf("joined %d times for 4 solves, one after the other", n)
	}
}

// What one solve costs this process, server and agents included, with as many in the log: -past 1000.
func TestCostOfASolveByThoseInTheLog(t *testing.T) {
	if *past == 0 {
		t.Skip("-past")
	}
	d, _ := consoleOn(t, natstest.Start(t, natstest.Options{})[0].URL())
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for n, began := 0, cpu(); n < *past; n++ {
		ends(t, d, fmt.Sprint("Which one, ", n, "?"))
		if (n+1)%(*past/5) == 0 {
			t.Logf("%d in the log: %v CPU a solve", n+1, (cpu()-began)/time.Duration(*past/5))
			began = cpu()
		}
	}
}
