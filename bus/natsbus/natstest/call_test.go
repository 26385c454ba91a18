package natstest_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// serve serves a name until it is stopped, and all calls have ended, or the test ends.
func serve(t *testing.T, l *natsbus.Log, name string, answer func(ctx context.Context, request []byte) []byte) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- l.Serve(ctx, name, answer) }()
	stop = sync.OnceFunc(func() { cancel(); <-served })
	t.Cleanup(stop)
	return stop
}

// A caller that heard nothing sends its call again, while the call is running.
func TestCallThatIsSentAgainRunsOnce(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var ran atomic.Int64
	goOn := make(chan bool)
	stop := serve(t, join(t, natsbus.Options{URL: url}), "x", func(_ context.Context, q []byte) []byte {
		ran.Add(1)
		<-goOn
		return q
	})
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	answers, err := nc.SubscribeSync("answers")
	if err != nil {
		t.Fatal(err)
	}
	call := func(id string) {
		m := &nats.Msg{Subject: "swarmbus.call.x", Reply: "answers", Header: nats.Header{"Swarmbus-Call": {id}}, Data: []byte(id)}
		for ctx := soon(t); ctx.Err() == nil; { // until it is served
			if err := nc.PublishMsg(m); err != nil {
				t.Fatal(err)
			}
			if _, err := answers.NextMsg(100 * time.Millisecond); err == nil {
				return
			}
		}
		t.Fatal("nobody serves")
	}
	call("one")
	if err := nc.PublishMsg(&nats.Msg{Subject: "swarmbus.call.x", Reply: "answers", Header: nats.Header{"Swarmbus-Call": {"one"}}}); err != nil {
		t.Fatal(err)
	}
	call("two") // behind it
	close(goOn)
	stop()
	if n := ran.Load(); n != 2 {
		t.Errorf("%d calls ran, want 2", n)
	}
}

func TestCallEndsWithTheContextOfItsCaller(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	began, ended := make(chan bool), make(chan error, 1)
	serve(t, join(t, natsbus.Options{URL: url}), "x", func(ctx context.Context, _ []byte) []byte {
		began <- true
		select {
		case <-ctx.Done():
			ended <- nil
		case <-soon(t).Done():
			ended <- errors.New("it goes on")
		}
		return nil
	})
	caller := join(t, natsbus.Options{URL: url})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := caller.Call(ctx, "x", nil)
		failed <- err
	}()
	<-began
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller got %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
