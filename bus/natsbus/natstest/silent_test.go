package natstest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

// Nobody answers what is published while the stream has other subjects, as with a server that
// cannot write: it is told once, and what was published arrives when it can be stored.
func TestUnansweredPublishersAreReportedOnce(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var told whisper
	l := join(t, natsbus.Options{URL: url, Tell: told.tell()})
	a := agent(t, l, "a")
	must(t, a, found("t", "x"))
	if strings.Contains(told.text(), "have not stored") {
		t.Errorf("told of what was stored:\n%s", told.text())
	}
	_, js := rawClient(t, url)
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) { c.Subjects = []string{"elsewhere.>"} })
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() { must(t, a, found("t", "waits")) })
	}
	told.hears(t, "the servers have not stored what was sent to the stream swarmbus for 3s, and do not say why")
	edit(t, js, "swarmbus", func(c *jetstream.StreamConfig) { c.Subjects = []string{"swarmbus.log.>"} })
	waiting.Wait()
	if n := strings.Count(told.text(), "have not stored"); n != 1 {
		t.Errorf("told %d times, want once", n)
	}
}

// Envelopes are no larger than the servers take messages. What does not arrive is sent again
// alone, as on a slow machine: so there are three tries.
func TestEnvelopesFitTheMessagesOfTheServers(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{NoSync: true, Config: "max_payload: 8192"})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	_, js := rawClient(t, url)
	const n = 200
	a := agent(t, l, "a")
	var got uint64
	for range 3 {
		before := messages(t, js)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { must(t, a, found("t", fmt.Sprint(i, strings.Repeat("x", 300)))) })
		}
		all.Wait()
		if got = messages(t, js) - before; got <= n/2 {
			return
		}
	}
	t.Errorf("%d signals in %d messages, want at most half of that: %d were sent again", n, got, l.Stats().Retried)
}

// Who waits for a lease is told once who has it, and since when; who finds it free is not.
func TestProcessThatWaitsForALeaseLearnsItsHolder(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	told := make(chan natsbus.Holder, 10)
	waits := natsbus.Tell{Waits: func(h natsbus.Holder) { told <- h }}
	began := time.Now().Truncate(time.Second)
	first := join(t, natsbus.Options{URL: url, Process: "the first one", LeaseTTL: natsbus.MinLease, Tell: waits})
	held, err := first.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	next := join(t, natsbus.Options{URL: url, Process: "next", LeaseTTL: natsbus.MinLease, Tell: waits})
	taken := make(chan error, 1)
	go func() {
		_, err := next.Lease(soon(t), "solve")
		taken <- err
	}()
	h := <-told
	waited := time.Now()
	if h.Lease != "solve" || h.Process != "the first one" || h.Since.Before(began) || h.Since.After(time.Now().Add(time.Second)) || !strings.HasPrefix(h.String(), "the first one has the lease solve since 20") {
		t.Errorf("%+v: %s", h, h)
	}
	kv := leases(t, url)
	for ctx := soon(t); ; pause() { // as long as it is renewed, nothing is new
		all, err := kv.Keys(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := kv.Get(ctx, all[0]); err == nil && e.Revision() > 3 && time.Now().Truncate(time.Second).After(waited) {
			break
		}
	}
	released := time.Now().Truncate(time.Second)
	held.Release()
	if err := <-taken; err != nil || len(told) > 0 {
		t.Errorf("%v, told %d times more", err, len(told))
	}
	ctx, cancel := context.WithCancel(t.Context())
	third := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease, Tell: waits})
	go func() {
		_, err := third.Lease(ctx, "solve")
		taken <- err
	}()
	if h := <-told; h.Process != "next" || h.Since.Before(released) {
		t.Errorf("it has the lease from %v on, but is said to: %s", released, h)
	}
	cancel()
	<-taken
}

// A driver that stands by says who drives; the one that drives does not say that it waits.
func TestSolveThatStandsBySaysWhoDrives(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{})[0]
	solve := []string{"solve", "Which retry policy?", "--model", "openai:large", "--nats", server.URL()}
	drives := startTalk(t, solve...)
	drives.sees(t, "no process answers for turn:")
	standsBy := startTalk(t, solve...)
	standsBy.sees(t, fmt.Sprintf("-%d-", drives.cmd.Process.Pid))
	standsBy.sees(t, "has the lease solve ")
	if strings.Contains(drives.text(), "waiting: ") {
		t.Errorf("it waits for a free lease:\n%s", drives.text())
	}
}

// Which kinds are reserved is a part of what processes compare.
func TestProcessesWithOtherReservedKindsRaiseAnAlarm(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	alarms := make(chan natsbus.Difference, 100)
	o := natsbus.Options{URL: url, Process: "one", Compare: 20 * time.Millisecond, Reserved: []signals.Kind{signals.KindTask, signals.KindVote}}
	o.Tell.Alarm = func(d natsbus.Difference) { alarms <- d }
	one := join(t, o)
	o.Process, o.Tell.Alarm, o.Reserved = "same", nil, []signals.Kind{signals.KindVote, signals.KindTask}
	same := join(t, o)
	must(t, agent(t, one, "a"), found("t", "x"))
	for ctx := soon(t); one.Stats().Compared == 0 || same.Stats().Compared == 0; pause() {
		if ctx.Err() != nil {
			t.Fatalf("%+v", one.Stats())
		}
	}
	if len(alarms) > 0 {
		t.Errorf("the order of kinds raises an alarm: %v", <-alarms)
	}
	o.Process, o.Reserved = "other", []signals.Kind{signals.KindTask}
	join(t, o)
	select {
	case d := <-alarms:
		if d.Process != "other" {
			t.Errorf("%v", d)
		}
	case <-soon(t).Done():
		t.Error("no alarm")
	}
}

// Two processes have the same name, and another digest.
func TestProcessesOfOneNameAreNamedAndCompared(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var told whisper
	alarms := make(chan natsbus.Difference, 100)
	var alone *natsbus.Log
	for i := range 2 {
		o := natsbus.Options{URL: url, Process: "worker", Compare: 20 * time.Millisecond, Tell: told.tell(), Digest: func(signals.Any) []byte { return []byte{byte(i)} }}
		o.Tell.Alarm = func(d natsbus.Difference) { alarms <- d }
		l := join(t, o)
		must(t, agent(t, l, "a"), found("t", "x"))
		if alone == nil {
			alone = l
			time.Sleep(200 * time.Millisecond) // until it hears what it told itself
			if strings.Contains(told.text(), "is called worker") || len(alarms) > 0 {
				t.Errorf("it takes itself for another process, %d alarms:\n%s", len(alarms), told.text())
			}
		}
	}
	told.hears(t, "another process on the stream swarmbus is called worker, too")
	select {
	case d := <-alarms:
		if d.Process != "worker" {
			t.Errorf("%v", d)
		}
	case <-soon(t).Done():
		t.Fatal("no alarm")
	}
	for ctx := soon(t); alone.Stats().Alarms < 2; pause() {
		if ctx.Err() != nil {
			t.Fatal("it compares once")
		}
		must(t, agent(t, alone, "a"), found("t", "y"))
	}
	if n := strings.Count(told.text(), "is called worker"); n > 2 {
		t.Errorf("told %d times, want once by each:\n%s", n, told.text())
	}
}
