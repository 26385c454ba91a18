package natstest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// Permissions that lack are an error that names them, for a driver without its leases and an
// agent without its results.
func TestProcessesWithoutPermissionsEndWithTheMissingPermission(t *testing.T) {
	t.Parallel()
	config := strings.Replace(documented(t), `"$KV.swarmbus-leases.>", `, "", 1)
	config = strings.Replace(config, `, "swarmbus.result.planner.*",`, ",", 1)
	server := natstest.Start(t, natstest.Options{Config: config})[0]
	driver := join(t, natsbus.Options{URL: as(server, "driver")})
	if _, err := driver.Results(soon(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Lease(soon(t), "solve"); !errors.Is(err, natsbus.ErrDenied) || !strings.Contains(err.Error(), "to publish to $KV.swarmbus-leases.>") {
		t.Errorf("lease: %v", err)
	}
	agents := join(t, natsbus.Options{URL: as(server, "critic"), Agent: "critic"})
	if _, err := agents.Lease(soon(t), "solve"); !errors.Is(err, natsbus.ErrDenied) || !strings.Contains(err.Error(), "to publish to $JS.API.STREAM.INFO.*") {
		t.Errorf("lease of an agent: %v", err)
	}
	planner, err := natsbus.Dial(soon(t), natsbus.Options{URL: as(server, "planner"), Agent: "planner"})
	if err != nil {
		t.Fatal(err)
	}
	defer planner.Close()
	results, err := planner.Results(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	_, err = results.Do(soon(t), journal.Key{Thread: "t", Agent: "planner", Turn: 1}, func(context.Context) ([]byte, error) {
		calls++
		return []byte("thought"), nil
	})
	if !errors.Is(err, natsbus.ErrDenied) || !strings.Contains(err.Error(), "to publish to swarmbus.result.planner.*") || calls != 1 {
		t.Errorf("result, after %d calls: %v", calls, err)
	}
}

// JetStream is off unless a server is started with it, which is the first mistake of a user.
func TestServerWithoutJetStreamIsNamed(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{NoStore: true})[0].URL()
	warned := make(chan string, 1)
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 1)
	go func() {
		_, err := natsbus.Join(ctx, natsbus.Options{URL: url, Tell: natsbus.Tell{Warn: func(problem string) { warned <- problem }}})
		ended <- err
	}()
	select {
	case problem := <-warned:
		if !strings.Contains(problem, "nats-server -js") {
			t.Errorf("warned of %q", problem)
		}
	case err := <-ended:
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
