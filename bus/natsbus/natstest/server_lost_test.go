package natstest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// leader returns the server that leads a stream; nil if there is none.
func leader(t *testing.T, all []*natstest.Server, stream string) *natstest.Server {
	t.Helper()
	conn, err := nats.Connect(natstest.URLs(all), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1)) // a server may be about to start
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for ctx := soon(t); ctx.Err() == nil; pause() {
		asking, cancel := context.WithTimeout(ctx, 2*time.Second) // without a leader, nobody answers
		s, err := js.Stream(asking, stream)
		cancel()
		if err != nil {
			continue
		}
		for _, n := range all {
			if n.Name == s.CachedInfo().Cluster.Leader {
				return n
			}
		}
	}
	t.Fatal("no leader")
	return nil
}

// follower returns a server that leads neither the stream nor the cluster.
func follower(t *testing.T, all []*natstest.Server, stream string) (one *natstest.Server, others []*natstest.Server) {
	t.Helper()
	led := leader(t, all, stream)
	for _, n := range all {
		if one == nil && n != led && !n.LeadsCluster(t) {
			one = n
			continue
		}
		others = append(others, n)
	}
	if one == nil {
		t.Fatal("no follower")
	}
	return one, others
}

// Servers place a reader's consumer on one of them, also on one that stands still.
func TestReadersGoOnWhileAServerStandsStill(t *testing.T) {
	t.Parallel()
	servers := natstest.Start(t, natstest.Options{Servers: 3, Processes: true, NoSync: true})
	writer := join(t, natsbus.Options{URL: natstest.URLs(servers), Process: "writer", Storage: natsbus.Storage{Replicas: 3}})
	must(t, agent(t, writer, "ann"), found("", "first"))
	still, others := follower(t, servers, "swarmbus")
	proxy := natstest.NewProxy(t, strings.TrimPrefix(others[0].URL(), "nats://"))
	var readers []*natsbus.Log
	for i := range 8 {
		readers = append(readers, join(t, natsbus.Options{URL: "nats://" + proxy.Addr(), Process: fmt.Sprint("reader", i), Storage: natsbus.Storage{Replicas: 3}}))
	}
	still.Signal(syscall.SIGSTOP)
	defer still.Signal(syscall.SIGCONT)
	proxy.Cut()
	time.Sleep(100 * time.Millisecond)
	proxy.Mend()
	speaker := join(t, natsbus.Options{URL: natstest.URLs(others), Process: "speaker", Storage: natsbus.Storage{Replicas: 3}})
	last := must(t, agent(t, speaker, "bob"), found("", "second")).Seq
	ctx := soon(t)
	var all sync.WaitGroup
	for i, r := range readers {
		all.Go(func() {
			for r.Bus().Last() < last {
				if ctx.Err() != nil {
					t.Errorf("reader %d is at %d, not at %d", i, r.Bus().Last(), last)
					return
				}
				pause()
			}
		})
	}
	all.Wait()
}
