package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

// edit changes the settings of a stream.
func edit(t *testing.T, js jetstream.JetStream, name string, do func(*jetstream.StreamConfig)) {
	t.Helper()
	s, err := js.Stream(soon(t), name)
	if err != nil {
		t.Fatal(err)
	}
	c := s.CachedInfo().Config
	do(&c)
	if _, err := js.UpdateStream(soon(t), c); err != nil {
		t.Fatal(err)
	}
}

// warns counts the warnings that there is no room.
func warns(n *atomic.Int64) natsbus.Tell {
	return natsbus.Tell{Warn: func(problem string) {
		if strings.Contains(problem, "no room") {
			n.Add(1)
		}
	}}
}

func TestPublisherOnAFullLogGetsTheServersAnswer(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var warned atomic.Int64
	l := join(t, natsbus.Options{URL: url, Tell: warns(&warned)})
	layer, err := l.Bus().Layer("counter", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	must(t, agent(t, l, "a"), found("t", "x"))
	_, js := rawClient(t, url)
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) { c.Discard, c.MaxMsgs = jetstream.DiscardNew, 1 })
	_, err = agent(t, l, "a").Publish(soon(t), found("t", "x"))
	if !errors.Is(err, natsbus.ErrFull) || !strings.Contains(err.Error(), "maximum messages exceeded") || warned.Load() == 0 {
		t.Errorf("%v, %d warnings", err, warned.Load())
	}
	if !errors.Is(err, bus.ErrUnknown) {
		t.Errorf("%v, want ErrUnknown, too: no server has answered the first try", err)
	}
	err = layer.Append(soon(t), func(uint64, time.Time) ([]signals.Any, error) {
		return []signals.Any{signals.New(signals.Header{Thread: "t"}, signals.Memory{Content: "1", Category: "c"})}, nil
	}, nil)
	if !errors.Is(err, natsbus.ErrFull) || errors.Is(err, bus.ErrUnknown) {
		t.Errorf("%v, want ErrFull alone: the servers have answered the only try", err)
	}
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) { c.MaxMsgs = -1 })
	must(t, agent(t, l, "a"), found("t", "again"))
}

// A layer does not know what became of what nobody has answered, though its context has not ended
// when the servers refuse it: it is sent again before the layer decides by its fold.
func TestLayerKeepsWhatServersLeftUnansweredBeforeTheyRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	layer, err := l.Bus().Layer("counter", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	folded := 0
	count := func() error {
		return layer.Append(soon(t), func(uint64, time.Time) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Thread: "t", TTL: -1}, signals.Memory{Content: fmt.Sprint(folded), Category: "c"})}, nil
		}, func(all []signals.Any) { folded += len(all) })
	}
	must(t, agent(t, l, "a"), found("t", "x"))
	_, js := rawClient(t, url)
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) { c.Subjects = []string{"elsewhere.>"} })
	told := make(chan error, 1)
	go func() { told <- count() }()
	for l.Stats().Retried == 0 { // until a try had no answer
		pause()
	}
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) {
		c.Subjects, c.Discard, c.MaxMsgs = []string{"swarmbus.log.>"}, jetstream.DiscardNew, 1
	})
	if err := <-told; !errors.Is(err, natsbus.ErrFull) || !errors.Is(err, bus.ErrUnknown) {
		t.Fatalf("%v, want ErrFull and ErrUnknown", err)
	}
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) { c.MaxMsgs = -1 })
	if err := count(); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, l.Bus()); len(got) != 3 || folded != 2 {
		t.Errorf("%d folded, want 2, of\n%s", folded, strings.Join(got, "\n"))
	}
}

// A first try that nobody answered may have been stored before the permission was taken away.
func TestPublisherWhoseSecondTryIsDeniedDoesNotKnow(t *testing.T) {
	t.Parallel()
	may := "authorization { users: [ { user: u, password: p, permissions: { publish: { deny: %q } } } ] }"
	s := natstest.Start(t, natstest.Options{Processes: true, Config: fmt.Sprintf(may, "nothing")})[0]
	l := join(t, natsbus.Options{URL: strings.Replace(s.URL(), "nats://", "nats://u:p@", 1)})
	must(t, agent(t, l, "a"), found("t", "x"))
	s.Kill()
	told := make(chan error, 1)
	go func() {
		_, err := agent(t, l, "a").Publish(soon(t), found("t", "y"))
		told <- err
	}()
	for l.Stats().Retried == 0 {
		pause()
	}
	s.Configure(fmt.Sprintf(may, "swarmbus.log.>"))
	s.StartProcess(t)
	if err := <-told; !errors.Is(err, natsbus.ErrDenied) || !errors.Is(err, bus.ErrUnknown) {
		t.Errorf("%v, want ErrDenied and ErrUnknown", err)
	}
}

// What others record may fill the bounds that results have.
func TestCallWhoseResultIsNotStoredEndsWithTheAnswerOfTheServers(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var warned atomic.Int64
	r, err := join(t, natsbus.Options{URL: url, Tell: warns(&warned)}).Results(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	_, js := rawClient(t, url)
	edit(t, js, "swarmbus-results", func(c *jetstream.StreamConfig) { c.MaxMsgs = 2 })
	for i := range 2 {
		if _, err := js.Publish(soon(t), fmt.Sprint("swarmbus.result.eve.", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	_, err = r.Do(soon(t), journal.Key{Agent: "ann"}, func(context.Context) ([]byte, error) { calls++; return []byte("paid for"), nil })
	if !errors.Is(err, natsbus.ErrFull) || !strings.Contains(err.Error(), "maximum messages exceeded") || calls != 1 || warned.Load() != 1 {
		t.Errorf("%v after %d calls, %d warnings", err, calls, warned.Load())
	}
}

// Nobody takes a result back, or replaces it.
func TestResultsCannotBeDeletedOrPurged(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	r, err := join(t, natsbus.Options{URL: url}).Results(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	do := func(answer string) string {
		got, err := r.Do(soon(t), journal.Key{Agent: "ann"}, func(context.Context) ([]byte, error) { return []byte(answer), nil })
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	do("first")
	_, js := rawClient(t, url)
	s, err := js.Stream(soon(t), "swarmbus-results")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(soon(t), 1); err == nil {
		t.Error("a result was deleted")
	}
	if err := s.Purge(soon(t)); err == nil {
		t.Error("the results were purged")
	}
	if got := do("second"); got != "first" {
		t.Errorf("got %q, want what was recorded first", got)
	}
}
