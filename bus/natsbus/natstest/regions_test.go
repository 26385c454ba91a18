package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

// Regions are servers that have the log, and servers without a store in another place.
type regions struct {
	home, away string // URLs
	domain     string // of the log, for those who connect away
	links      []*natstest.Proxy
	servers    []*natstest.Server
}

func (r *regions) cut() {
	for _, l := range r.links {
		l.Cut()
	}
}

func (r *regions) mend() {
	for _, l := range r.links {
		l.Mend()
	}
}

func (r *regions) far(latency time.Duration) {
	for _, l := range r.links {
		l.Away(latency)
	}
}

func (r *regions) kill() {
	for _, s := range r.servers {
		s.Kill()
	}
}

// region is the domain of the servers that have the log, where there is a leaf node of them.
const region = "home"

// connections are the ways to connect regions.
var connections = map[string]func(*testing.T) *regions{"leaf node": leafNode, "gateway": gateway}

// inRegions runs a test with each of the connections.
func inRegions(t *testing.T, test func(*testing.T, *regions)) {
	t.Parallel()
	for name, connect := range connections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, connect(t))
		})
	}
}

// leafNode starts a server with the log and a leaf node of it.
func leafNode(t *testing.T) *regions {
	t.Helper()
	at := fmt.Sprintf("127.0.0.1:%d", natstest.FreePorts(t, 1)[0])
	hub := natstest.Start(t, natstest.Options{Processes: true, Config: fmt.Sprintf("leafnodes { listen: %q, no_advertise: true }", at), Domain: region})[0]
	link := natstest.NewProxy(t, at)
	leaf := natstest.Start(t, natstest.Options{Processes: true, NoStore: true, Config: fmt.Sprintf("leafnodes { remotes: [ { url: \"nats://%s\" } ] }", link.Addr())})[0]
	return &regions{hub.URL(), leaf.URL(), region, []*natstest.Proxy{link}, []*natstest.Server{hub, leaf}}
}

// gateway starts a cluster of three servers with the log, and a cluster of one without a
// store that has gateways to them.
func gateway(t *testing.T) *regions {
	t.Helper()
	ports := natstest.FreePorts(t, 5)
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	r := &regions{}
	var to []string
	for i := range 4 {
		r.links = append(r.links, natstest.NewProxy(t, at(i)))
		to = append(to, fmt.Sprintf("%q", "nats://"+r.links[i].Addr()))
	}
	home := natstest.Start(t, natstest.Options{Servers: 3, Processes: true, Of: func(i int) string {
		return fmt.Sprintf("gateway { name: test, listen: %q, advertise: %q }", at(i), r.links[i].Addr())
	}})
	away := natstest.Start(t, natstest.Options{Processes: true, NoStore: true, Config: fmt.Sprintf(
		"server_name: away\ncluster { name: away, listen: %q }\ngateway { name: away, listen: %q, advertise: %q, gateways: [ { name: test, urls: [%s] } ] }",
		at(4), at(3), r.links[3].Addr(), strings.Join(to[:3], ", "))})
	r.home, r.away, r.servers = natstest.URLs(home), away[0].URL(), append(home, away...)
	return r
}

// A crowd publishes in one process until it is stopped.
type crowd struct {
	acknowledged atomic.Int64
	stop         context.CancelFunc
	wait         sync.WaitGroup

	mu  sync.Mutex // protects the field below
	seq map[string]uint64
}

func startCrowd(t *testing.T, l *natsbus.Log, agents int) *crowd {
	t.Helper()
	c := &crowd{seq: map[string]uint64{}}
	ctx, cancel := context.WithCancel(t.Context())
	c.stop = cancel
	for i := range agents {
		p := agent(t, l, fmt.Sprint(l.Process(), "-", i))
		c.wait.Go(func() {
			for ctx.Err() == nil {
				r, err := p.Publish(ctx, found("t", "x"))
				if errors.Is(err, bus.ErrUnknown) || err != nil && ctx.Err() != nil {
					return
				}
				if err != nil {
					t.Errorf("%s: %v", l.Process(), err)
					return
				}
				c.mu.Lock()
				c.seq[r.ID.String()] = r.Seq
				c.mu.Unlock()
				c.acknowledged.Add(1)
			}
		})
	}
	t.Cleanup(c.end)
	return c
}

