package natstest_test

import (
	"fmt"
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
