package connectivity_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// sizes are the numbers of signals in the thread before the measurement, half
// of them ended: costs must not depend on them.
var sizes = []int{1_000, 100_000}

// full returns a layer whose thread t holds n signals of a hundred sources.
func full(b *testing.B, n int) *connectivity.Layer { return fullKeeping(b, n, -1) }

// fullKeeping is full for a layer that keeps up to retain ended signals.
func fullKeeping(b *testing.B, n, retain int) *connectivity.Layer {
	w := made(bus.New(&bus.Options{Sweep: -1}))
	b.Cleanup(w.Close)
	l := made(connectivity.New(w, &connectivity.Options{Retain: retain}))
	for i := range n {
		e, err := l.Emit(ctx, says("x", by(fmt.Sprint("s", i%100)), at(coordination.Critical), class(coordination.Class(1+i%11))))
		if err != nil {
			b.Fatal(err)
		}
		if i%2 == 0 {
			if _, err := l.Resolve(ctx, e.Signal.ID); err != nil {
				b.Fatal(err)
			}
		}
	}
	return l
}

func bySize(b *testing.B, f func(*testing.B, *connectivity.Layer)) {
	byLayer(b, full, func(b *testing.B, l *connectivity.Layer, _ int) { f(b, l) })
}

func byLayer(
	b *testing.B, layer func(*testing.B, int) *connectivity.Layer, f func(*testing.B, *connectivity.Layer, int),
) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := layer(b, n)
			runtime.GC()
			b.ReportAllocs()
			b.ResetTimer()
			f(b, l, n)
		})
	}
}

func mustEmit(b *testing.B, l *connectivity.Layer, in connectivity.Input, suppressed bool) coordination.Signal {
	e, err := l.Emit(ctx, in)
	if err != nil || e.Suppressed != suppressed {
		b.Fatalf("suppressed %v, error %v", e.Suppressed, err)
	}
	return e.Signal
}

// The cost of the bus alone for one signal: the lower bound for everything that
// stores one.
func BenchmarkBusPublish(b *testing.B) {
	w := made(bus.New(&bus.Options{Sweep: -1}))
	b.Cleanup(w.Close)
	p := w.System()
	s := signals.New(signals.Header{Thread: "t", TTL: -1, Recipients: signals.To("boss")}, coordination.Attention{Note: note(coordination.AttentionRaise)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Publish(ctx, s); err != nil {
			b.Fatal(err)
		}
	}
}

// The thread grows without limit, and the garbage collector's work with it.
func BenchmarkEmit(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		in := says("no duplicate", at(coordination.Critical))
		for b.Loop() {
			mustEmit(b, l, in, false)
		}
	})
}

// The same with a recipient, which is in the result of Emit.
func BenchmarkEmitToCoordinator(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		if err := l.SetCoordinator("t", "lead"); err != nil {
			b.Fatal(err)
		}
		in := says("no duplicate", at(coordination.Critical))
		for b.Loop() {
			mustEmit(b, l, in, false)
		}
	})
}

// steady is full for a layer that keeps no more ended signals than it starts
// with.
func steady(b *testing.B, n int) *connectivity.Layer { return fullKeeping(b, n, n/2) }

// The thread holds n to 1.1 n: after every n/10 emits a step, which is not
// timed, ends these, and the cap on ended ones drops as many.
func BenchmarkEmitSteadyByExpiry(b *testing.B) {
	byLayer(b, steady, func(b *testing.B, l *connectivity.Layer, n int) {
		end := 0
		for left := 0; b.Loop(); left-- {
			if left == 0 {
				b.StopTimer()
				step, err := l.AdvanceStep(ctx, "t")
				if err != nil {
					b.Fatal(err)
				}
				end, left = step+1, n/10
				b.StartTimer()
			}
			mustEmit(b, l, alarmed(left, end), false)
		}
	})
}

// The thread holds n: each emit ends the one before, and the cap drops the one
// that ended first. It is two signals of the bus.
func BenchmarkEmitSteadyBySupersession(b *testing.B) {
	byLayer(b, steady, func(b *testing.B, l *connectivity.Layer, _ int) {
		s := mustEmit(b, l, says("first"), false)
		for b.Loop() {
			s = mustEmit(b, l, says("next", replacing(s.ID)), false)
		}
	})
}

