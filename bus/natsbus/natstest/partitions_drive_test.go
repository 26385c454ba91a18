package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A spread process drives on all partitions of a log.
type spread struct {
	logs natsbus.Partitions
	past []*machines.Records // of each
}

func joinSpread(t *testing.T, url string) spread {
	t.Helper()
	codec, err := machines.Codec()
	if err != nil {
		t.Fatal(err)
	}
	s := spread{past: make([]*machines.Records, partitions)}
	o := natsbus.Options{URL: url, Partitions: partitions, Codec: codec, Reserved: machines.Reserved(), LeaseTTL: natsbus.MinLease}
	o.Tell.Alarm = func(d natsbus.Difference) { t.Error(d) }
	s.logs, err = natsbus.JoinAll(soon(t), o, func(i int) func(signals.Any) []byte {
		s.past[i] = machines.NewRecords()
		return s.past[i].Digest()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.logs.Close)
	return s
}

// solve drives a task in its partition.
func (s spread) solve(ctx context.Context, task signals.Task) (*solves.Result, error) {
	i := slices.Index(s.logs, s.logs.Of(machines.PartitionKey(task)))
	all := team(nil)
	if err := machines.Remote(s.logs[i], all); err != nil {
		return nil, err
	}
	return solving{s.logs[i], s.past[i]}.solve(ctx, all, task)
}

// Two drivers of three partitions are asked the same tasks at once, and agents without a log take
// the turns of all of them.
func TestTasksAreSolvedOnceEachInItsPartition(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	drivers := []spread{joinSpread(t, url), joinSpread(t, url)}
	for _, a := range team(nil) {
		link, err := natsbus.Dial(soon(t), natsbus.Options{URL: url, Partitions: partitions})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(link.Close)
		go func() { _ = machines.Serve(t.Context(), link, a.ID, func() *agents.Agent { return a }) }()
	}
	const tasks = 18 // some in each partition
	var all [2][tasks]string
	var wait sync.WaitGroup
	for n, driver := range drivers {
		wait.Go(func() {
			for i := range tasks {
				r, err := driver.solve(soon(t), signals.Task{Task: fmt.Sprint("Question ", i)})
				if err != nil || r.Stop != runlog.StopConsensus {
					t.Errorf("driver %d, task %d: %+v, %v", n, i, r, err)
					return
				}
				all[n][i] = r.Thread
			}
		})
	}
	wait.Wait()
	if all[0] != all[1] {
		t.Errorf("the drivers have other threads:\n%v\n%v", all[0], all[1])
	}
	asked := map[*natsbus.Log]int{}
	for _, l := range drivers[0].logs {
		for s := range l.Bus().History(bus.Filter{Kinds: []signals.Kind{signals.KindTask}}) {
			asked[l]++
			if thread := s.Head().Thread; !l.Has(thread) || drivers[0].logs.Of(thread) != l {
				t.Errorf("the thread %s is in the log of another partition", thread)
			}
		}
	}
	if got := asked[drivers[0].logs[0]] + asked[drivers[0].logs[1]] + asked[drivers[0].logs[2]]; got != tasks || len(asked) != partitions {
		t.Errorf("%d tasks in %d partitions, want %d in %d", got, len(asked), tasks, partitions)
	}
}

// Of partitions each needs a digest of its own, as one folds one log.
func TestOneDigestForAllPartitionsIsRefused(t *testing.T) {
	t.Parallel()
	_, err := natsbus.JoinAll(soon(t), natsbus.Options{Partitions: partitions, Digest: machines.Digest()}, nil)
	if !errors.Is(err, natsbus.ErrOption) || !strings.Contains(err.Error(), "Digest") {
		t.Errorf("got %v", err)
	}
}
