package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// pass raises a fence over that of the newest message of the log, as a process does that takes
// a lease over.
func pass(t *testing.T, url, log string) {
	t.Helper()
	nc, _ := rawClient(t, url)
	raise := &nats.Msg{Subject: log + ".log.%%.%%.system", Header: nats.Header{"Swarmbus-Fence-Raise": {under(t, url, log)}, nats.MsgIdHdr: {"passed"}}}
	if _, err := nc.RequestMsg(raise, 10*time.Second); err != nil {
		t.Error(err)
	}
}

// under returns token and name of the lease of the newest message that was sent under one.
func under(t *testing.T, url, log string) string {
	t.Helper()
	_, js := rawClient(t, url)
	stream, err := js.Stream(soon(t), log)
	if err != nil {
		t.Error(err)
		return ""
	}
	for seq := stream.CachedInfo().State.LastSeq; seq > 0; seq-- {
		m, err := stream.GetMsg(soon(t), seq)
		if err != nil {
			t.Error(err)
			return ""
		}
		if lease := m.Header.Get("Swarmbus-Fence"); lease != "" {
			return lease
		}
	}
	t.Error("no message was sent under a lease")
	return ""
}

// What a driver says after another one has taken over is not in the log. It waits for the
// lease, and goes on with the log as it is then.
func TestDriverThatWasOvertakenGoesOnWhenItHasTheLeaseAgain(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := joinSolving(t, url, "driver")
	var once sync.Once
	var before string
	r, err := solve(soon(t), l, team(func(_ context.Context, agent string, round int) error {
		if agent == "cyn" && round == 2 {
			once.Do(func() {
				before = under(t, url, "swarmbus")
				pass(t, url, "swarmbus")
			})
		}
		return nil
	}))
	if err != nil || r.Stop != runlog.StopConsensus {
		t.Fatal(r, err)
	}
	if after := under(t, url, "swarmbus"); after == before {
		t.Errorf("it went on under the lease %s, which was taken over", after)
	}
}

// The driver of an answer is overtaken when the answer is in the log.
func TestAnswerIsGivenOnceThoughItsDriverIsOvertaken(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := joinSolving(t, url, "driver")
	var asked atomic.Bool
	var once sync.Once
	var before string
	all := team(func(_ context.Context, agent string, _ int) error {
		if agent == "ann" && asked.Load() {
			once.Do(func() {
				before = under(t, url, "swarmbus")
				pass(t, url, "swarmbus")
			})
		}
		return nil
	})
	all = append(all, &agents.Agent{ID: "dan", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
		for _, s := range t.New {
			if s.Kind() == signals.KindTask {
				return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "May we?"}))
			}
		}
		return agents.Emit()
	})})
	r, err := solve(soon(t), l, all)
	if err != nil || r.Stop != runlog.StopEscalated {
		t.Fatal(r, err)
	}
	asked.Store(true)
	answer := signals.New(signals.Header{Source: "ceo", Confidence: 1}, signals.Memory{Content: "yes", Category: "answer"})
	o := swarm.Options{Agents: all, Seed: 7, Limits: swarm.Limits{Deadline: time.Minute}}
	for e, err := range machines.Resume(soon(t), l.Log, l.past, o, r.Thread, answer) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			r = stopped.Result
		}
	}
	if after := under(t, url, "swarmbus"); r.Stop != runlog.StopConsensus || after == before {
		t.Errorf("it stopped with %v under %s, which was taken over: %s", r.Stop, after, r.Detail)
	}
	n := 0
	for s := range l.Bus().History(bus.Filter{Kinds: []signals.Kind{signals.KindMemory}}) {
		if s.Head().Source == "ceo" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the answer is in the log %d times", n)
	}
}