func (c *crowd) end() {
	c.stop()
	c.wait.Wait()
}

// more waits until as many more signals are acknowledged.
func (c *crowd) more(t *testing.T, n int64) {
	t.Helper()
	want := c.acknowledged.Load() + n
	for ctx := soon(t); c.acknowledged.Load() < want; pause() {
		if ctx.Err() != nil {
			t.Fatalf("%d acknowledged, want %d", c.acknowledged.Load(), want)
		}
	}
}

// Agents in two regions publish while the link between them is cut, and after it is there
// again. What the process away says meanwhile waits.
func TestLinkBetweenRegionsIsCutAndNothingIsLostOrThereTwice(t *testing.T) {
	inRegions(t, cutTwice)
}

func cutTwice(t *testing.T, r *regions) {
	r.far(10 * time.Millisecond)
	// The region of the log writes as fast as it can until the process away notices.
	const remembered = 1 << 19
	keep := bus.Options{TTL: -1, History: remembered / 4}
	home := join(t, natsbus.Options{URL: r.home, Process: "home", Bus: keep, Remember: remembered})
	silent := make(chan struct{}, 64)
	away := join(t, natsbus.Options{URL: r.away, Domain: r.domain, Process: "away", Bus: keep, Remember: remembered, Tell: natsbus.Tell{Status: func(s natsbus.Status) {
		if !s.Connected {
			silent <- struct{}{}
		}
	}}})
	var handled []uint64
	_, err := bus.Handle(away.Bus(), bus.HandleOptions{Agent: "listener"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		handled = append(handled, s.Seq)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	crowds := []*crowd{startCrowd(t, home, 4), startCrowd(t, away, 4)}
	for range 2 {
		crowds[1].more(t, 40)
		for len(silent) > 0 {
			<-silent
		}
		r.cut()
		crowds[0].more(t, 200)
		<-silent // what was on its way when the link was cut has come
		before := crowds[1].acknowledged.Load()
		crowds[0].more(t, 50)
		if n := crowds[1].acknowledged.Load(); n != before {
			t.Errorf("%d signals were acknowledged without a link", n-before)
		}
		r.mend()
	}
	crowds[1].more(t, 40)
	for _, c := range crowds {
		c.end()
	}
	last := must(t, agent(t, home, "last"), found("t", "end"))
	reach(t, away.Bus(), last.Seq)
	if err := away.Bus().Sync(soon(t), last.Seq); err != nil {
		t.Fatal(err)
	}
	late := join(t, natsbus.Options{URL: r.home, Process: "late", Bus: keep, Remember: remembered})
	all := lines(t, late.Bus())
	if !slices.Equal(all, lines(t, home.Bus())) || !slices.Equal(all, lines(t, away.Bus())) {
		t.Error("processes have different logs")
	}
	at := map[string]uint64{}
	var want []uint64
	for s := range late.Bus().History(bus.Filter{}) {
		h := s.Head()
		if at[h.ID.String()] != 0 {
			t.Errorf("%s is in the log twice", h.ID)
		}
		at[h.ID.String()], want = h.Seq, append(want, h.Seq)
	}
	for _, c := range crowds {
		for id, seq := range c.seq {
			if at[id] != seq {
				t.Errorf("%s was acknowledged at %d, the log has it at %d", id, seq, at[id])
			}
		}
	}
	if !slices.Equal(handled, want) {
		t.Errorf("the handler away has %d of %d signals, or in another order", len(handled), len(want))
	}
	t.Logf("%d and %d acknowledged, sent again: %d by the process away", crowds[0].acknowledged.Load(), crowds[1].acknowledged.Load(), away.Stats().Retried)
}

// The connection to the server away is whole while its link is cut.
func TestDisconnectedProcessReportsThatNoServerAnswers(t *testing.T) {
	inRegions(t, nobodyAnswers)
}

func nobodyAnswers(t *testing.T, r *regions) {
	told := make(chan natsbus.Status, 16)
	l := join(t, natsbus.Options{URL: r.away, Domain: r.domain, Tell: natsbus.Tell{Status: func(s natsbus.Status) { told <- s }}})
	hears := func(connected bool) natsbus.Status {
		for {
			select {
			case s := <-told:
				if s.Connected == connected {
					return s
				}
			case <-soon(t).Done():
				t.Fatalf("not told that connected is %v", connected)
			}
		}
	}
	hears(true)
	r.cut()
	if s := hears(false); !strings.Contains(s.String(), "do not answer") {
		t.Errorf("told %q", s)
	}
	r.mend()
	hears(true)
	must(t, agent(t, l, "a"), found("t", "x"))
}

// A leaf node keeps requests of JetStream to itself: without the domain of the log nobody
// answers, and the process says so.
func TestProcessBehindALeafNodeReportsThatItNeedsADomain(t *testing.T) {
	t.Parallel()
	r := leafNode(t)
	warned := make(chan string, 1)
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := natsbus.Join(ctx, natsbus.Options{URL: r.away, Tell: natsbus.Tell{Warn: func(problem string) { warned <- problem }}})
		ended <- err
	}()
	select {
	case problem := <-warned:
		if !strings.Contains(problem, "Options.Domain") {
			t.Errorf("warned of %q", problem)
		}
	case err := <-ended:
		t.Fatalf("joined without a domain: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, domain := range []string{"a b", "a.b", "*"} {
		if _, err := natsbus.Join(soon(t), natsbus.Options{URL: r.away, Domain: domain}); !errors.Is(err, natsbus.ErrOption) || !strings.Contains(err.Error(), "Domain") {
			t.Errorf("the domain %q: %v", domain, err)
		}
	}
}

// Leases and results are in that domain, too.
func TestRoomsRunBehindALeafNode(t *testing.T) {
	t.Parallel()
	r := leafNode(t)
	keys := t.TempDir()
	first := startTalk(t, "rooms", officeFile, "--nats", r.away, "--domain", region, "--stream", "office", "--keys", keys)
	first.sees(t, "this process runs the rooms")
	second := startTalk(t, "rooms", officeFile, "--nats", r.home, "--stream", "office", "--keys", keys)
	second.sees(t, "this process follows the rooms")
	second.types(t, "Who is here?")
	first.sees(t, "I am Veda")
	first.types(t, "/quit")
	second.sees(t, "this process runs the rooms")
}

// TestFiguresOfRegions measures what a link costs a process away.
func TestFiguresOfRegions(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures is 0")
	}
	table := []string{"", "| link | latency | acknowledged, of one publisher away | from a publisher at home to a handler away | 1,000 publishers away | first acknowledgement after a cut of 3 s |", "| --- | --- | --- | --- | --- | --- |"}
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		for _, far := range []time.Duration{0, 10 * time.Millisecond, 40 * time.Millisecond} {
			table = append(table, fmt.Sprintf("| %s | %v | %s |", name, far, costOf(t, connections[name](t), far)))
		}
	}
	t.Logf("load %s\n%s", load(), strings.Join(table, "\n"))
}

