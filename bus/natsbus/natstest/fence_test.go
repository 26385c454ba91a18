package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// rawClient connects to servers as any program can.
func rawClient(t *testing.T, url string, o ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	conn, err := nats.Connect(url, o...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return conn, js
}

// store publishes a message, and waits until the servers have stored it.
func store(t *testing.T, conn *nats.Conn, m *nats.Msg) {
	t.Helper()
	answer, err := conn.RequestMsg(m, 10*time.Second)
	if err != nil || !strings.Contains(string(answer.Data), `"seq"`) {
		t.Fatalf("%v, %+v", err, answer)
	}
}

// within is a context that ends early, for what must not take longer.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func messages(t *testing.T, js jetstream.JetStream) uint64 {
	t.Helper()
	s, err := js.Stream(t.Context(), "swarmbus")
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

func TestForgedFenceTakesNoLease(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann")
	driver := natsbus.Options{URL: url, Key: private[bus.System], Keys: public, LeaseTTL: natsbus.MinLease}
	l := join(t, driver)
	held, err := l.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	conn, js := rawClient(t, url)
	for i, subject := range []string{"swarmbus.log.t.discovery.ann", "swarmbus.log.%%.%%.ann", "swarmbus.log.%%.%%." + bus.System} {
		for j, fence := range []string{"18446744073709551615 solve", fmt.Sprintf("%d solve", held.Token())} {
			store(t, conn, &nats.Msg{Subject: subject, Header: nats.Header{"Swarmbus-Fence-Raise": {fence}, "Nats-Msg-Id": {fmt.Sprint(i, j)}}})
		}
	}
	ann := join(t, natsbus.Options{URL: url, Key: private["ann"], Keys: public, LeaseTTL: natsbus.MinLease})
	var dead *natsbus.DeadLetter
	if _, err := ann.Lease(within(t, 10*time.Second), "other"); !errors.As(err, &dead) || dead.Reason != natsbus.Forged {
		t.Errorf("who has no key of the system: %v", err)
	}
	must(t, systemOf(l), found("t", "still the driver"))
	if held.Context().Err() != nil || l.Stats().Dead[natsbus.Forged] != 7 {
		t.Errorf("%v, %v", context.Cause(held.Context()), l.Stats().Dead)
	}
	held.Release()
	before := messages(t, js)
	next, err := join(t, driver).Lease(within(t, 10*time.Second), "solve")
	if err != nil || next.Token() <= held.Token() || messages(t, js) != before+1 {
		t.Errorf("%v, %d after %d, %d messages", err, next.Token(), held.Token(), messages(t, js)-before)
	}
}

func systemOf(l *natsbus.Log) *bus.Publisher { return l.Bus().System() }

// Another fence of the system takes the lease of its holder, which knows it at once, and
// takes it again.
func TestHolderWhoseLeaseWasTakenByAFenceKnowsAndTakesItAgain(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease})
	held, err := l.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	conn, js := rawClient(t, url)
	store(t, conn, &nats.Msg{Subject: "swarmbus.log.%%.%%." + bus.System, Header: nats.Header{"Swarmbus-Fence-Raise": {fmt.Sprintf("%d solve", held.Token())}}})
	<-held.Context().Done()
	if err := context.Cause(held.Context()); !errors.Is(err, natsbus.ErrLost) {
		t.Errorf("%v, want ErrLost", err)
	}
	held.Release()
	next, err := l.Lease(within(t, 10*time.Second), "solve")
	if err != nil || next.Token() != messages(t, js) {
		t.Fatalf("%v, %d", err, next.Token())
	}
	must(t, agent(t, l, "ann"), found("t", "under it"))
}

func TestLeaseWithoutANameIsRefused(t *testing.T) {
	t.Parallel()
	l := join(t, natsbus.Options{URL: natstest.Start(t, natstest.Options{})[0].URL()})
	for _, name := range []string{"", "two\nlines"} {
		_, err := l.Lease(within(t, 10*time.Second), name)
		if !errors.Is(err, natsbus.ErrOption) || !strings.Contains(err.Error(), "name of the lease") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// After a restore the bucket of leases is new, and its numbers begin again.
func TestLeasesGoOnFromTheFenceInTheStreamWithoutTheirBucket(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	o := natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease}
	l := join(t, o)
	_, js := rawClient(t, url)
	var last uint64
	for i := range 8 {
		lease, err := l.Lease(soon(t), "rooms")
		if err != nil {
			t.Fatal(err)
		}
		if lease.Token() <= last {
			t.Errorf("lease %d has token %d, after %d", i, lease.Token(), last)
		}
		last = lease.Token()
		lease.Release()
	}
	if err := js.DeleteKeyValue(t.Context(), "swarmbus-leases"); err != nil {
		t.Fatal(err)
	}
	before := messages(t, js)
	lease, err := join(t, o).Lease(within(t, 10*time.Second), "rooms")
	if err != nil || lease.Token() <= last || messages(t, js) != before+1 {
		t.Errorf("%v, token %d after %d, %d messages", err, lease.Token(), last, messages(t, js)-before)
	}
}

// Leases end when their bucket says, which the process that made it has decided.
func TestProcessesWithAnotherLeaseTTLDoNotTakeHealthyLeases(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	short := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease})
	first, err := short.Lease(soon(t), "x")
	if err != nil {
		t.Fatal(err)
	}
	first.Release()
	var warned strings.Builder
	o := natsbus.Options{URL: url, LeaseTTL: 10 * time.Second, Tell: natsbus.Tell{Warn: func(problem string) { warned.WriteString(problem) }}}
	held, err := join(t, o).Lease(soon(t), "rooms")
	if err != nil || !strings.Contains(warned.String(), "max_age of KV_swarmbus-leases is 1s, want 10s") {
		t.Fatalf("%v, warned %q", err, warned.String())
	}
	if _, err := short.Lease(within(t, 3*natsbus.MinLease), "rooms"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("taken from its holder: %v", err)
	}
	if held.Context().Err() != nil {
		t.Error(context.Cause(held.Context()))
	}
}
