package natstest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/internal/timetest"
)

// leases returns the bucket of leases.
func leases(t *testing.T, url string) jetstream.KeyValue {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(soon(t), "swarmbus-leases")
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// A renewal whose reply is lost moves the key's revision, as writing the same value does.
func TestLeaseOutlivesALostReplyAndEndsWhenAnotherHasItsKey(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease})
	before, err := l.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	before.Release()
	lease, err := l.Lease(soon(t), "solve")
	if err != nil || lease.Token() <= before.Token() {
		t.Fatal(lease, err)
	}
	kv := leases(t, url)
	keys, err := kv.Keys(soon(t))
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	for range 3 {
		e, err := kv.Get(soon(t), keys[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kv.Put(soon(t), keys[0], e.Value()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-lease.Context().Done():
			t.Fatalf("lost by a reply: %v", context.Cause(lease.Context()))
		case <-time.After(natsbus.MinLease / 2):
		}
		must(t, agent(t, l, "ann"), found("", "in time"))
	}
	if _, err := kv.Put(soon(t), keys[0], []byte("another")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-lease.Context().Done():
	case <-soon(t).Done():
		t.Fatal("it has two holders")
	}
	if _, err := agent(t, l, "ann").Publish(soon(t), found("", "late")); !errors.Is(err, natsbus.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
	lease.Release()
	if e, err := kv.Get(soon(t), keys[0]); err != nil || string(e.Value()) != "another" {
		t.Errorf("after the release of a lost lease, the key of its holder: %v, %v", e, err)
	}
}

// What is published goes on under the newest lease, and not without one.
func TestReleaseOfAnOldLeaseLeavesTheNewerOne(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url, Process: "old", LeaseTTL: natsbus.MinLease})
	before, err := l.Lease(soon(t), "one")
	if err != nil {
		t.Fatal(err)
	}
	newer, err := l.Lease(soon(t), "two")
	if err != nil {
		t.Fatal(err)
	}
	before.Release()
	must(t, agent(t, l, "ann"), found("", "under the newer one"))
	kv := leases(t, url)
	keys, err := kv.Keys(soon(t))
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	if _, err := kv.Put(soon(t), keys[0], []byte("another")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-newer.Context().Done():
	case <-soon(t).Done():
		t.Fatal("it has two holders")
	}
	if _, err := agent(t, l, "ann").Publish(soon(t), found("", "late")); !errors.Is(err, natsbus.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
}

// The next holder does not wait for the end of a lease that was released.
func TestLeaseThatIsReleasedIsFreeBeforeItsEnd(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	const ttl = 2 * timetest.Hang
	one, two := join(t, natsbus.Options{URL: url, LeaseTTL: ttl}), join(t, natsbus.Options{URL: url, LeaseTTL: ttl})
	first, err := one.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	first.Release()
	if _, err := two.Lease(soon(t), "solve"); err != nil {
		t.Error(err)
	}
}

// Without its fence in the log, another process could still commit.
func TestProcessThatCannotRaiseItsFenceHoldsNoLease(t *testing.T) {
	t.Parallel()
	config, accounts := operated(t)
	url := natstest.Start(t, natstest.Options{Config: config})[0].URL()
	all := join(t, natsbus.Options{URL: url, Creds: accounts.user(t, "operator.creds", ">")})
	l := join(t, natsbus.Options{URL: url, Process: "ann", Creds: accounts.user(t, "ann.creds", "swarmbus.log.t.*.ann", "$KV.swarmbus-leases.>", "$JS.API.>", "_INBOX.>")})
	if _, err := l.Lease(soon(t), "solve"); !errors.Is(err, natsbus.ErrDenied) {
		t.Errorf("got %v, want ErrDenied", err)
	}
	if _, err := all.Lease(soon(t), "solve"); err != nil {
		t.Errorf("the lease is not free: %v", err)
	}
}
