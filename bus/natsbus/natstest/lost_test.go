package natstest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// A restored backup that is older is the same case.
func TestLogEndsIfServersLoseSignalsAlreadyRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		later int // messages in the stream that is made then
		want  string
	}{
		"more messages":  {30, "another message, to swarmbus.log.t.discovery.b, is in its place"},
		"fewer messages": {5, "the stream ends with message 5"},
		"no stream":      {0, "there is no stream swarmbus"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t, natstest.Options{Processes: true})[0]
			old := join(t, natsbus.Options{URL: s.URL()})
			for i := range 20 {
				must(t, agent(t, old, "a"), found("t", fmt.Sprint("before ", i)))
			}
			s.Kill()
			waits := make(chan error, 1)
			if c.later == 0 {
				go func() {
					_, err := agent(t, old, "a").Publish(soon(t), found("t", "on its way"))
					waits <- err
				}()
			} else {
				waits <- bus.ErrUnknown
			}
			s.Wipe(t)
			s.StartProcess(t)
			if c.later > 0 {
				fresh := join(t, natsbus.Options{URL: s.URL()})
				for i := range c.later {
					must(t, agent(t, fresh, "b"), found("t", fmt.Sprint("after ", i)))
				}
			}
			select {
			case <-old.Done():
			case <-soon(t).Done():
				t.Fatal("it goes on")
			}
			var lost *natsbus.LostError
			if err := old.Err(); !errors.As(err, &lost) || lost.Seq != 20 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if err := <-waits; !errors.Is(err, bus.ErrUnknown) || c.later == 0 && !errors.As(err, &lost) {
				t.Errorf("its publisher got %v, want ErrUnknown and why", err)
			}
			if n := natsbus.StreamSequence(old.Bus().Last()); n != 20 {
				t.Errorf("the bus has message %d of another log", n)
			}
		})
	}
}

// It has read nothing since, but its snapshot has.
func TestProcessThatBeganWithASnapshotOfALostLogEnds(t *testing.T) {
	t.Parallel()
	for _, later := range []int{0, 30} { // messages in the stream that is made then
		t.Run(fmt.Sprint(later), func(t *testing.T) {
			t.Parallel()
			url := natstest.Start(t, natstest.Options{})[0].URL()
			first := join(t, withOver(url, 0))
			decided(t, first)
			if err := first.Snapshot(soon(t)); err != nil {
				t.Fatal(err)
			}
			at := first.Stats().Last
			first.Close()
			late := join(t, withOver(url, 0))
			want := lines(t, late.Bus())
			_, js := rawClient(t, url)
			if err := js.DeleteStream(soon(t), "swarmbus"); err != nil {
				t.Fatal(err)
			}
			fresh := join(t, withOver(url, 0))
			for i := range later {
				must(t, agent(t, fresh, "b"), found("t0", fmt.Sprint("other log ", i)))
			}
			select {
			case <-late.Done():
			case <-soon(t).Done():
				t.Fatal("it goes on")
			}
			var lost *natsbus.LostError
			if err := late.Err(); !errors.As(err, &lost) || lost.Seq != at {
				t.Errorf("%v, want that message %d is lost", err, at)
			}
			if got := lines(t, late.Bus()); !slices.Equal(got, want) {
				t.Errorf("it has read the other log: %d signals, want %d", len(got), len(want))
			}
		})
	}
}

// Credentials that expire and are renewed late, or an operator's mistake.
func TestProcessConnectsAgainAfterRefusedLogins(t *testing.T) {
	t.Parallel()
	login := "authorization { user: u, password: %s }"
	s := natstest.Start(t, natstest.Options{Processes: true, Config: fmt.Sprintf(login, "right")})[0]
	var mu sync.Mutex
	var told []string
	l := join(t, natsbus.Options{URL: strings.Replace(s.URL(), "nats://", "nats://u:right@", 1), Tell: natsbus.Tell{Status: func(s natsbus.Status) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, s.String())
	}}})
	tells := func(what string) (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range told {
			if strings.Contains(s, what) {
				n++
			}
		}
		return n
	}
	must(t, agent(t, l, "a"), found("t", "before"))
	s.Kill()
	s.Configure(fmt.Sprintf(login, "wrong"))
	s.StartProcess(t)
	for ctx := soon(t); tells("authorization violation") == 0; pause() {
		if ctx.Err() != nil {
			t.Fatalf("%q", told)
		}
	}
	time.Sleep(3 * time.Second) // for more logins that are refused, which are 2 s apart
	if n := tells("authorization violation"); n != 1 {
		t.Errorf("told %d times: %q", n, told)
	}
	s.Kill()
	s.Configure(fmt.Sprintf(login, "right"))
	s.StartProcess(t)
	must(t, agent(t, l, "a"), found("t", "after"))
	if l.Err() != nil || tells("connected to") != 2 {
		t.Errorf("%v, %q", l.Err(), told)
	}
}

// A program that closes its log says nothing of a fault, since there is none.
func TestCloseIsNoLostConnection(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var connected, lost atomic.Int64
	o := natsbus.Options{URL: url, Tell: natsbus.Tell{Status: func(s natsbus.Status) {
		if s.Connected {
			connected.Add(1)
		} else {
			lost.Add(1)
		}
	}}}
	for range 4 { // while the next one connects, the client has told of the one before
		join(t, o).Close()
		l, err := natsbus.Dial(soon(t), o)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	if connected.Load() != 8 || lost.Load() != 0 {
		t.Errorf("connected %d times, want 8, and disconnected %d times, want none", connected.Load(), lost.Load())
	}
}
