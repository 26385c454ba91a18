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

// TestFiguresOfSingleSignals measures what a signal costs processors if signals arrive one by one, at
// rates below what the log could carry: they seldom share a message.
func TestFiguresOfSingleSignals(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures is 0")
	}
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
		for _, c := range []struct{ rate, logs int }{{300, 4}, {300, 20}, {2000, 4}} {
			rate, logs := time.Duration(c.rate), c.logs
			var all []*natsbus.Log
			for range logs {
				all = append(all, join(t, natsbus.Options{URL: natstest.URLs(servers), Stream: fmt.Sprintf("single-%d-%d-%d", nodes, rate, logs), Storage: natsbus.Storage{Replicas: nodes}}))
			}
			before, beforeOwn := used()
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
			for _, l := range all {
				reach(t, l.Bus(), all[0].Bus().Last())
			}
			took := time.Since(began)
			after, afterOwn := used()
			n := time.Duration(*figures)
			t.Logf("%d servers, %d processes, %.0f signals a second, of a processor for each signal: the servers together %v, each process %v",
				nodes, logs, float64(n)/took.Seconds(), (after-before)/n, (afterOwn-beforeOwn)/n/time.Duration(logs))
			for _, l := range all {
				l.Close()
			}
		}
		for _, s := range servers {
			s.Kill()
		}
	}
}
