package natstest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

const partitions = 3

func joinAll(t *testing.T, url string) natsbus.Partitions {
	t.Helper()
	all, err := natsbus.JoinAll(soon(t), natsbus.Options{URL: url, Partitions: partitions}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	return all
}

func TestThreadsAreSpreadOverPartitionsEachInOneOrder(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	one, two := joinAll(t, url), joinAll(t, url)
	const threads, each = 30, 5
	var wait sync.WaitGroup
	for i := range threads {
		thread := fmt.Sprint("thread ", i)
		for n, logs := range []natsbus.Partitions{one, two} {
			p := agent(t, logs.Of(thread), fmt.Sprint("agent", i, "-", n))
			wait.Go(func() {
				for n := range each {
					must(t, p, found(thread, fmt.Sprint(n)))
				}
			})
		}
	}
	wait.Wait()
	total := 0
	for i, l := range one {
		last := must(t, agent(t, two[i], "last"), found(threadOf(i), "end"))
		reach(t, l.Bus(), last.Seq)
		got := lines(t, l.Bus())
		if !slices.Equal(got, lines(t, two[i].Bus())) {
			t.Errorf("two processes have different orders in partition %d", i)
		}
		if n := len(got) - 1; n < threads*2*each/partitions/4 {
			t.Errorf("partition %d has %d of %d signals", i, n, threads*2*each)
		}
		total += len(got) - 1
		for s := range l.Bus().History(bus.Filter{}) {
			if thread := s.Head().Thread; one.Of(thread) != l {
				t.Errorf("partition %d has %q", i, thread)
			}
		}
	}
	if total != threads*2*each {
		t.Errorf("the partitions have %d signals, want %d", total, threads*2*each)
	}
}

// threadOf returns a thread of a partition.
func threadOf(i int) string {
	for n := range 1000 {
		of := natsbus.PartitionOf("swarmbus", fmt.Sprint(n), partitions)
		if i == 0 && of == "swarmbus" || of == fmt.Sprint("swarmbus-", i) {
			return fmt.Sprint(n)
		}
	}
	return ""
}

func TestProcessReadsThePartitionsOfItsThreadsOnly(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	all := joinAll(t, url)
	mine := join(t, natsbus.Options{URL: url, Partitions: partitions, Thread: threadOf(1)})
	must(t, agent(t, all.Of(threadOf(2)), "a"), found(threadOf(2), "not read"))
	last := must(t, agent(t, all.Of(threadOf(1)), "a"), found(threadOf(1), "read"))
	reach(t, mine.Bus(), last.Seq)
	if got := lines(t, mine.Bus()); len(got) != 1 || !strings.Contains(got[0], "read") {
		t.Errorf("%v", got)
	}
	if _, err := agent(t, mine, "b").Publish(soon(t), found(threadOf(2), "x")); err == nil || !strings.Contains(err.Error(), "swarmbus-2") {
		t.Errorf("a thread of another partition: %v", err)
	}
	if _, err := agent(t, mine, "b").PublishAll(soon(t), found(threadOf(1), "x"), found(threadOf(2), "x")); err == nil || !strings.Contains(err.Error(), "swarmbus-2") {
		t.Errorf("threads of two partitions: %v", err)
	}
}

func TestAnotherNumberOfPartitionsIsRefused(t *testing.T) {
	t.Parallel()
	for _, made := range []int{1, partitions} {
		url := natstest.Start(t, natstest.Options{})[0].URL()
		join(t, natsbus.Options{URL: url, Partitions: made, Thread: threadOf(2)})
		for _, asked := range []int{1, 2, partitions, 5} {
			l, err := natsbus.Join(soon(t), natsbus.Options{URL: url, Partitions: asked, Thread: "x"})
			var wrong *natsbus.ConfigError
			switch {
			case err == nil && asked == made:
				l.Close()
			case asked == made || !errors.As(err, &wrong) || !strings.Contains(err.Error(), "Options.Partitions") || wrong.Got != fmt.Sprint(made):
				t.Errorf("%d partitions of %d: %v", asked, made, err)
			}
		}
	}
}
