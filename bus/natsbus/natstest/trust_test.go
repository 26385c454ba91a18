package natstest_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func TestServersThatAcknowledgeBeforeFsyncAreNamed(t *testing.T) {
	t.Parallel()
	careless, careful := natstest.Start(t, natstest.Options{NoSync: true})[0], natstest.Start(t, natstest.Options{})[0]
	other := natstest.Start(t, natstest.Options{})[0]
	join(t, natsbus.Options{URL: other.URL()}) // which makes a stream of the same name
	http := func(s *natstest.Server) string { return strings.Replace(s.URL(), "nats://", "http://", 1) }
	for name, c := range map[string]struct {
		o    natsbus.Options
		want string // "": none
	}{
		"by default":            {natsbus.Options{URL: careless.URL(), Storage: natsbus.Storage{Monitor: []string{careless.Monitor()}}}, "jetstream sync_interval is 2m0s at " + careless.Monitor() + ", want always"},
		"one of two by default": {natsbus.Options{URL: careful.URL(), Storage: natsbus.Storage{Monitor: []string{careful.Monitor(), careless.Monitor()}}}, "jetstream sync_interval is 2m0s at " + careless.Monitor()},
		"always":                {natsbus.Options{URL: careful.URL(), Storage: natsbus.Storage{Monitor: []string{careful.Monitor()}}}, ""},
		"of another server":     {natsbus.Options{URL: careful.URL(), Storage: natsbus.Storage{Monitor: []string{other.Monitor()}}}, "number of servers that have this stream swarmbus and are in Storage.Monitor is 0, want 1"},
		"unknown":               {natsbus.Options{URL: careful.URL()}, "no monitoring port that could tell is in Storage.Monitor"},
		"in memory":             {natsbus.Options{URL: careful.URL(), Stream: "memory", Storage: natsbus.Storage{InMemory: true}}, "storage is memory, want file"},
		"too few replicas":      {natsbus.Options{URL: careful.URL(), Storage: natsbus.Storage{Replicas: 3, Strict: true}}, "num_replicas is 1, want 3"},
		"monitoring is no port": {natsbus.Options{URL: careful.URL(), Storage: natsbus.Storage{Monitor: []string{"http://127.0.0.1:1"}}}, "sync_interval is unknown, want always: Storage.Monitor: "},
		"port of clients":       {natsbus.Options{URL: careful.URL(), Storage: natsbus.Storage{Monitor: []string{http(careful)}}}, http(careful) + " does not speak HTTP, so it is not the monitoring port of a NATS server"},
	} {
		var warned string
		o := c.o
		o.Tell.Warn = func(problem string) { warned += problem }
		join(t, natsbus.Options{URL: o.URL, Stream: o.Stream, Storage: natsbus.Storage{InMemory: o.Storage.InMemory}})
		if !o.Storage.Strict {
			l, err := natsbus.Join(soon(t), o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			l.Close()
			if strings.Contains(warned, "does not answer for the stream") {
				t.Errorf("%s: servers that answered are said not to: %s", name, warned)
			}
			if !strings.Contains(warned, c.want) || strings.Contains(warned, "server_id") || (c.want == "") != (warned == "") {
				t.Errorf("%s: warned %q, want %q", name, warned, c.want)
			}
		}
		o.Storage.Strict = true
		l, err := natsbus.Join(soon(t), o)
		var config *natsbus.ConfigError
		if c.want == "" && err == nil {
			l.Close()
		} else if !errors.As(err, &config) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// keys returns the keys of sources.
func keys(t *testing.T, sources ...string) (map[string]ed25519.PrivateKey, map[string][]ed25519.PublicKey) {
	t.Helper()
	private, public := map[string]ed25519.PrivateKey{}, map[string][]ed25519.PublicKey{}
	for _, s := range sources {
		p, k, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		private[s], public[s] = k, []ed25519.PublicKey{p}
	}
	return private, public
}

func TestForgedSourcesAreDeadLettersWithAReason(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, "a", "b")
	var mu sync.Mutex
	var dead []natsbus.DeadLetter
	honest := join(t, natsbus.Options{URL: url, Key: private["a"], Keys: public, Tell: natsbus.Tell{Dead: func(d natsbus.DeadLetter) {
		mu.Lock()
		defer mu.Unlock()
		dead = append(dead, d)
	}}})
	must(t, agent(t, honest, "a"), found("t", "x"))
	for name, c := range map[string]struct {
		o      natsbus.Options
		source string
	}{
		"another's key": {natsbus.Options{Key: private["b"]}, "a"},
		"no key":        {natsbus.Options{}, "a"},
		"no known key":  {natsbus.Options{Key: private["a"]}, "stranger"},
	} {
		c.o.URL, c.o.Keys = url, public
		l := join(t, c.o)
		_, err := agent(t, l, c.source).Publish(soon(t), found("t", "forged"))
		var d *natsbus.DeadLetter
		if !errors.As(err, &d) || d.Reason != natsbus.Forged {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What was signed is sent again under another subject, and changed.
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	header, data, err := cloudevents.Binary(signals.New(
		signals.Header{ID: signals.MustID("z"), Source: "b", Thread: "t", Time: time.Now()}, signals.Discovery{Finding: "z", Relevance: 1}))
	if err != nil {
		t.Fatal(err)
	}
	nh := nats.Header(header)
	nh.Set(nats.MsgIdHdr, "z")
	for _, source := range []string{"b", "a"} {
		if _, err := nc.RequestMsg(&nats.Msg{Subject: natsbus.Subject("swarmbus", "t", "discovery", source), Header: nh, Data: data}, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		nh.Set(nats.MsgIdHdr, "y")
	}
	last := must(t, agent(t, honest, "a"), found("t", "end"))
	if got := honest.Stats().Dead[natsbus.Forged]; got < 4 || len(lines(t, honest.Bus())) != 2 {
		t.Errorf("%d forged up to %d, log %v", got, last.Seq, lines(t, honest.Bus()))
	}
	mu.Lock()
	defer mu.Unlock()
	if len(dead) < 4 || dead[0].Process == "" || !strings.Contains(dead[0].Error(), "forged") {
		t.Errorf("%+v", dead)
	}
}

func TestDriverThatLostItsLeaseCommitsNothing(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	proxy := natstest.NewProxy(t, strings.TrimPrefix(url, "nats://"))
	old := join(t, natsbus.Options{URL: "nats://" + proxy.Addr(), LeaseTTL: natsbus.MinLease, Process: "old"})
	first, err := old.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	a := agent(t, old, "a")
	must(t, a, found("t", "before"))
	waits, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	next := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease, Process: "new"})
	if _, err := next.Lease(waits, "solve"); err == nil {
		t.Fatal("two processes hold the lease")
	}
	proxy.Cut()
	late := make(chan error, 1)
	go func() { // it does not know yet
		_, err := a.Publish(soon(t), found("t", "late"))
		late <- err
	}()
	second, err := next.Lease(soon(t), "solve")
	if err != nil || second.Token() <= first.Token() {
		t.Fatal(second, err)
	}
	must(t, agent(t, next, "b"), found("t", "after"))
	<-first.Context().Done() // by its own clock: it is still cut off
	proxy.Mend()
	var dead *natsbus.DeadLetter
	if err := <-late; !errors.As(err, &dead) || dead.Reason != natsbus.Fenced {
		t.Errorf("late: %v", err)
	}
	if _, err := a.Publish(soon(t), found("t", "knows")); !errors.Is(err, natsbus.ErrLost) {
		t.Errorf("after the loss: %v", err)
	}
	first.Release()
	must(t, a, found("t", "as anybody")) // not as the driver
	second.Release()
	third, err := old.Lease(soon(t), "solve")
	if err != nil || third.Token() <= second.Token() {
		t.Fatal(third, err)
	}
	must(t, a, found("t", "again"))
}

func TestProcessThatDerivesSomethingElseRaisesAnAlarmWithTheFirstSignal(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	alarms := make(chan natsbus.Difference, 100)
	digest := func(wrong string) func(signals.Any) []byte {
		return func(s signals.Any) []byte {
			if d, ok := signals.As[signals.Discovery](s); ok && d.Payload.Finding == "7" {
				return []byte(wrong)
			}
			return nil
		}
	}
	fast := 20 * time.Millisecond
	one := join(t, natsbus.Options{URL: url, Process: "one", Compare: fast, Digest: digest("x"), Tell: natsbus.Tell{Alarm: func(d natsbus.Difference) { alarms <- d }}})
	same := join(t, natsbus.Options{URL: url, Process: "same", Compare: fast, Digest: digest("x")})
	a := agent(t, one, "a")
	for i := range 7 {
		must(t, a, found("t", string(rune('0'+i))))
	}
	for ctx := soon(t); same.Stats().Compared < 7; pause() {
		if ctx.Err() != nil {
			t.Fatalf("%+v", same.Stats())
		}
	}
	join(t, natsbus.Options{URL: url, Process: "other", Compare: fast, Digest: digest("y")})
	for i := range 7 {
		must(t, a, found("t", string(rune('7'+i))))
	}
	d := <-alarms
	if d.Process != "other" || d.Seq != 8 || d.Signal == nil || d.Signal.Body().(signals.Discovery).Finding != "7" || same.Stats().Compared == 0 {
		t.Errorf("%v", d)
	}
}

// One that began with a snapshot knows no message before it, and asks for none.
func TestProcessWithASnapshotRaisesAnAlarmWithTheFirstSignal(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	digest := func(wrong string) func(signals.Any) []byte {
		return func(s signals.Any) []byte {
			if d, ok := signals.As[signals.Discovery](s); ok && d.Payload.Finding == "7" {
				return []byte(wrong)
			}
			return nil
		}
	}
	tells := 3 * time.Second // so that a claim begins before the snapshot
	one := join(t, natsbus.Options{URL: url, Process: "one", Compare: tells, Digest: digest("x"), Over: func(string) bool { return false }})
	a := agent(t, one, "a")
	for i := range 5 {
		must(t, a, found("t", fmt.Sprint(i)))
	}
	if err := one.Snapshot(soon(t)); err != nil {
		t.Fatal(err)
	}
	alarms := make(chan natsbus.Difference, 100)
	late := join(t, natsbus.Options{URL: url, Process: "late", Digest: digest("y"), Tell: natsbus.Tell{Alarm: func(d natsbus.Difference) { alarms <- d }}})
	for i := range 5 {
		must(t, a, found("t", fmt.Sprint(5+i)))
	}
	if d := <-alarms; d.Process != "one" || d.Seq != 8 || d.Signal == nil || late.Stats().First != 6 {
		t.Errorf("%v, of a process that began with message %d", d, late.Stats().First)
	}
}

func TestResultIsRecordedOnceForAllProcesses(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	k := journal.Key{Thread: "t", Agent: "a", Turn: 1}
	for i := range 3 {
		r, err := join(t, natsbus.Options{URL: url}).Results(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Do(soon(t), k, func(context.Context) ([]byte, error) { return []byte{byte('a' + i)}, nil })
		if err != nil || string(got) != "a" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// Of two processes that make a call at the same time, both go on with what was recorded first.
// A call that failed is made again.
func TestProcessesGoOnWithTheResultThatWasRecordedFirst(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var all []*natsbus.Results
	for range 2 {
		r, err := join(t, natsbus.Options{URL: url}).Results(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	k, broken := journal.Key{Thread: "t", Agent: "a", Turn: 1}, errors.New("no model")
	if got, err := all[0].Do(soon(t), k, func(context.Context) ([]byte, error) { return []byte("half"), broken }); !errors.Is(err, broken) || got != nil {
		t.Errorf("%q, %v", got, err)
	}
	got, err := all[0].Do(soon(t), k, func(ctx context.Context) ([]byte, error) {
		got, err := all[1].Do(ctx, k, func(context.Context) ([]byte, error) { return []byte("first"), nil })
		if string(got) != "first" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		return []byte("second"), nil
	})
	if string(got) != "first" || err != nil {
		t.Errorf("%q, %v, want what was recorded first", got, err)
	}
}

func TestLogThatLostMessagesBeforeTheyWereReadEnds(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	proxy := natstest.NewProxy(t, strings.TrimPrefix(url, "nats://"))
	behind := join(t, natsbus.Options{URL: "nats://" + proxy.Addr(), Storage: natsbus.Storage{MaxSignals: 10}})
	ahead := join(t, natsbus.Options{URL: url, Storage: natsbus.Storage{MaxSignals: 10}})
	a := agent(t, ahead, "a")
	must(t, a, found("t", "x"))
	proxy.Cut()
	waits := make(chan error, 1)
	go func() {
		_, err := behind.Bus().System().Publish(soon(t), found("t", "on its way"))
		waits <- err
	}()
	for behind.Stats().Retried == 0 {
		pause()
	}
	for range 30 {
		must(t, a, found("t", "x"))
	}
	proxy.Mend()
	<-behind.Done()
	var gap *natsbus.GapError
	if !errors.As(behind.Err(), &gap) || gap.Oldest < 20 {
		t.Errorf("%v", behind.Err())
	}
	if err := <-waits; !errors.Is(err, bus.ErrUnknown) || !errors.As(err, &gap) {
		t.Errorf("its publisher got %v, want ErrUnknown and the GapError", err)
	}
	if _, err := behind.Bus().System().Publish(soon(t), found("t", "x")); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("%v", err)
	}
}