// kept returns the store of the notes in a log, for the holder of a lease.
func kept(t *testing.T, url string) (store *machines.Store, lease *natsbus.Lease) {
	t.Helper()
	codec, err := machines.Codec()
	if err != nil {
		t.Fatal(err)
	}
	records := machines.Numbered(signals.KindMemory)
	l := join(t, natsbus.Options{URL: url, LeaseTTL: natsbus.MinLease, Codec: codec, Digest: records.Fold})
	layer, err := l.Bus().Layer("notes", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	if lease, err = l.Lease(soon(t), "notes"); err != nil {
		t.Fatal(err)
	}
	return machines.NewStore(records, lease, layer, codec), lease
}

// note returns the record of a note with its place in the store.
func note(t *testing.T, seq uint64, text string) journal.Record {
	t.Helper()
	r, err := journal.SignalRecord(signals.New(
		signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("note", seq, len(text))), Source: "ann", Thread: "t", Time: time.Now(), TTL: -1, Confidence: 1},
		signals.Memory{Content: text, Category: "c"}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStoreTakesRecordsInTheirPlacesHoweverMany(t *testing.T) {
	t.Parallel()
	store, _ := kept(t, natstest.Start(t, natstest.Options{})[0].URL())
	var all []journal.Record
	for seq := range uint64(40) {
		all = append(all, note(t, seq+1, strings.Repeat("x", 30<<10))) // more than one message holds
	}
	if last, err := store.Append(all...); err != nil || last != 40 || store.Last() != 40 {
		t.Fatal(last, err, store.Last())
	}
	for _, seq := range []uint64{40, 42} {
		if _, err := store.Append(note(t, seq, "out of place")); err == nil || store.Last() != 40 {
			t.Errorf("a record with the number %d was appended as %d", seq, store.Last())
		}
	}
}

func TestStoreOfALostLeaseAppendsNothingAndDoesNotWait(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	overtaken, _ := kept(t, url)
	if _, err := overtaken.Append(note(t, 1, "in time")); err != nil {
		t.Fatal(err)
	}
	pass(t, url, "swarmbus")
	if _, err := overtaken.Append(note(t, 2, "overtaken")); !errors.Is(err, natsbus.ErrLost) || overtaken.Last() != 1 {
		t.Errorf("got %v with %d records, want ErrLost", err, overtaken.Last())
	}
	another := natstest.Start(t, natstest.Options{})[0].URL()
	proxy := natstest.NewProxy(t, strings.TrimPrefix(another, "nats://"))
	cut, lease := kept(t, "nats://"+proxy.Addr())
	proxy.Cut()
	failed := make(chan error, 1)
	go func() {
		_, err := cut.Append(note(t, 1, "cut off"))
		failed <- err
	}()
	select {
	case err := <-failed:
		if !errors.Is(err, natsbus.ErrLost) || lease.Context().Err() == nil {
			t.Errorf("cut off: %v, want ErrLost", err)
		}
	case <-soon(t).Done():
		t.Error("it waits for a log that it may not write")
	}
}

// The router is overtaken while a user talks: the next one, here in the same process, is told
// the message, and events are shown once.
func TestRoomsOfAnOvertakenRouterGoOn(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	c := startTalk(t, "rooms", officeFile, "--nats", url, "--keys", filepath.Join(t.TempDir(), "keys"), "--stream", "office")
	c.sees(t, "this process runs the rooms")
	said := [][2]string{{"ops", "Who is here?"}, {"ops", "What does it cost?"}, {"ops", "What does it cost?"}}
	for i, m := range said {
		if i == 1 {
			pass(t, url, "office")
		}
		c.types(t, m[1])
		c.types(t, "/wait")
		c.types(t, "/heads")
		for ctx := soon(t); strings.Count(c.text(), "front=") <= i; pause() {
			if ctx.Err() != nil {
				t.Fatalf("message %d is not answered:\n%s", i, c.text())
			}
		}
	}
	if n := strings.Count(c.text(), "this process runs the rooms"); n != 2 {
		t.Errorf("it ran the rooms %d times, want 2:\n%s", n, c.text())
	}
	if n := strings.Count(c.text(), "I am Veda"); n != 1 {
		t.Errorf("an answer is shown %d times:\n%s", n, c.text())
	}
	codec, err := routers.Codec()
	if err != nil {
		t.Fatal(err)
	}
	records := machines.Numbered(roomlog.Kinds()...)
	join(t, natsbus.Options{URL: url, Stream: "office", Codec: codec, Reserved: routers.Reserved(), Digest: records.Fold})
	if got, want := inRooms(t, records), alone(t, said...); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