func costOf(t *testing.T, r *regions, far time.Duration) string {
	r.far(far)
	home := join(t, natsbus.Options{URL: r.home, Stream: "swarm"})
	defer r.kill()
	defer home.Close()
	away := join(t, natsbus.Options{URL: r.away, Domain: r.domain, Stream: "swarm"})
	defer away.Close()
	p := agent(t, away, "one")
	var acknowledged []time.Duration
	for range 100 {
		began := time.Now()
		must(t, p, finding())
		acknowledged = append(acknowledged, time.Since(began))
	}
	slices.Sort(acknowledged)
	took, err := handlePaced(away.Bus())
	if err != nil {
		t.Fatal(err)
	}
	publishPaced(t, home.Bus())
	handled := collect(took)
	rate := publishAll(t, away.Bus())
	r.cut()
	time.Sleep(3 * time.Second)
	waits := make(chan time.Time, 1)
	go func() {
		must(t, p, finding())
		waits <- time.Now()
	}()
	mended := time.Now()
	r.mend()
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	return fmt.Sprintf("median %v, p99 %v | median %v, p99 %v | %s/s | %v",
		round(acknowledged[50]), round(acknowledged[99]), round(handled[paced/2]), round(handled[paced*99/100]), thousands(rate), (<-waits).Sub(mended).Round(10*time.Millisecond))
}
