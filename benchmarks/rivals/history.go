package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A figure is one number of the bus alone, with its goal.
type figure struct {
	Name string
	Goal string
	Unit string
	// prepare returns the measured function, once each call.
	prepare func() (func() float64, error)
}

// A world is a full history.
type world struct {
	bus   *bus.Bus
	pubs  []*bus.Publisher
	first signals.ID
	start time.Time
	now   time.Time
}

var kinds = []signals.Kind{signals.KindDiscovery, signals.KindVote, signals.KindMemory, signals.KindToolResult, signals.KindEscalation}

// fill makes a history of n signals of five kinds, twenty sources and a rare
// one, a hundred threads, one millisecond apart.
func fill(n int) *world {
	w := &world{start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.now = w.start
	w.bus = made(bus.New(&bus.Options{History: n, TTL: -1, Sweep: -1, Clock: func() time.Time { return w.now }}))
	for i := range 20 {
		p, _ := w.bus.Agent(fmt.Sprint("agent-", i), bus.Permissions{})
		w.pubs = append(w.pubs, p)
	}
	rare, _ := w.bus.Agent("rare", bus.Permissions{})
	for i := range n {
		p := w.pubs[i%20]
		if i%(n/200) == 0 {
			p = rare
		}
		w.publish(p, i, -1)
	}
	return w
}

func (w *world) publish(p *bus.Publisher, i int, ttl time.Duration) {
	w.now = w.now.Add(time.Millisecond)
	h := signals.Header{Thread: fmt.Sprint("thread-", i%100), Confidence: float64(i*7919%1000) / 1000, TTL: ttl}
	if i%100 == 1 {
		h.ReplyTo = w.first
	}
	r, err := p.Publish(context.Background(), signal(h, i))
	if err != nil {
		panic(err)
	}
	if i%100 == 0 {
		w.first = r.ID
	}
}

func signal(h signals.Header, i int) signals.Any {
	text := "the retry loop in client.go has no jitter, so that all clients come back at once"
	switch i % 5 {
	case 0:
		return signals.New(h, signals.Discovery{Finding: text})
	case 1:
		return signals.New(h, signals.Vote{ProposalID: "p", Stance: signals.Agree, Reasoning: text})
	case 2:
		return signals.New(h, signals.Memory{Content: text, Category: "c"})
	case 3:
		return signals.New(h, signals.ToolResult{ToolName: "grep", Result: text, TriggeredBy: "a"})
	default:
		return signals.New(h, signals.Escalation{Reason: text})
	}
}

// query asks again and again, as a benchmark does, for a while: the first
// answers come out of memory that was not read for long and take longer.
func query(w *world, f bus.Filter) func() float64 {
	return func() float64 {
		start, times := time.Now(), 0
		for times == 0 || time.Since(start) < 40*time.Millisecond {
			n := 0
			for range w.bus.History(f) {
				n++
			}
			if n == 0 {
				panic(fmt.Sprintf("no hits for %+v", f))
			}
			times++
		}
		return float64(time.Since(start).Nanoseconds()) / float64(times)
	}
}

func figures() []figure {
	var small, large *world
	var objects float64 // for each signal of large
	on := func(w **world, n int, f func(*world) bus.Filter) func() (func() float64, error) {
		return func() (func() float64, error) {
			if *w == nil {
				*w = fill(n)
			}
			return query(*w, f(*w)), nil
		}
	}
	const million = 1_000_000
	return []figure{
		{"memory for each held signal, 1,000,000", "≤ 260", "bytes", func() (func() float64, error) {
			bytes, count := heap()
			large = fill(million)
			moreBytes, moreCount := heap()
			used := float64(moreBytes-bytes) / million
			objects = float64(moreCount-count) / million
			return func() float64 { return used }, nil
		}},
		{"heap objects for each held signal, 1,000,000", "≤ 0.05", "objects", func() (func() float64, error) {
			return func() float64 { return objects }, nil
		}},
		{"filter by kind, 100,000 held, 20 % match", "≤ 0.15 ms", "ns", on(&small, 100_000, func(*world) bus.Filter { return bus.Filter{Kinds: kinds[:1]} })},
		{"by reply-to, 1,000,000 held", "≤ 0.5 µs", "ns", on(&large, million, func(w *world) bus.Filter { return bus.Filter{ReplyTo: w.first} })},
		{"rare source, 200 hits in 1,000,000", "≤ 10 µs", "ns", on(&large, million, func(*world) bus.Filter { return bus.Filter{Source: "rare"} })},
		{"one kind, newest 1 %, of 1,000,000", "≤ 40 µs", "ns", on(&large, million, func(w *world) bus.Filter {
			return bus.Filter{Kinds: kinds[:1], Since: w.start.Add(990_000 * time.Millisecond)}
		})},
		{"confidence ≥ 0.99 of 1,000,000", "≤ 0.6 ms", "ns", on(&large, million, func(*world) bus.Filter { return bus.Filter{MinConfidence: 0.99} })},
		{"everything in log order, 1,000,000", "≤ 2.5 × flat scan", "ns", on(&large, million, func(*world) bus.Filter { return bus.Filter{} })},
		{"flat scan of 1,000,000 headers in a slice (floor)", "", "ns", flatScan},
		{"sweep 100,000, half expired", "≤ 5 ms", "ns", sweepHalf},
		{"sweep 1,000,000, nothing due", "≤ 1 µs", "ns", func() (func() float64, error) {
			return func() float64 {
				start := time.Now()
				large.bus.Sweep()
				return float64(time.Since(start).Nanoseconds())
			}, nil
		}},
		{"p99 of publish, nobody reads 1,000,000", "", "ns", func() (func() float64, error) { return func() float64 { return p99(large, false) }, nil }},
		{"p99 of publish while another reads 1,000,000", "≤ 10 × without", "ns", func() (func() float64, error) { return func() float64 { return p99(large, true) }, nil }},
		{"a proposal against 10,000 earlier ones, in the detector", "≤ 0.2 µs", "ns", proposals},
	}
}

func heap() (bytes, objects uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.HeapObjects
}

func flatScan() (func() float64, error) {
	all := make([]event, 1_000_000)
	for i := range all {
		all[i] = *newEvent()
	}
	return func() float64 {
		start, n := time.Now(), 0
		for i := range all {
			if all[i].TTL <= 0 {
				n++
			}
		}
		if n != len(all) {
			panic("no hits")
		}
		return float64(time.Since(start).Nanoseconds())
	}, nil
}

func sweepHalf() (func() float64, error) {
	return func() float64 {
		w := fill(1000)
		w.bus.Close()
		w.bus = made(bus.New(&bus.Options{History: 100_000, TTL: -1, Sweep: -1, Clock: func() time.Time { return w.now }}))
		p, _ := w.bus.Agent("a", bus.Permissions{})
		for i := range 100_000 {
			w.publish(p, i, []time.Duration{-1, time.Hour}[i%2])
		}
		w.now = w.now.Add(2 * time.Hour)
		start := time.Now()
		w.bus.Sweep()
		took := time.Since(start)
		if s := w.bus.Stats(); s.Expired != 50_000 {
			panic(fmt.Sprint(s.Expired, " expired"))
		}
		return float64(took.Nanoseconds())
	}, nil
}

func p99(w *world, reading bool) float64 {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for reading {
			for range w.bus.History(bus.Filter{}) {
				select {
				case <-stop:
					return
				default:
				}
			}
		}
	}()
	const n = 100_000
	times := make([]float64, n)
	for i := range times {
		s := signal(signals.Header{Thread: "t"}, i)
		start := time.Now()
		_, _ = w.pubs[0].Publish(context.Background(), s)
		times[i] = float64(time.Since(start).Nanoseconds())
	}
	close(stop)
	if reading {
		<-done
	}
	return quantile(times, 0.99)
}

// proposals are made before, so that only the detector is measured.
func proposals() (func() float64, error) {
	const before, times = 10_000, 1000
	var all []signals.Any
	for i := range before + times {
		all = append(all, signals.New(
			signals.Header{Seq: uint64(i + 1), ID: signals.MustID(fmt.Sprint("s", i)), Source: fmt.Sprint("agent-", i%100), Thread: "t"},
			signals.Proposal{ProposalID: "p", Content: fmt.Sprint("content ", i)},
		))
	}
	return func() float64 {
		d := conflict.NewDetector(nil)
		for _, s := range all[:before] {
			d.Fold(s)
		}
		start := time.Now()
		for _, s := range all[before:] {
			d.Fold(s)
		}
		return float64(time.Since(start).Nanoseconds()) / times
	}, nil
}

// made returns a bus whose options cannot be wrong.
func made(b *bus.Bus, err error) *bus.Bus {
	if err != nil {
		panic(err)
	}
	return b
}
