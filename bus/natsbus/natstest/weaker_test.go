package natstest_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestEachReaderJudgesExpiryByItsOwnClock(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	exact := join(t, natsbus.Options{URL: url})
	ahead := join(t, natsbus.Options{URL: url, Bus: bus.Options{Clock: func() time.Time { return time.Now().Add(time.Hour) }}})
	s := found("t", "for some minutes")
	s.TTL = 10 * time.Minute
	must(t, agent(t, exact, "a"), s)
	last := must(t, agent(t, exact, "a"), found("t", "for good"))
	for name, c := range map[string]struct {
		l    *natsbus.Log
		want int
	}{"exact": {exact, 2}, "an hour ahead": {ahead, 1}} {
		reach(t, c.l.Bus(), last.Seq)
		if got := lines(t, c.l.Bus()); len(got) != c.want {
			t.Errorf("%s: %d signals have not expired, want %d: %v", name, len(got), c.want, got)
		}
	}
}

func TestRateLimitsAreOfOneProcess(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	for _, process := range []string{"one", "two"} {
		a := agent(t, join(t, natsbus.Options{URL: url, Process: process, Bus: bus.Options{Rate: 0.001, Burst: 2}}), "a")
		for range 2 {
			must(t, a, found("t", "x"))
		}
		var limit *bus.LimitError
		if _, err := a.Publish(soon(t), found("t", "x")); !errors.As(err, &limit) {
			t.Errorf("process %s, third signal: %v, want a LimitError", process, err)
		}
	}
}

func TestLayerFoldsWhatItsOwnProcessAppends(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var logs []*natsbus.Log
	var folded [2][]string
	for i := range folded {
		l := join(t, natsbus.Options{URL: url})
		logs = append(logs, l)
		layer, err := l.Bus().Layer("notes", signals.KindMemory)
		if err != nil {
			t.Fatal(err)
		}
		note := signals.New(signals.Header{Thread: "t", TTL: -1}, signals.Memory{Content: string(rune('a' + i)), Category: "c"})
		err = layer.Append(soon(t), func(uint64, time.Time) ([]signals.Any, error) { return []signals.Any{note}, nil }, func(all []signals.Any) {
			for _, s := range all {
				folded[i] = append(folded[i], s.Body().(signals.Memory).Content)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reach(t, logs[0].Bus(), logs[1].Bus().Last())
	if !slices.Equal(folded[0], []string{"a"}) || !slices.Equal(folded[1], []string{"b"}) || len(lines(t, logs[0].Bus())) != 2 {
		t.Errorf("folded %v, and the log has %v", folded, lines(t, logs[0].Bus()))
	}
}

// over is a signal that ends its thread.
type over struct{}

func (over) Kind() signals.Kind         { return "natstest.example/over" }
func (over) Check(signals.Limits) error { return nil }
func (over) ClosesThread() bool         { return true }

func TestThreadIsClosedInEveryProcessByASignalOfTheLog(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var logs []*natsbus.Log
	for range 2 {
		codec, err := signals.NewCodec(signals.For[over]())
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, join(t, natsbus.Options{URL: url, Codec: codec}))
	}
	open := func(seq uint64) (n [2]int) {
		for i, l := range logs {
			reach(t, l.Bus(), seq)
			for range l.Bus().Conflicts("t") {
				n[i]++
			}
		}
		return n
	}
	must(t, agent(t, logs[0], "a"), proposes("t", "p", "1"))
	last := must(t, agent(t, logs[1], "b"), proposes("t", "q", "2"))
	logs[0].Bus().CloseThread("t")
	if n := open(last.Seq + 1); n != [2]int{1, 1} {
		t.Errorf("%v conflicts are open after CloseThread, want 1 in each process", n)
	}
	last = must(t, logs[1].Bus().System(), signals.New(signals.Header{Thread: "t", Confidence: 1, TTL: -1}, over{}))
	if n := open(last.Seq); n != [2]int{} {
		t.Errorf("%v conflicts are open after the signal that closes the thread", n)
	}
}
