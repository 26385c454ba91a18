package natstest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

var figures = flag.Int("figures", 0, "messages with which to measure; 0: do not")

// TestFigures measures what docs/scale.md says.
func TestFigures(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures 20000 measures")
	}
	t.Logf("%d processors, load %s", runtime.NumCPU(), load())
	for _, o := range []natstest.Options{{NoSync: true, Processes: true}, {Processes: true}, {Servers: 3, Processes: true}} {
		name := fmt.Sprintf("servers=%d/sync=%v", max(1, o.Servers), !o.NoSync)
		servers := natstest.Start(t, o)
		settle(t, servers, max(1, o.Servers))
		var ratios []float64
		for range 3 { // in turns, because of the load of the machine
			raw, ours := rawRate(t, servers), ourRate(t, servers)
			ratios = append(ratios, ours/raw)
			t.Logf("%s: raw %.0f/s, natsbus %.0f/s, %.2f", name, raw, ours, ours/raw)
		}
		slices.Sort(ratios)
		t.Logf("%s: median ratio %.2f", name, ratios[1])
		t.Logf("%s: publish to handler in another process: %s", name, latency(t, servers))
		for _, s := range servers {
			s.Kill()
		}
	}
	t.Logf("in-process bus: %.0f/s", localRate(t))
}

var streams atomic.Int64

func fresh() string { return fmt.Sprint("figures", streams.Add(1)) }

func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	return strings.TrimSpace(string(text))
}

// settle waits until a cluster takes streams.
func settle(t *testing.T, servers []*natstest.Server, replicas int) {
	join(t, natsbus.Options{URL: natstest.URLs(servers), Storage: natsbus.Storage{Replicas: replicas}}).Close()
}

func finding() *signals.Signal[signals.Discovery] { return found("t", strings.Repeat("x", 200)) }

const window = 1000 // publishers, or messages that are not acknowledged

// rawRate returns the messages per second of a publisher that sends asynchronously, with
// message ids, and a reader in another connection, both without anything of ours.
func rawRate(t *testing.T, servers []*natstest.Server) float64 {
	ctx, name := soon(t), fresh()
	nc, err := nats.Connect(natstest.URLs(servers))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(window))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Replicas: len(servers)})
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(4096))
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	header, data, err := cloudevents.Binary(complete(withID(finding(), "x")))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	go func() {
		for i := range *figures {
			h := nats.Header{}
			for k, v := range header {
				h[k] = v
			}
			h.Set(nats.MsgIdHdr, fmt.Sprint(i))
			if _, err := js.PublishMsgAsync(&nats.Msg{Subject: name + ".t.discovery", Header: h, Data: data}, jetstream.WithStallWait(30*time.Second)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range *figures {
		if _, err := messages.Next(); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	return float64(*figures) / time.Since(began).Seconds()
}

func withID(s *signals.Signal[signals.Discovery], id string) *signals.Signal[signals.Discovery] {
	s.ID = signals.MustID(id)
	return s
}

// ourRate is rawRate with as many publishers as messages are not acknowledged there, each
// of which waits until its signal is in the log and in the bus, in order and once.
func ourRate(t *testing.T, servers []*natstest.Server) float64 {
	l := join(t, natsbus.Options{URL: natstest.URLs(servers), Stream: fresh(), Storage: natsbus.Storage{Replicas: len(servers)}})
	defer l.Close()
	return publishAll(t, l.Bus())
}

func publishAll(t *testing.T, b *bus.Bus) float64 {
	var left atomic.Int64
	left.Store(int64(*figures))
	var all sync.WaitGroup
	began := time.Now()
	for i := range window {
		p, err := b.Agent(fmt.Sprint("agent", i), bus.Permissions{})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := p.Publish(t.Context(), finding()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return float64(*figures) / time.Since(began).Seconds()
}

// localRate is ourRate for a bus that orders its signals itself.
func localRate(t *testing.T) float64 {
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return publishAll(t, b)
}

// latency describes how long it takes from before Publish in one process to a handler in
// another, at a hundred signals a second.
func latency(t *testing.T, servers []*natstest.Server) string {
	o := natsbus.Options{URL: natstest.URLs(servers), Stream: fresh(), Storage: natsbus.Storage{Replicas: len(servers)}}
	from, to := join(t, o), join(t, o)
	defer from.Close()
	defer to.Close()
	const n = 500
	took := make(chan time.Duration, n)
	_, err := bus.Handle(to.Bus(), bus.HandleOptions{Agent: "b"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		took <- time.Since(s.Time)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p := agent(t, from, "a")
	for range n {
		s := finding()
		s.Time = time.Now()
		must(t, p, s)
		time.Sleep(10 * time.Millisecond)
	}
	var all []time.Duration
	for range n {
		all = append(all, <-took)
	}
	slices.Sort(all)
	return fmt.Sprintf("median %v, p99 %v", all[n/2], all[n*99/100])
}
