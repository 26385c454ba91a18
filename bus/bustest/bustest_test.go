package bustest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/signals"
)

func found(text string) signals.Any {
	return signals.New(signals.Header{}, signals.Discovery{Finding: text})
}

func vote(id string) signals.Any {
	return signals.New(signals.Header{}, signals.Vote{ProposalID: id, Stance: signals.Agree})
}

func TestExpectations(t *testing.T) {
	b := bustest.New(t, nil)
	inbox := b.Expect(bus.SubscribeOptions{})
	inbox.Nothing()
	b.Inject("ann", found("1"), vote("p"), found("2"))
	got := inbox.InOrder(bustest.Payload(signals.Discovery{Finding: "1"}), bustest.Payload(signals.Discovery{Finding: "2"}))
	if len(got) != 2 || got[1].Head().Seq != 3 {
		t.Errorf("matched %v", got)
	}
	b.Inject(bus.System, vote("q"))
	inbox.Exactly(bustest.From(bus.System, signals.KindVote))
}

func TestFailuresReadGotAndWant(t *testing.T) {
	for name, c := range map[string]struct {
		expect func(*bustest.Inbox)
		want   string
	}{
		"another":  {func(i *bustest.Inbox) { i.Exactly(bustest.Kind(signals.KindVote)) }, "want vote"},
		"too many": {func(i *bustest.Inbox) { i.Exactly(bustest.Kind(signals.KindDiscovery)) }, "want nothing"},
		"missing": {func(i *bustest.Inbox) {
			i.InOrder(bustest.Kind(signals.KindVote), bustest.Kind(signals.KindVote))
		}, `signal 2 of 2 (vote)`},
		"not nothing": {func(i *bustest.Inbox) { i.Nothing() }, "got 1 discovery by \"ann\""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failing := &recorder{TB: t}
				b := bustest.New(failing, nil)
				inbox := b.Expect(bus.SubscribeOptions{})
				b.Inject("ann", found("1"), vote("p"))
				done := make(chan struct{})
				go func() { defer close(done); c.expect(inbox) }()
				<-done
				if !strings.Contains(failing.said, c.want) {
					t.Errorf("said %q, want %q in it", failing.said, c.want)
				}
			})
		})
	}
}

// A recorder is a test that fails on purpose.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestRunsRepeatExactly(t *testing.T) {
	run := func() (ids []string) {
		b := bustest.New(t, nil)
		for range 3 {
			r := b.Inject("ann", found("x"))[0]
			s, _ := b.Get(r.ID)
			ids = append(ids, fmt.Sprint(r.ID, s.Head().Time))
			b.Advance(time.Second)
		}
		return ids
	}
	if first, second := fmt.Sprint(run()), fmt.Sprint(run()); first != second {
		t.Errorf("%s then %s", first, second)
	}
}

func TestAdvanceExpires(t *testing.T) {
	b := bustest.New(t, &bus.Options{TTL: time.Minute})
	b.Inject("ann", found("x"))
	b.Advance(time.Minute)
	if b.Stats().Held != 1 {
		t.Error("gone at time + ttl exactly")
	}
	b.Advance(1)
	if s := b.Stats(); s.Held != 0 || s.Expired != 1 {
		t.Errorf("stats %+v", s)
	}
}

func ExampleNew() {
	t := &testing.T{} // a test's own
	b := bustest.New(t, nil)
	inbox := b.Expect(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
	b.Inject("ann", vote("p"))
	for _, s := range inbox.Exactly(bustest.From("ann", signals.KindVote)) {
		fmt.Println(s.Head().ID, s.Head().Time.Format(time.TimeOnly))
	}
	// Output:
	// sig_d5ari04u33ccplo0000g 00:00:00
}
