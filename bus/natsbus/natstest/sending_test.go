package natstest_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// TestFiguresOfServers measures what a signal costs the processors of the servers: to be
// stored, and to be sent to one more process.
func TestFiguresOfServers(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures is 0")
	}
	for _, nodes := range []int{1, 3} {
		servers := natstest.Start(t, natstest.Options{Servers: nodes, Processes: true})
		used := func() (all time.Duration) {
			for _, s := range servers {
				all += s.Processor(t)
			}
			return all
		}
		o := natsbus.Options{URL: natstest.URLs(servers), Stream: fmt.Sprint("cost", nodes), Storage: natsbus.Storage{Replicas: nodes}}
		l := join(t, o)
		before := used()
		publishAll(t, l.Bus())
		stored := used() - before
		const readers = 5
		before = used()
		for range readers {
			join(t, o) // reads all of it
		}
		sent := (used() - before) / readers
		n := time.Duration(*figures)
		t.Logf("%d servers: to store a signal and send it to its publisher %v of a processor, to send it to another process %v", nodes, stored/n, sent/n)
	}
}

// TestFiguresOfSingleSignals measures what a signal costs processors if signals arrive one by one,
// at a rate far below what the log could carry: there is nothing to share a message with.
func TestFiguresOfSingleSignals(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures is 0")
	}
	const rate, logs = 300, 4
	for _, nodes := range []int{1, 3, 5} {
		servers := natstest.Start(t, natstest.Options{Servers: nodes, Processes: true})
		used := func() (all, own time.Duration) {
			for _, s := range servers {
				all += s.Processor(t)
			}
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
				t.Fatal(err)
			}
			return all, time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		var all []*natsbus.Log
		for range logs {
			all = append(all, join(t, natsbus.Options{URL: natstest.URLs(servers), Stream: fmt.Sprint("single", nodes), Storage: natsbus.Storage{Replicas: nodes}}))
		}
		idle, idleOwn := used()
		time.Sleep(5 * time.Second)
		before, beforeOwn := used()
		idle, idleOwn = (before-idle)/5, (beforeOwn-idleOwn)/5
		began := time.Now()
		var running sync.WaitGroup
		for i := range *figures {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / rate)))
			running.Go(func() {
				if _, err := all[i%logs].Bus().System().Publish(soon(t), finding()); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		took := time.Since(began)
		after, afterOwn := used()
		for _, l := range all {
			reach(t, l.Bus(), all[0].Bus().Last())
		}
		n := time.Duration(*figures)
		t.Logf("%d servers, %d logs, %.0f signals a second, of a processor for each signal: the servers together %v, the logs together %v; idle, for a second: %v and %v",
			nodes, logs, float64(n)/took.Seconds(), (after-before)/n, (afterOwn-beforeOwn)/n, idle, idleOwn)
		for _, l := range all {
			l.Close()
		}
		for _, s := range servers {
			s.Kill()
		}
	}
}
