package natstest_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

// withOver are options of a log in whose thread "past" nothing more happens.
func withOver(url string, dropAfter int64) natsbus.Options {
	return natsbus.Options{
		URL: url, Storage: natsbus.Storage{MaxSignals: dropAfter, Window: natsbus.MinWindow}, Compare: 50 * time.Millisecond, Over: func(thread string) bool { return thread == "past" }, Bus: bus.Options{TTL: -1},
	}
}

// live returns the history of the thread that goes on.
func live(t *testing.T, l *natsbus.Log) (all []string) {
	t.Helper()
	for _, line := range lines(t, l.Bus()) {
		if strings.Contains(line, `"thread":"t0"`) {
			all = append(all, line)
		}
	}
	return all
}

// decided publishes two proposals that conflict, and votes on them.
func decided(t *testing.T, l *natsbus.Log) {
	t.Helper()
	for i, id := range []string{"p", "q"} {
		must(t, agent(t, l, "agent "+id), proposes("t0", id, fmt.Sprint("content ", i)))
		must(t, agent(t, l, "past"), found("past", id))
	}
	for _, voter := range []string{"bob", "cid"} {
		must(t, agent(t, l, voter), signals.New(signals.Header{Thread: "t0", Confidence: 1, TTL: -1}, signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 1}))
	}
}

func fill(t *testing.T, l *natsbus.Log, n int) {
	t.Helper()
	for i := range n {
		must(t, agent(t, l, "past"), found("past", fmt.Sprint(i)))
	}
}

func TestLateProcessBeginsWithTheSnapshotAndAgrees(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	first := join(t, withOver(url, 10))
	decided(t, first)
	said := found("past", "said once")
	said.ID = signals.MustID("once")
	if _, err := first.Append(soon(t), []signals.Any{complete(said)}, 0); err != nil {
		t.Fatal(err)
	}
	if err := first.Snapshot(soon(t)); err != nil {
		t.Fatal(err)
	}
	at := first.Stats().Last
	fill(t, first, 8) // the messages of t0 are dropped
	late := join(t, withOver(url, 10))
	if got := late.Stats().First; got != at+1 {
		t.Errorf("it read from message %d, want %d", got, at+1)
	}
	last := must(t, agent(t, late, "dan"), proposes("t0", "r", "content 2"))
	reach(t, first.Bus(), last.Seq)
	if got, want := live(t, late), live(t, first); len(got) != 7 || !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The decisions are those of the whole log, and so is what the judge remembers.
	if got, want := decisionOf(t, late), decisionOf(t, first); got != want {
		t.Errorf("decided %s, want %s", got, want)
	}
	if _, err := late.Append(soon(t), []signals.Any{complete(said)}, 0); !errors.Is(err, bus.ErrDuplicate) {
		t.Errorf("published twice: %v", err)
	}
	// A snapshot of a process that began with one is as good.
	if err := late.Snapshot(soon(t)); err != nil {
		t.Fatal(err)
	}
	fill(t, late, 9)
	later := join(t, withOver(url, 10))
	reach(t, later.Bus(), must(t, agent(t, first, "past"), found("past", "end")).Seq)
	if !slices.Equal(live(t, later), live(t, first)) {
		t.Errorf("got\n%s", strings.Join(live(t, later), "\n"))
	}
	for _, l := range []*natsbus.Log{first, late, later} {
		for ctx := soon(t); l.Stats().Compared == 0 && ctx.Err() == nil; {
			pause()
		}
		if s := l.Stats(); s.Alarms > 0 || s.Compared == 0 {
			t.Errorf("%+v", s)
		}
	}
}

// decisionOf hashes the live thread and what its votes decide.
func decisionOf(t *testing.T, l *natsbus.Log) string {
	t.Helper()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for s := range l.Bus().History(bus.Filter{Threads: []string{"t0"}}) {
		if err := b.Feed(soon(t), s); err != nil {
			t.Fatal(err)
		}
	}
	return derived(b, b.Last())
}

func TestLogWhoseBeginningIsGoneNeedsASnapshot(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	o := withOver(url, 10)
	o.Storage.Window = 0 // what is sent again is no further message
	first := join(t, o)
	decided(t, first)
	fill(t, first, 10)
	_, err := natsbus.Join(soon(t), o)
	var gap *natsbus.GapError
	if !errors.As(err, &gap) || gap.After != 0 || !strings.Contains(err.Error(), "no snapshot") {
		t.Errorf("got %v, want a GapError", err)
	}
	o.Partial = true
	if got := lines(t, join(t, o).Bus()); len(got) != 10 {
		t.Errorf("%d signals, want the 10 that are left", len(got))
	}
	if err := join(t, natsbus.Options{URL: url, Partial: true, Storage: o.Storage}).Snapshot(soon(t)); !errors.Is(err, natsbus.ErrNoSnapshots) {
		t.Errorf("a snapshot without Over: %v", err)
	}
}

func TestSnapshotThatDoesNotFitIsRefusedAndTheStreamIsRead(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	first := join(t, withOver(url, 0))
	decided(t, first)
	if err := first.Snapshot(soon(t)); err != nil {
		t.Fatal(err)
	}
	last := must(t, agent(t, first, "ann"), found("t0", "end"))
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.ObjectStore(soon(t), "swarmbus-snapshots")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := bucket.GetBytes(soon(t), "swarmbus")
	if err != nil {
		t.Fatal(err)
	}
	check := func(what, want string) {
		t.Helper()
		var warned strings.Builder
		o := withOver(url, 0)
		o.Tell.Warn = func(problem string) { warned.WriteString(problem + "\n") }
		l := join(t, o)
		reach(t, l.Bus(), last.Seq)
		if !slices.Equal(lines(t, l.Bus()), lines(t, first.Bus())) || l.Stats().First != 1 || !strings.Contains(warned.String(), want) {
			t.Errorf("%s: read from %d, warned %q, want %q", what, l.Stats().First, warned.String(), want)
		}
	}
	for what, text := range map[string][]byte{
		"a vote was changed": bytes.Replace(whole, []byte(`"agree"`), []byte(`"abstain"`), 1),
		"the prefix was":     bytes.Replace(whole, []byte(`"prefix":`), []byte(`"prefix":1`), 1),
		"it is torn":         whole[:len(whole)/2],
	} {
		if _, err := bucket.PutBytes(soon(t), "swarmbus", text); err != nil {
			t.Fatal(err)
		}
		check(what, "the snapshot is refused")
	}
	// What the snapshot consists of is gone.
	objects, err := js.Stream(soon(t), "OBJ_swarmbus-snapshots")
	if err != nil {
		t.Fatal(err)
	}
	if err := objects.Purge(soon(t), jetstream.WithPurgeSubject("$O.swarmbus-snapshots.C.>")); err != nil {
		t.Fatal(err)
	}
	check("it has no content", "snapshot cannot be read")
	// The stream is made anew, and the snapshot is still there.
	if _, err := bucket.PutBytes(soon(t), "swarmbus", whole); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if err := js.DeleteStream(soon(t), "swarmbus"); err != nil {
		t.Fatal(err)
	}
	o := withOver(url, 0)
	first = join(t, o)
	fill(t, first, 20)
	last = must(t, agent(t, first, "ann"), found("t0", "end"))
	check("another stream", "differs in this stream")
}