// With an observer the first delivery goes into the log too.
func BenchmarkEmitObserved(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		l.OnSignal(func(context.Context, coordination.Signal, connectivity.Event) {})
		in := says("no duplicate", at(coordination.Critical))
		for b.Loop() {
			mustEmit(b, l, in, false)
		}
	})
}

func BenchmarkEmitReplacing(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		s := mustEmit(b, l, says("first"), false)
		for b.Loop() {
			s = mustEmit(b, l, says("next", replacing(s.ID)), false)
		}
	})
}

func BenchmarkEmitAndResolve(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		in := says("no duplicate")
		for b.Loop() {
			s := mustEmit(b, l, in, false)
			if _, err := l.Resolve(ctx, s.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEmitSuppressed(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		in := says("the same")
		mustEmit(b, l, in, false)
		for b.Loop() {
			mustEmit(b, l, in, true)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		id := mustEmit(b, l, says("x"), false).ID
		for b.Loop() {
			l.Get(id)
		}
	})
}

func BenchmarkQuery(b *testing.B) {
	for _, c := range []struct {
		name string
		q    coordination.Query
		want int
	}{
		{"default", coordination.Query{}, 50},
		{"source", coordination.Query{Source: "rare"}, 3},
		{"class", coordination.Query{Messages: []coordination.Message{coordination.AboutConflict}, Limit: 10}, 10},
		{"ended", coordination.Query{States: []coordination.State{coordination.Resolved}}, 50},
		{"oldest", coordination.Query{Order: coordination.Oldest}, 50},
	} {
		b.Run(c.name, func(b *testing.B) {
			bySize(b, func(b *testing.B, l *connectivity.Layer) {
				for range 3 {
					mustEmit(b, l, says("x", by("rare"), at(coordination.Critical)), false)
				}
				for b.Loop() {
					if got, err := l.Query("t", c.q); err != nil || len(got) != c.want {
						b.Fatalf("%d answers, want %d: %v", len(got), c.want, err)
					}
				}
			})
		})
	}
}

func BenchmarkConverged(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		mustEmit(b, l, says("x", in("u"), class(coordination.ConfidenceHigh)), false)
		for b.Loop() {
			if !l.Converged("u").Converged {
				b.Fatal("did not converge")
			}
		}
	})
}

func BenchmarkAdvanceNothingExpires(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		mustEmit(b, l, says("x", until(1<<60)), false)
		for b.Loop() {
			if _, err := l.AdvanceStep(ctx, "t"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// alarmed is a signal that expires, and that no other suppresses within a step.
func alarmed(i, end int) connectivity.Input {
	return says(strconv.Itoa(i), class(coordination.EscalationInterrupt), at(coordination.High), until(end))
}

// Reports the time of a step in which n signals expire, and per signal.
func BenchmarkAdvanceExpiring(b *testing.B) {
	bySize(b, func(b *testing.B, l *connectivity.Layer) {
		const n = 1000
		for b.Loop() {
			b.StopTimer()
			for i := range n {
				mustEmit(b, l, alarmed(i, l.Step("t")+1), false)
			}
			b.StartTimer()
			if _, err := l.AdvanceStep(ctx, "t"); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/expired")
	})
}

func BenchmarkEmitParallel(b *testing.B) {
	l := full(b, 1000)
	in := says("no duplicate", at(coordination.Critical))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mustEmit(b, l, in, false)
		}
	})
}

// The memory of a layer with a million signals in 100,000 threads, without the
// bus's history.
func BenchmarkMemory(b *testing.B) {
	const threads, each = 100_000, 10
	for b.Loop() {
		w := made(bus.New(&bus.Options{Sweep: -1}))
		l := made(connectivity.New(w, nil))
		before := heap()
		for t := range threads {
			thread := fmt.Sprint("thread ", t)
			for range each {
				mustEmit(b, l, says("no duplicate", in(thread), at(coordination.Critical)), false)
			}
		}
		b.ReportMetric(float64(heap()-before)/threads/each, "B/signal")
		w.Close()
		runtime.KeepAlive(l)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
