package natstest_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A cluster has three servers, of which processes use the leader of the log.
type cluster struct {
	lead      *natstest.Server
	followers []*natstest.Server
}

func startCluster(t *testing.T) cluster {
	t.Helper()
	servers := natstest.Start(t, natstest.Options{Servers: 3, Processes: true, NoSync: true})
	join(t, natsbus.Options{URL: natstest.URLs(servers), Storage: natsbus.Storage{Replicas: 3}}).Close()
	c := cluster{lead: leader(t, servers, "swarmbus")}
	for _, s := range servers {
		if s != c.lead {
			c.followers = append(c.followers, s)
		}
	}
	return c
}

func (c cluster) options() natsbus.Options {
	return natsbus.Options{URL: c.lead.URL(), Storage: natsbus.Storage{Replicas: 3}}
}

// stall stops the followers for a while, so that the leader neither stores what it gets nor
// refuses it. It returns what waits for the end.
func (c cluster) stall(long time.Duration) (end func()) {
	for _, s := range c.followers {
		s.Signal(syscall.SIGSTOP)
	}
	over := make(chan struct{})
	time.AfterFunc(long, func() {
		defer close(over)
		for _, s := range c.followers {
			s.Signal(syscall.SIGCONT)
		}
	})
	return func() { <-over }
}

// What is sent again meanwhile has the id of a message that the leader is about to store.
func TestPublishersWaitWhileTheFollowersOfTheLeaderPause(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	l := join(t, c.options())
	layer, err := l.Bus().Layer("counter", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := agent(t, l, "a"), make(chan error, 3)
	must(t, a, found("t", "first"))
	defer c.stall(1500 * time.Millisecond)()
	var all sync.WaitGroup
	for _, publish := range []func() error{
		func() error { _, err := a.Publish(soon(t), found("t", "x")); return err },
		func() error { _, err := a.PublishAll(soon(t), found("t", "y"), found("t", "z")); return err },
		func() error {
			return layer.Append(soon(t), func(uint64, time.Time) ([]signals.Any, error) {
				return []signals.Any{signals.New(signals.Header{Thread: "t", TTL: -1}, signals.Memory{Content: "1", Category: "c"})}, nil
			}, nil)
		},
	} {
		all.Go(func() { errs <- publish() })
	}
	all.Wait()
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := len(lines(t, l.Bus())); n != 5 {
		t.Errorf("%d signals in the log, want 5", n)
	}
}

// What was sent before the log was closed is stored when the server goes on.
func TestPublisherWhoseLogIsClosedDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, natstest.Options{Processes: true, NoSync: true})[0]
	l, late := join(t, natsbus.Options{URL: s.URL()}), join(t, natsbus.Options{URL: s.URL()})
	first := must(t, agent(t, l, "a"), found("t", "first"))
	s.Signal(syscall.SIGSTOP)
	defer s.Signal(syscall.SIGCONT)
	told := make(chan error, 1)
	go func() {
		_, err := agent(t, l, "a").Publish(soon(t), found("t", "second"))
		told <- err
	}()
	for l.Stats().Retried == 0 { // until it is sent, and there is no answer
		pause()
	}
	l.Close()
	if err := <-told; !errors.Is(err, bus.ErrUnknown) || !errors.Is(err, natsbus.ErrClosed) {
		t.Errorf("got %v, want ErrUnknown and ErrClosed", err)
	}
	s.Signal(syscall.SIGCONT)
	reach(t, late.Bus(), first.Seq+1)
	if _, err := agent(t, l, "a").Publish(soon(t), found("t", "third")); errors.Is(err, bus.ErrUnknown) || err == nil {
		t.Errorf("what was never sent: %v", err)
	}
}

func TestCallersHaveTheRecordedResultThoughTheFollowersPause(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	results, err := join(t, c.options()).Results(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	do := func(thread, answer string) string {
		got, err := results.Do(soon(t), journal.Key{Thread: thread, Agent: "ann"}, func(context.Context) ([]byte, error) { return []byte(answer), nil })
		if err != nil {
			t.Error(err)
		}
		return string(got)
	}
	do("before", "x")
	defer c.stall(1500 * time.Millisecond)()
	var all sync.WaitGroup
	got := [2]string{}
	for i, answer := range []string{"one", "two"} {
		all.Go(func() { got[i] = do("t", answer) })
	}
	all.Wait()
	if recorded := do("t", "three"); got[0] != recorded || got[1] != recorded {
		t.Errorf("got %q, recorded %q", got, recorded)
	}
}

func TestSolveGoesOnAfterTheFollowersPaused(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	l := joinSolvingAs(t, c.options())
	var once sync.Once
	r, err := solve(soon(t), l, team(func(_ context.Context, agent string, round int) error {
		if agent == "cyn" && round == 2 {
			once.Do(func() { t.Cleanup(c.stall(800 * time.Millisecond)) })
		}
		return nil
	}))
	if err != nil || r.Stop != runlog.StopConsensus {
		t.Errorf("%+v, %v", r, err)
	}
}
