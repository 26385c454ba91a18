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

// TestFigures measures what docs/scale.md says, and prints its tables.
func TestFigures(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures 20000 measures")
	}
	rates := []string{"", "| servers | JetStream alone | natsbus | ratio |", "| --- | --- | --- | --- |"}
	same := []string{
		"", "| the same program | 1,000 publishers | 1,000 publishers in 4 processes | one publisher | publish to handler |", "| --- | --- | --- | --- | --- |",
		row("bus in one process", localRate(t), 0, local(t)),
	}
	for _, o := range []natstest.Options{{NoSync: true, Processes: true}, {Processes: true}, {Servers: 3, Processes: true}} {
		name := fmt.Sprintf("%d, sync always", max(1, o.Servers))
		if o.NoSync {
			name = "1, acknowledging before fsync"
		}
		servers := natstest.Start(t, o)
		settle(t, servers, max(1, o.Servers))
		var raw, ours, ratios []float64
		for range 3 { // in turns, because of the load of the machine
			raw, ours = append(raw, rawRate(t, servers)), append(ours, ourRate(t, servers))
			ratios = append(ratios, ours[len(ours)-1]/raw[len(raw)-1])
		}
		rates = append(rates, fmt.Sprintf("| %s | %s/s | %s/s | %.2f (%.2f to %.2f) |", name, thousands(median(raw)), thousands(median(ours)), median(ratios), slices.Min(ratios), slices.Max(ratios)))
		same = append(same, row("natsbus, servers: "+name, median(ours), spreadRate(t, servers), remote(t, servers)))
		for _, s := range servers {
			s.Kill()
		}
	}
	t.Logf("%d processors, load %s\n%s", runtime.NumCPU(), load(), strings.Join(slices.Concat(rates, same), "\n"))
}

func row(name string, many, spread float64, one latencies) string {
	apart := "cannot"
	if spread > 0 {
		apart = thousands(spread) + "/s"
	}
	return fmt.Sprintf("| %s | %s/s | %s | %s/s | median %v, p99 %v |", name, thousands(many), apart, thousands(one.rate), one.median.Round(10*time.Microsecond), one.p99.Round(10*time.Microsecond))
}

func thousands(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	if len(text) > 3 && len(text) < 7 {
		text = text[:len(text)-3] + "," + text[len(text)-3:]
	}
	return text
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
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
	took, err := publishMany(b, "agent", window, *figures)
	if err != nil {
		t.Fatal(err)
	}
	return float64(*figures) / took.Seconds()
}

func publishMany(b *bus.Bus, name string, publishers, n int) (time.Duration, error) {
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	errs := make(chan error, publishers)
	began := time.Now()
	for i := range publishers {
		p, err := b.Agent(fmt.Sprint(name, i), bus.Permissions{})
		if err != nil {
			return 0, err
		}
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := p.Publish(context.Background(), finding()); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return time.Since(began), <-errs
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

// A latencies is how long it takes from before Publish to a handler at a hundred signals a
// second, and how many a second one publisher publishes that waits for each.
type latencies struct {
	median, p99 time.Duration
	rate        float64
}

const paced = 500

func publishPaced(t *testing.T, b *bus.Bus) (rate float64) {
	p, err := b.Agent("a", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	for range paced {
		s := finding()
		s.Time = time.Now()
		must(t, p, s)
		time.Sleep(10 * time.Millisecond)
	}
	began := time.Now()
	for range paced {
		must(t, p, finding())
	}
	return paced / time.Since(began).Seconds()
}

// handlePaced returns how long the signals of publishPaced took until they were handled.
func handlePaced(b *bus.Bus) (<-chan time.Duration, error) {
	took := make(chan time.Duration, paced)
	_, err := bus.Handle(b, bus.HandleOptions{Agent: "b"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		select {
		case took <- time.Since(s.Time):
		default: // of those that are published at once
		}
		return nil
	})
	return took, err
}

func local(t *testing.T) latencies {
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	took, err := handlePaced(b)
	if err != nil {
		t.Fatal(err)
	}
	rate := publishPaced(t, b)
	all := collect(took)
	return latencies{all[paced/2], all[paced*99/100], rate}
}

func collect(took <-chan time.Duration) (all []time.Duration) {
	for range paced {
		all = append(all, <-took)
	}
	slices.Sort(all)
	return all
}
